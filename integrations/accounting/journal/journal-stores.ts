import { randomUUID } from "node:crypto";
import { link, open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { makeFolder } from "../../../core/files/make-folder.ts";
import type { ObjectStore } from "../../../core/files/storage.ts";
import { stores } from "../../../core/files/storage.ts";

/** Stores small texts by organisation and name. */
export interface JournalStore {
  /** Null if missing. */
  read(organisation: string, name: string): Promise<string | null>;
  /** @throws if one already exists */
  create(organisation: string, name: string, contents: string): Promise<void>;
  replace(organisation: string, name: string, contents: string): Promise<void>;
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Writes and syncs a temporary file in the folder, passes it on, and removes what is left of it. */
async function written(folder: string, contents: string, take: (file: string) => Promise<void>): Promise<void> {
  await makeFolder(folder, 0o750);
  const file = path.join(folder, `.${randomUUID()}.part`);
  try {
    const handle = await open(file, "wx", 0o640);
    try {
      await handle.writeFile(contents);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await take(file);
  } finally {
    await rm(file, { force: true });
  }
}

/** A local or shared folder with a subfolder per organisation; a reader never sees a partial file. */
export function journalFolder(root: string): JournalStore {
  const fileOf = (organisation: string, name: string) => path.join(root, organisation, name);
  return {
    async read(organisation, name) {
      try {
        return await readFile(fileOf(organisation, name), "utf8");
      } catch (error) {
        if (codeOf(error) === "ENOENT") return null;
        throw error;
      }
    },
    // A hard link fails if the file exists; a rename would replace it.
    create: (organisation, name, contents) =>
      written(path.join(root, organisation), contents, (file) => link(file, fileOf(organisation, name))),
    replace: (organisation, name, contents) =>
      written(path.join(root, organisation), contents, (file) => rename(file, fileOf(organisation, name))),
  };
}

/** A bucket, with the organisation as the prefix of every name. */
export function journalBucket(bucket: ObjectStore): JournalStore {
  const put = (organisation: string, name: string, contents: string) =>
    written(stores().spoolFolder, contents, (file) => bucket.put(organisation, name, file));
  const read: JournalStore["read"] = async (organisation, name) => {
    const found = await bucket.open(organisation, name);
    return found && text(found.bytes);
  };
  return {
    read,
    async create(organisation, name, contents) {
      if ((await read(organisation, name)) !== null) throw new Error(`${organisation}/${name} already exists`);
      await put(organisation, name, contents);
    },
    replace: put,
  };
}
