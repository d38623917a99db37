import { closeSync, constants, openSync, rmSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { makeFolder } from "../../core/files/make-folder.ts";

/** Longest path of a Unix socket on Linux, without the closing zero. */
const LONGEST_PATH = 107;

/** A name for a data directory's socket that fits the system's limit; call `release` after use. */
export interface SocketName {
  name: string;
  file: string;
  release(): void;
}

/**
 * Names the console socket of a data directory. A path too long for a socket is addressed through an open handle of the directory, so that
 * the socket is always next to the data.
 * @throws if the directory cannot be opened
 */
export function socketName(dataDir: string): SocketName {
  const file = path.join(dataDir, "repl.sock");
  if (Buffer.byteLength(file) <= LONGEST_PATH) return { name: file, file, release: () => undefined };
  const handle = openSync(dataDir, constants.O_RDONLY | constants.O_DIRECTORY);
  return { name: `/proc/self/fd/${handle}/repl.sock`, file, release: () => closeSync(handle) };
}

/** Whether a process listens there. */
export function isAnswered(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(name);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

/**
 * Listens on the console's socket, which only its owner can use. Replaces the socket of a killed process.
 * @throws if another process listens there
 */
export async function listen(server: net.Server, dataDir: string): Promise<SocketName> {
  await makeFolder(dataDir);
  const place = socketName(dataDir);
  try {
    if (await isAnswered(place.name)) throw new Error(`another process answers at ${place.file}`);
    rmSync(place.name, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).once("listening", resolve);
      // This call creates the socket, so others can never connect before its mode is set.
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
