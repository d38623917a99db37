import { randomBytes } from "node:crypto";
import { chmod, chown, lstat, mkdir, mkdtemp, readFile, rename, stat, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { makeFolder } from "../files/make-folder.ts";
import { type Account, isRoot } from "./account.ts";

/** The text of a file, or undefined if it does not exist. */
export async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** Writes a file atomically, with mode 0600 and, when root, owned by `owner` or the directory's owner. */
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
 * A directory of this machine for files that cannot be next to the code or the data. For root it is in the system's state directory and
 * other users may pass through; for an ordinary user it is in the home directory, or a private one under the temporary directory.
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
    // Read-only or missing home: try the temporary directory.
  }
  const temporary = path.join(tmpdir(), `kantoor-${process.getuid?.()}`);
  await mkdir(temporary, { mode }).catch(() => undefined);
  if (!(await isOurs(temporary))) return mkdtemp(`${temporary}-`);
  await chmod(temporary, mode);
  return temporary;
}

/** True for a real directory owned by this process's user; anyone can create names under the temporary directory. */
async function isOurs(directory: string): Promise<boolean> {
  const found = await lstat(directory);
  return found.isDirectory() && found.uid === process.getuid?.();
}
