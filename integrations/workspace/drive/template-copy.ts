import type { GoogleAccess } from "../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { atPlace, placeOfCopy } from "./creation-lease.ts";
import { copyFile, createFolder, type Folder, isFolder, type ListedFile, listAll, readFile } from "./drive-files.ts";
import { browsing } from "./drive-query.ts";

/** How deep a template is copied, and how many items of it (workspace §2.4). */
export const MOST_LEVELS = 3;
export const MOST_ITEMS = 100;

/** What became of a template. */
export interface Copied {
  /** Items that are there now. */
  items: number;
  /** Items that the provider refused to copy. */
  refused: number;
  /** Whether the template has more items than are copied. */
  isCut: boolean;
}

/** A folder of the template, and the folder that its content is copied into. */
interface Level {
  source: Folder;
  target: Folder;
  depth: number;
}

/** Where an item of the template is already: what we copied, else what has its name and type and stands for no other item. */
function presentIn(present: readonly ListedFile[], claimed: ReadonlySet<string>, source: ListedFile): ListedFile | undefined {
  return (
    present.find(({ copiedFrom }) => copiedFrom === source.id) ??
    present.find(
      ({ id, copiedFrom, name, mimeType }) =>
        copiedFrom === null && !claimed.has(id) && name === source.name && mimeType === source.mimeType,
    )
  );
}

/** Whether the provider will never copy this one item, which holds up no other. */
const isRefusedItem = (error: unknown): boolean =>
  error instanceof GoogleFailure && (error.kind === "forbidden" || error.kind === "not_found");

/**
 * Copies what a template folder holds into a folder, level by level: three levels, at most 100 items. What is there already is not copied
 * again, so that a run that broke off goes on where it was.
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

/** Makes one item in a folder. @returns the id of what it became; null where the provider refuses to copy it */
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
