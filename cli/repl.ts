import { existsSync } from "node:fs";
import net from "node:net";
import { createInterface } from "node:readline";
import { readConfig } from "../core/config/config.ts";
import type { Ask, Reply } from "./console/server.ts";
import { socketName } from "./console/socket.ts";

/**
 * Attaches to the console of the service that runs on the data directory. Words after the command run as one line, piped lines run one
 * after the other, and a terminal gets a prompt until Ctrl-D.
 */
class Console {
  readonly #socket: net.Socket;
  readonly #waiting: ((reply: Reply) => void)[] = [];
  prompt = "";

  constructor(socket: net.Socket) {
    this.#socket = socket;
    createInterface({ input: socket }).on("line", (line) => this.#waiting.shift()?.(JSON.parse(line) as Reply));
  }

  /** The next response; the service sends the first one unasked once it accepts the connection. */
  answer(): Promise<Reply> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async greeting(): Promise<void> {
    const reply = await this.answer();
    if ("prompt" in reply) this.prompt = reply.prompt;
  }

  #ask(ask: Ask): Promise<Reply> {
    const answered = this.answer();
    this.#socket.write(`${JSON.stringify(ask)}\n`);
    return answered;
  }

  async run(line: string): Promise<void> {
    const reply = await this.#ask({ line });
    if (!("prompt" in reply)) return;
    this.prompt = reply.prompt;
    if (reply.text !== "") process.stdout.write(`${reply.text}\n`);
  }

  async complete(line: string): Promise<[string[], string]> {
    const reply = await this.#ask({ complete: line });
    return ["completions" in reply ? reply.completions : [], line];
  }
}

async function converse(attached: Console): Promise<void> {
  const atTerminal = process.stdin.isTTY === true;
  const lines = createInterface({
    input: process.stdin,
    ...(atTerminal && { output: process.stdout, historySize: 500 }),
    completer: (line: string, done: (error: null, found: [string[], string]) => void) =>
      void attached.complete(line).then((found) => done(null, found)),
  });
  const ask = () => {
    if (!atTerminal) return;
    lines.setPrompt(attached.prompt);
    lines.prompt();
  };
  lines.on("SIGINT", () => lines.close());
  ask();
  for await (const line of lines) {
    if (line.trim() === "exit" || line.trim() === "quit") break;
    await attached.run(line);
    ask();
  }
  lines.close();
  if (atTerminal) process.stdout.write("\n");
}

const { dataDir } = readConfig({ SERVICE_DATA_DIR: process.env["SERVICE_DATA_DIR"] });
const nobody = `No service answers in ${dataDir}: start it with \`npm start\`, or name its data directory in SERVICE_DATA_DIR.\n`;

function refuse(sentence: string): never {
  process.stderr.write(sentence);
  process.exit(2);
}

if (!existsSync(dataDir)) refuse(nobody);
const socket = net.connect(socketName(dataDir).name);
socket.once("error", ({ code }: NodeJS.ErrnoException) =>
  refuse(code === "EACCES" ? `The console in ${dataDir} is open to the account of the service only.\n` : nobody),
);
socket.once("close", () => {
  process.stderr.write("The service has stopped.\n");
  process.exit(1);
});
const attached = new Console(socket);
await attached.greeting();
const words = process.argv.slice(2);
if (words.length > 0) await attached.run(words.join(" "));
else await converse(attached);
socket.removeAllListeners("close");
socket.end();
