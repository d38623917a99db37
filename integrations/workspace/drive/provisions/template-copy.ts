import type { GoogleAccess } from "../../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../../mixins/google/failure.ts";
import { copyFile, createFolder, type Folder, isFolder, type ListedFile, listAll, readFile } from "../drive-files.ts";
import { browsing } from "../drive-query.ts";
import { atPlace, placeOfCopy } from "./creation-lease.ts";

/** Most levels and items of a template that are copied (workspace §2.4). */
export const MOST_LEVELS = 3;
export const MOST_ITEMS = 100;

/** The result of copying a template. */
export interface Copied {
  /** Items that exist now. */
  items: number;
  /** Items that the provider refused to copy. */
  refused: number;
  /** Whether the template has more items than the limit. */
  isCut: boolean;
}

/** A folder of the template and the folder that receives its content. */
interface Level {
  source: Folder;
  target: Folder;
  depth: number;
}

/**
 * The existing copy of a template item: one that this service copied, else one with the same name and type that belongs to no other item.
 */
function presentIn(present: readonly ListedFile[], claimed: ReadonlySet<string>, source: ListedFile): ListedFile | undefined {
  return (
    present.find(({ copiedFrom }) => copiedFrom === source.id) ??
    present.find(
      ({ id, copiedFrom, name, mimeType }) =>
        copiedFrom === null && !claimed.has(id) && name === source.name && mimeType === source.mimeType,
    )
  );
}

/** Whether the provider will never copy this item; the others continue. */
const isRefusedItem = (error: unknown): boolean =>
  error instanceof GoogleFailure && (error.kind === "forbidden" || error.kind === "not_found");

/**
 * Copies the content of a template folder level by level: three levels, at most 100 items. Skips existing items, so an interrupted run
 * resumes where it stopped.
 * @throws GoogleFailure
 */
export async function copyTemplate(
  access: GoogleAccess,
  templateId: string,
  target: Folder,
  signal?: AbortSignal,
): Promise<Copied> {
  const template = await readFile(access, templateId, signal);
  const copied: Copied = { items: 0, refused: 0, isCut: false };
  const levels: Level[] = [{ source: template, target, depth: 1 }];
  for (let level = levels.shift(); level; level = levels.shift()) {
    const { source, target: into, depth } = level;
    const list = (folder: Folder) => listAll(access, folder, { q: browsing(folder.id), orderBy: "folder,name", signal });
    const [items, present] = [await list(source), await list(into)];
    const claimed = new Set<string>();
    for (const item of items) {
      if (copied.items + copied.refused === MOST_ITEMS) return { ...copied, isCut: true };
      const made = await copyItem(access, item, into, presentIn(present, claimed, item), signal);
      if (!made) {
        copied.refused += 1;
        continue;
      }
      claimed.add(made);
      copied.items += 1;
      if (isFolder(item) && depth < MOST_LEVELS)
        levels.push({ source: item, target: { id: made, driveId: into.driveId }, depth: depth + 1 });
    }
  }
  return copied;
}

/** Copies one item into a folder. @returns the id of the copy; null if the provider refuses */
async function copyItem(
  access: GoogleAccess,
  item: ListedFile,
  parent: Folder,
  present: ListedFile | undefined,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  return atPlace(access.transactions, placeOfCopy(parent.id, item.id), async (creation) => {
    if (creation.fileId !== null) return creation.fileId;
    if (present) {
      await creation.keep(present.id);
      return present.id;
    }
    const making = { name: item.name, parent, copiedFrom: item.id, signal };
    const make = isFolder(item) ? () => createFolder(access, making) : () => copyFile(access, making);
    try {
      return (await creation.make(make)).id;
    } catch (error) {
      if (isRefusedItem(error)) return null;
      throw error;
    }
  });
}
