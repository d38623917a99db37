import { existsSync } from "node:fs";
import path from "node:path";
import { launch, type Spawned } from "../process.ts";

/** Finds a server program; Debian installs such in `/usr/sbin`, which an ordinary user's PATH may lack. */
export const findProgram = (name: string): string | undefined =>
  ["/usr/sbin", "/usr/local/bin", ...(process.env["PATH"] ?? "").split(path.delimiter)]
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file));

export const findNats = (): string | undefined => findProgram("nats-server");

/** Skips a test on a machine without NATS, with a message. @throws Error in CI, which must have it */
export function requireNats(test: Mocha.Context): void {
  if (findNats()) return;
  if (process.env["CI"] === "true") throw new Error("nats-server is missing: apt-get install nats-server");
  process.stdout.write("    not run: nats-server is not installed (apt-get install nats-server)\n");
  test.skip();
}

/** Starts a separate NATS server. @param port a free one by default. @param options of nats-server */
export const startNats = (port = -1, ...options: string[]): Promise<Spawned> =>
  launch([findNats() as string, "-a", "127.0.0.1", "-p", String(port), ...options], {
    ready: /Listening for client connections on \S+:(\d+)/,
  });
