import { queryOne } from "../../../core/database/query.ts";
import { queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { addressOf, type DriveFile, isFolder } from "./drive-files.ts";
import { DriveLink, type DriveLinkRow, type Entity } from "./drive-models.ts";
import { lockedLink, lockedRoot } from "./link-rows.ts";

const PERSON = statement("select coalesce(nullif(full_name, ''), email) as name from accounts where id = $1");

/** The link column of a record, with its id. */
const recordOf = ({ entity_type, entity_id }: Entity) => ({ [`${entity_type}_id`]: entity_id });

/** The creator of a link. */
interface Creator {
  accountId: string | null;
  name: string | null;
}

function insertLink(entity: Entity, file: DriveFile, isRoot: boolean, creator: Creator | null = request().principal): string {
  return queueInsert(DriveLink, {
    ...recordOf(entity),
    drive_file_id: file.id,
    drive_url: addressOf(file),
    name: file.name,
    mime_type: file.mimeType,
    is_folder: isFolder(file),
    is_root: isRoot,
    created_by_account_id: creator?.accountId ?? null,
    created_by_name: creator?.name ?? null,
  });
}

const trailFolder = (
  { entity_type, entity_id }: Entity,
  what: "set" | "changed" | "cleared",
  payload: Record<string, string>,
): void => trail(entity_type, entity_id, `drive.folder_${what}`, payload);

/** Of two concurrent requests for the same link, the later one is retried and finds the earlier one's row. */
function expectRace(): void {
  for (const one of ["drive_links_file", "drive_links_root"]) request().retryableConstraints.add(one);
}

/** Makes a folder the own folder of a record that has none; promotes an existing link to it. @returns the link's id */
function becomeRoot(entity: Entity, file: DriveFile, existing: DriveLinkRow | undefined): string {
  if (existing) queueUpdate(DriveLink, existing.id, { is_root: true, is_folder: true });
  return existing?.id ?? insertLink(entity, file, true);
}

/**
 * Links a file to a record, in the running transaction. A folder becomes the own folder of a record that has none; an existing link stays
 * unchanged (workspace §2.4).
 * @returns the link's id
 */
export async function linkFile(entity: Entity, file: DriveFile): Promise<string> {
  expectRace();
  const existing = await lockedLink(entity, file.id);
  if (existing?.is_root) return existing.id;
  if (!isFolder(file) || (await lockedRoot(entity))) return existing?.id ?? insertLink(entity, file, false);
  const id = becomeRoot(entity, file, existing);
  trailFolder(entity, "set", { name: file.name });
  return id;
}

/**
 * Makes a folder the record's own, in the running transaction, and removes the link to the previous one (workspace §2.4).
 * @param root the locked link to the previous folder
 * @returns the link's id
 */
export async function setRoot(entity: Entity, folder: DriveFile, root: DriveLinkRow | undefined): Promise<string> {
  expectRace();
  const existing = await lockedLink(entity, folder.id);
  if (root) queueRemove(DriveLink, root.id);
  const id = becomeRoot(entity, folder, existing);
  if (root) trailFolder(entity, "changed", { from: root.name, to: folder.name });
  else trailFolder(entity, "set", { name: folder.name });
  return id;
}

/**
 * Links an uploaded file to a record in a person's name, in the running transaction of a job; an existing link stays unchanged.
 * @param accountId the uploader
 */
export async function linkUploaded(entity: Entity, file: DriveFile, accountId: string): Promise<void> {
  expectRace();
  if (await lockedLink(entity, file.id)) return;
  const person = await queryOne<{ name: string }>(PERSON, [accountId]);
  insertLink(entity, file, false, { accountId: person ? accountId : null, name: person?.name ?? null });
}

/** Removes a locked link, in the running transaction; the file itself is never changed. */
export function unlink(entity: Entity, link: DriveLinkRow): void {
  queueRemove(DriveLink, link.id);
  if (link.is_root) trailFolder(entity, "cleared", { name: link.name });
}
