import { randomBytes } from "node:crypto";
import { chmod, chown, lstat, mkdir, mkdtemp, readFile, rename, stat, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { makeFolder } from "../files/make-folder.ts";
import { type Account, isRoot } from "./account.ts";

/** The text of a file, or undefined when there is no such file. */
export async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** Puts a whole file in place at once, with mode 0600 and, for root, the owner of the directory or the one given. */
export async function placeFile(file: string, content: string, owner?: Account): Promise<void> {
  const temporary = `${file}.${randomBytes(4).toString("hex")}`;
  await writeFile(temporary, content, { mode: 0o600, flag: "wx" });
  if (isRoot()) {
    const { uid, gid } = owner ?? (await stat(path.dirname(file)));
    await chown(temporary, uid, gid);
  }
  await rename(temporary, file);
}

/**
 * A directory of this machine for what cannot live beside the code or the data: root's in the system's state directory, an
 * ordinary user's in the home directory, or a private one under the temporary directory. Other users may pass through root's.
 */
export async function stateDirectory(): Promise<string> {
  const root = isRoot();
  const mode = root ? 0o755 : 0o700;
  const preferred = root
    ? "/var/lib/kantoor"
    : path.join(process.env["XDG_STATE_HOME"] || path.join(homedir(), ".local/state"), "kantoor");
  try {
    await makeFolder(preferred, mode);
    if (await isOurs(preferred)) {
      await chmod(preferred, mode);
      return preferred;
    }
  } catch {
    // read-only or missing home: the temporary directory is next
  }
  const temporary = path.join(tmpdir(), `kantoor-${process.getuid?.()}`);
  await mkdir(temporary, { mode }).catch(() => undefined);
  if (!(await isOurs(temporary))) return mkdtemp(`${temporary}-`);
  await chmod(temporary, mode);
  return temporary;
}

/** True for a real directory of this process's user; anybody can make names under the temporary directory. */
async function isOurs(directory: string): Promise<boolean> {
  const found = await lstat(directory);
  return found.isDirectory() && found.uid === process.getuid?.();
}
