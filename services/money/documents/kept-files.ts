import { buffer } from "node:stream/consumers";
import { newId } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import { queueInsert } from "../../../core/database/write.ts";
import { isApiError, refusal } from "../../../core/errors/errors.ts";
import { keepFile } from "../../../core/files/files.ts";
import { stageBytes } from "../../../core/files/staged-uploads.ts";
import { openStored } from "../../../core/files/storage.ts";
import { type Backend, request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inWrite, stampLeft } from "./left.ts";
import type { Owner } from "./lines/line-writes.ts";
import { KeptDocument, type KeptForm } from "./models.ts";

/** A document as it leaves. */
export interface Leaving {
  readonly id: string;
  readonly version: number;
  readonly status: string;
}

/** A document that leaves, with the bytes of its file. */
export interface LeavingFile<Row extends Leaving> {
  readonly row: Row;
  readonly bytes: Buffer;
}

/** Where reads and writes run: in a request, or in the transactions of a job. */
export interface Within {
  read<T>(work: () => Promise<T>): Promise<T>;
  write<T>(work: () => Promise<T>): Promise<T>;
}
/** The running request. */
export const IN_REQUEST: Within = { read: (work) => work(), write: inWrite };

/** How often a document that changes while its file is made is made again. */
const MOST_ATTEMPTS = 5;
/** Files of one request in the making at a time, so that other requests get a turn. */
const AT_A_TIME = 2;
const TYPES: Readonly<Record<KeptForm, { type: string; name: string }>> = {
  pdf: { type: "application/pdf", name: "document.pdf" },
  hybrid: { type: "application/pdf", name: "hybrid.pdf" },
  ubl: { type: "application/xml", name: "ubl.xml" },
  peppol: { type: "application/xml", name: "peppol.xml" },
};

const kept = (column: string) =>
  statement(`select k.${column} as document_id, f.content_id, c.backend from kept_documents k
      join files f on f.organisation_id = k.organisation_id and f.id = k.file_id
      join file_contents c on c.organisation_id = f.organisation_id and c.id = f.content_id
    where k.organisation_id = $1 and k.${column} = any($2) and k.form = $3`);
const KEPT = { invoice: kept("invoice_id"), quote: kept("quote_id") };
const locked = (table: string) =>
  statement(`select id, version from ${table} where organisation_id = $1 and id = any($2) order by id for update`);
const LOCKED = { invoice: locked("invoices"), quote: locked("quotes") };

/** The kept files of documents in a form, by the document's id; null for bytes that the store has lost. */
async function keptFiles(owner: Owner, ids: readonly string[], form: KeptForm): Promise<Map<string, Buffer | null>> {
  const organisationId = request().organisation.id;
  const rows = await query<{ document_id: string; content_id: string; backend: Backend }>(KEPT[owner], [
    organisationId,
    ids,
    form,
  ]);
  const files = rows.map(async ({ document_id, content_id, backend }): Promise<[string, Buffer | null]> => {
    const stored = await openStored({ organisationId, id: content_id, backend }).catch((error: unknown) => {
      if (isApiError(error) && error.message === "errors.file_bytes_missing") return null;
      throw error;
    });
    return [document_id, stored && (await buffer(stored.bytes))];
  });
  return new Map(await Promise.all(files));
}

/** Keeps files of issued documents that have not changed since and have none of this form yet, in the running transaction. */
async function keepFiles(owner: Owner, form: KeptForm, files: readonly LeavingFile<Leaving>[]): Promise<void> {
  const ids = files.map(({ row }) => row.id);
  const { id: organisation } = request().organisation;
  const rows = await query<{ id: string; version: number }>(LOCKED[owner], [organisation, ids]);
  const versions = new Map(rows.map(({ id, version }) => [id, version]));
  // After the lock, a statement of its own sees what the transaction before it kept.
  const known = await query<{ document_id: string }>(KEPT[owner], [organisation, ids, form]);
  const isKept = new Set(known.map(({ document_id }) => document_id));
  const wanted = files.filter(({ row }) => versions.get(row.id) === row.version && !isKept.has(row.id));
  for (const { row, bytes } of wanted) {
    const id = newId();
    const file_id = await keepFile(
      { ...(await stageBytes(bytes)), ...TYPES[form] },
      { entityType: "kept_document", entityId: id, inline: true },
    );
    queueInsert(KeptDocument, { id, form, file_id, ...(owner === "invoice" ? { invoice_id: row.id } : { quote_id: row.id }) });
  }
  await stampLeft(
    owner,
    wanted.map(({ row }) => row.id),
  );
}

/** The files of documents, made a few at a time. */
async function made<Row extends Leaving>(rows: readonly Row[], make: (row: Row) => Promise<Buffer>): Promise<LeavingFile<Row>[]> {
  const files: LeavingFile<Row>[] = [];
  for (let from = 0; from < rows.length; from += AT_A_TIME) {
    const some = rows.slice(from, from + AT_A_TIME);
    files.push(...(await Promise.all(some.map(async (row) => ({ row, bytes: await make(row) })))));
  }
  return files;
}

/**
 * The files of documents that leave: of issued ones those that first left, kept from then on, whatever has changed since (money §4). A
 * document that changes while its file is made is read and made again. Drafts, and issued ones whose bytes the store has lost, are made for
 * each call.
 * @param find reads the documents the caller sees, in order
 * @param make makes the file of one; may take seconds, so call this without an open transaction
 * @throws 503 `unavailable` if a document keeps changing; the errors of `find` and `make`
 */
export async function leavingFiles<Row extends Leaving>(
  within: Within,
  owner: Owner,
  form: KeptForm,
  { find, make }: { find: () => Promise<readonly Row[]>; make: (row: Row) => Promise<Buffer> },
): Promise<LeavingFile<Row>[]> {
  const fresh = new Map<string, LeavingFile<Row>>();
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const rows = await within.read(find);
    const ids = rows.flatMap(({ id, status }) => (status === "draft" ? [] : [id]));
    const known = ids.length === 0 ? new Map<string, Buffer | null>() : await within.read(() => keptFiles(owner, ids, form));
    const missing = rows.filter(({ id, version }) => !known.get(id) && fresh.get(id)?.row.version !== version);
    const files = await made(missing, make);
    const isKept = ({ row: { id, status } }: LeavingFile<Row>) => status !== "draft" && !known.has(id);
    const issued = files.filter(isKept);
    for (const file of files) if (!isKept(file)) fresh.set(file.row.id, file);
    if (issued.length > 0) await within.write(() => keepFiles(owner, form, issued));
    if (issued.length === 0)
      return rows.flatMap((row) => {
        const bytes = known.get(row.id) ?? fresh.get(row.id)?.bytes;
        return bytes ? [{ row, bytes }] : [];
      });
  }
  throw refusal("unavailable", undefined, { headers: { "Retry-After": "5" } });
}
