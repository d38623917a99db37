import { column, columns, newId, type RowOf, tenantModel } from "../database/model.ts";
import { queryOne } from "../database/query.ts";
import { statement } from "../database/statement.ts";
import { remove } from "../database/write.ts";
import { notFound } from "../declare/errors.ts";
import { request } from "../request/context.ts";
import { type FileAnswer, storedFile } from "./file-answer.ts";
import type { Backend, StagedUpload } from "./storage.ts";

/** A file of a record; its bytes are a content, which it may share with equal ones. */
export const FileModel = tenantModel("files", {
  content_id: column.uuid(),
  entity_type: column.text(),
  entity_id: column.uuid(),
  name: column.text(),
  type: column.text(),
  inline: column.boolean().withDefault(),
  uploaded_by_account_id: column.uuid().orNull(),
  uploaded_by_name: column.text().orNull(),
});

/** A file's row with the store of its bytes. */
export type FileRow = RowOf<typeof FileModel> & { readonly backend: Backend };

/** The record a file hangs on. */
export interface Owner {
  /** Kind of the record, for instance `company`; the files actor finds who may see it by this. */
  entityType: string;
  entityId: string;
  /** Part of a text instead of listed beside it. */
  inline?: boolean;
}

// Equal bytes have one content, so the staged of a twin stays unused. One statement, so that the content cannot be reclaimed in between.
const KEEP = statement(`with content as (
    insert into file_contents as c (id, organisation_id, backend, sha256, size) values ($2, $1, $3, decode($4, 'hex'), $5)
    on conflict (organisation_id, backend, sha256) do update set touched_at = statement_timestamp() returning c.id),
  kept as (
    insert into files (id, organisation_id, content_id, entity_type, entity_id, inline, name, type, uploaded_by_account_id, uploaded_by_name)
    select $6, $1, content.id, $7, $8, $9, $10, $11, $12, $13 from content)
  select id from content`);
const READ = statement(`select ${columns(FileModel, "f")}, c.backend
  from files f join file_contents c on c.organisation_id = f.organisation_id and c.id = f.content_id
  where f.organisation_id = $1 and f.id = $2`);

/**
 * Makes uploaded or made bytes a file of a record, in the running transaction. The bytes are in the store already, so there is never a row
 * without them. Trail and permission are the caller's.
 * @returns the file's id
 */
export async function keepFile(
  file: StagedUpload & { name: string; type: string },
  { entityType, entityId, inline = false }: Owner,
): Promise<string> {
  const { organisation, principal, kept } = request();
  const id = newId();
  const content = await queryOne<{ id: string }>(KEEP, [
    organisation.id,
    file.id,
    file.backend,
    file.sha256,
    file.size,
    id,
    entityType,
    entityId,
    inline,
    file.name,
    file.type,
    principal?.accountId ?? null,
    principal?.name ?? null,
  ]);
  if (content) kept.set(file.id, content.id);
  return id;
}

/** Removes a file's row in the running transaction. Its bytes are reclaimed a day later, unless a twin needs them. */
export const removeFile = (id: string): void => remove(FileModel, id);

/** @throws 404 when the organisation has no such file */
export async function fileRow(id: string): Promise<FileRow> {
  const row = await queryOne<FileRow>(READ, [request().organisation.id, id]);
  if (!row) throw notFound();
  return row;
}

/** A file's row as the answer that sends it. Whether the caller may see it is the caller's to ask. */
export function fileAnswer(row: FileRow, options: { shared?: boolean } = {}): FileAnswer {
  const { id, name, type, content_id: contentId, backend } = row;
  return storedFile({ id, name, type, place: { organisationId: request().organisation.id, id: contentId, backend } }, options);
}
