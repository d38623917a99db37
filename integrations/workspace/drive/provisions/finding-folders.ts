import type { GoogleAccess } from "../../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../../mixins/google/failure.ts";
import { createFolder, type DriveFile, type Folder, isFolder, listAll, readPlaceOf } from "../drive-files.ts";
import { foldersNamed } from "../drive-query.ts";
import { atPlace, placeOfFolder } from "./creation-lease.ts";

interface FolderRequest {
  parent: Folder;
  name: string;
  /** Returns which of the folders belong to something else and must not be used; by default none. */
  taken?: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  signal?: AbortSignal;
}

/** The folder created here earlier, if it still has the same name and parent; it may not be listed yet. */
async function remembered(access: GoogleAccess, id: string, { parent, name, signal }: FolderRequest): Promise<DriveFile | null> {
  try {
    const file = await readPlaceOf(access, id, signal);
    return isFolder(file) && file.name === name && file.parents.includes(parent.id) ? file : null;
  } catch (error) {
    if (error instanceof GoogleFailure && (error.kind === "not_found" || error.kind === "forbidden")) return null;
    throw error;
  }
}

/**
 * Finds the oldest folder of a name in a parent, or creates one. Of concurrent callers on any node, only one creates it (workspace §2.4).
 * @throws GoogleFailure, Unsettled
 */
export function findOrCreateFolder(access: GoogleAccess, wanted: FolderRequest): Promise<DriveFile> {
  const { parent, name, taken = async () => new Set<string>(), signal } = wanted;
  return atPlace(access.transactions, placeOfFolder(parent.id, name), async (creation) => {
    const known = creation.fileId === null ? null : await remembered(access, creation.fileId, wanted);
    const q = foldersNamed(parent.id, name);
    const listed = await listAll(access, parent, { q, orderBy: "createdTime", signal });
    const named = [...(known ? [known] : []), ...listed.filter((file) => file.name === name)];
    const others = await taken(named.map(({ id }) => id));
    const found = named.find(({ id }) => !others.has(id));
    if (!found) return creation.make(() => createFolder(access, { name, parent, signal }));
    if (found.id !== creation.fileId) await creation.keep(found.id);
    return found;
  });
}
