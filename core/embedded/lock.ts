import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { StartRefused } from "./refused.ts";

const LONGEST_WAIT_MS = 180_000;

/**
 * Runs the work under a lock that one process of this machine holds at a time, per directory.
 * The lock is a socket in Linux's abstract namespace: the kernel gives it to one process and frees it when that process ends, however it
 * ends, so there are no stale locks.
 * @param signal cancels the wait
 * @throws StartRefused when the lock stays taken for three minutes
 */
export async function withLock<T>(directory: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const { dev, ino } = await stat(directory, { bigint: true });
  const name = `\0kantoor-${createHash("sha256").update(`${dev}:${ino}`).digest("hex").slice(0, 32)}`;
  const deadline = Date.now() + LONGEST_WAIT_MS;
  let held = await take(name);
  while (!held) {
    signal?.throwIfAborted();
    if (Date.now() > deadline)
      throw new StartRefused(
        `Another process has been starting the database in ${directory} for three minutes: stop it and start again.`,
      );
    await delay(20);
    held = await take(name);
  }
  try {
    return await work();
  } finally {
    held.close();
  }
}

function take(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error: NodeJS.ErrnoException) => (error.code === "EADDRINUSE" ? resolve(undefined) : reject(error)));
    server.listen(name, () => resolve(server));
  });
}
