import { existsSync } from "node:fs";
import net from "node:net";
import { createInterface } from "node:readline";
import type { InstallationFigures } from "../../mixins/ops/installation-figures.ts";
import { OperatorError } from "../../operator/organisations.ts";
import type { Ask, Reply } from "./server.ts";
import { socketName } from "./socket.ts";

/** The running service ended while a console was attached to it. */
export class ServiceEnded extends OperatorError {
  override name = "ServiceEnded";
}

/** A connection to the console of the service that runs on a data directory. */
export class AttachedConsole {
  readonly #socket: net.Socket;
  readonly #waiting: { resolve(reply: Reply): void; reject(error: Error): void }[] = [];
  /** Rejects once the service ends. */
  readonly ended: Promise<never>;
  prompt = "";

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    createInterface({ input: socket }).on("line", (line) => this.#waiting.shift()?.resolve(JSON.parse(line) as Reply));
    this.ended = new Promise((_, reject) =>
      socket.once("close", () => {
        const error = new ServiceEnded("The service has stopped.");
        for (const { reject: fail } of this.#waiting.splice(0)) fail(error);
        reject(error);
      }),
    );
    this.ended.catch(() => {});
  }

  /**
   * Attaches to the service.
   * @throws OperatorError when no service answers there, or it belongs to another account
   */
  static async attach(dataDir: string): Promise<AttachedConsole> {
    const nobody = `No service answers in ${dataDir}: start it with \`npm start\`, or name its data directory in SERVICE_DATA_DIR.`;
    if (!existsSync(dataDir)) throw new OperatorError(nobody);
    const place = socketName(dataDir);
    const socket = net.connect(place.name);
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve).once("error", ({ code }: NodeJS.ErrnoException) => {
        const isForeign = code === "EACCES";
        reject(new OperatorError(isForeign ? `The console in ${dataDir} is open to the account of the service only.` : nobody));
      });
    }).finally(() => place.release());
    socket.on("error", () => {});
    const attached = new AttachedConsole(socket);
    // The service sends the first response unasked once it accepts the connection.
    const greeting = await attached.#answer();
    if ("prompt" in greeting) attached.prompt = greeting.prompt;
    return attached;
  }

  #answer(): Promise<Reply> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #ask(ask: Ask): Promise<Reply> {
    const answered = this.#answer();
    this.#socket.write(`${JSON.stringify(ask)}\n`);
    return answered;
  }

  /** Runs a line and returns its output. */
  async run(line: string): Promise<string> {
    const reply = await this.#ask({ line });
    if (!("prompt" in reply)) return "";
    this.prompt = reply.prompt;
    return reply.text;
  }

  async complete(line: string): Promise<string[]> {
    const reply = await this.#ask({ complete: line });
    return "completions" in reply ? reply.completions : [];
  }

  /** The figures of the installation, as `/ops/figures` has them. @throws OperatorError if the service is of an earlier version */
  async figures(): Promise<InstallationFigures> {
    const reply = await this.#ask({ figures: true });
    if (!("figures" in reply)) throw new OperatorError("The running service is of a version without these figures.");
    return reply.figures;
  }

  close(): void {
    this.#socket.removeAllListeners("close");
    this.#socket.end();
  }
}
