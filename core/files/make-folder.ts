import { mkdir, stat } from "node:fs/promises";
import path from "node:path";

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/**
 * Creates a folder and its parents. Node's own `recursive` never ends on a file system without folder creation, such as `/proc`.
 * @param mode of the created folders
 * @returns the first created folder; undefined if all existed
 * @throws the system's error; ENOTDIR if a file is in the way
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<string | undefined> {
  const made = await attempt(folder, mode);
  if (made !== "no parent") return made;
  const first = await makeFolder(path.dirname(folder), mode);
  const second = await attempt(folder, mode);
  if (second === "no parent")
    throw Object.assign(new Error(`ENOENT: no folder can be made here, mkdir '${folder}'`), { code: "ENOENT" });
  return first ?? second;
}

async function attempt(folder: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(folder, { mode });
    return folder;
  } catch (error) {
    if (codeOf(error) === "ENOENT" && path.dirname(folder) !== folder) return "no parent";
    if (codeOf(error) !== "EEXIST") throw error;
    if (!(await stat(folder)).isDirectory()) throw Object.assign(error as Error, { code: "ENOTDIR" });
    return undefined;
  }
}
