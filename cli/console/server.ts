import net from "node:net";
import { createInterface } from "node:readline";
import type { ServiceBroker } from "moleculer";
import { type InstallationFigures, installationFigures } from "../../mixins/ops/installation-figures.ts";
import { completions, runLine } from "./commands.ts";
import type { Session } from "./session.ts";
import { listen } from "./socket.ts";

/** A message from the attached console: a line to run, the start of one to complete, or a request for the figures of the installation. */
export type Ask = { line: string } | { complete: string } | { figures: true };
/** The response to it. */
export type Reply = { text: string; prompt: string } | { completions: string[] } | { figures: InstallationFigures };

const promptOf = ({ organisation }: Session): string => `kantoor${organisation ? ` ${organisation.slug}` : ""}> `;

/** Serves one attached console: one JSON message per line, answered in order. */
async function attend(socket: net.Socket, session: Session): Promise<void> {
  const send = (reply: Reply) => socket.write(`${JSON.stringify(reply)}\n`);
  send({ text: "", prompt: promptOf(session) });
  for await (const message of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
    const ask = JSON.parse(message) as Ask;
    if ("complete" in ask) send({ completions: completions(session, ask.complete) });
    else if ("figures" in ask) send({ figures: await installationFigures(session.broker) });
    else send({ text: await runLine(session, ask.line), prompt: promptOf(session) });
  }
}

/** The console of a running node, reached over a socket in its data directory. */
export interface ReplServer {
  /** The socket's path. */
  file: string;
  close(): Promise<void>;
}

/**
 * Opens this node's console over a socket in the data directory that only its owner can use. It closes with the broker.
 * @throws if the socket cannot be created; the service can run without
 */
export async function serveRepl(broker: ServiceBroker, dataDir: string, ownerUrl: string | undefined): Promise<ReplServer> {
  const attached = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    attached.add(socket);
    socket.on("error", () => socket.destroy()).once("close", () => attached.delete(socket));
    attend(socket, { broker, ownerUrl, organisation: null }).catch(() => socket.destroy());
  });
  const place = await listen(server, dataDir);
  server.unref();
  let closing: Promise<void> | undefined;
  const close = () =>
    (closing ??= new Promise<void>((resolve) => {
      for (const socket of attached) socket.destroy();
      // Closing removes the socket's file.
      server.close(() => {
        place.release();
        resolve();
      });
    }));
  broker.middlewares.add({ name: "Console", stopping: close });
  return { file: place.file, close };
}
