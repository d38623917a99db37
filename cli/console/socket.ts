import { closeSync, constants, openSync, rmSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { makeFolder } from "../../core/files/make-folder.ts";

/** Longest path a unix socket can have on Linux, less the closing zero. */
const LONGEST_PATH = 107;

/** A way to name the socket of a data directory that fits the system's limit; `release` when it is not needed any more. */
export interface SocketName {
  name: string;
  file: string;
  release(): void;
}

/**
 * Where the console of a data directory is. A path that is too long for a socket goes over an open handle of the directory, so that the
 * socket always lies beside the data.
 * @throws when the directory cannot be made or opened
 */
export function socketName(dataDir: string): SocketName {
  const file = path.join(dataDir, "repl.sock");
  if (Buffer.byteLength(file) <= LONGEST_PATH) return { name: file, file, release: () => undefined };
  const handle = openSync(dataDir, constants.O_RDONLY | constants.O_DIRECTORY);
  return { name: `/proc/self/fd/${handle}/repl.sock`, file, release: () => closeSync(handle) };
}

/** Whether a process answers there. */
export function isAnswered(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(name);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

/**
 * Listens on the console's socket, for its owner only. The socket of a process that was killed is replaced.
 * @throws when another process answers there
 */
export async function listen(server: net.Server, dataDir: string): Promise<SocketName> {
  await makeFolder(dataDir);
  const place = socketName(dataDir);
  try {
    if (await isAnswered(place.name)) throw new Error(`another process answers at ${place.file}`);
    rmSync(place.name, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).once("listening", resolve);
      // The socket is made inside this call: no moment passes in which others could connect.
      const mask = process.umask(0o177);
      try {
        server.listen(place.name);
      } finally {
        process.umask(mask);
      }
    });
    return place;
  } catch (error) {
    place.release();
    throw error;
  }
}
