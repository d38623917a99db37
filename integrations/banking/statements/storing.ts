import { columns, newId } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { queueUpdate } from "../../../core/database/write.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { digestText } from "../../../core/security/crypto.ts";
import { statement } from "../../../core/sql/statement.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { BankStatement } from "../models.ts";
import { type KeyedEntry, keyed } from "../reading/identity.ts";
import type { ReadFile } from "../reading/read-statements.ts";

/** Rows of one insert. */
const BATCH = 1_000;

const ADD_STATEMENTS =
  statement(`insert into bank_statements (id, organisation_id, statement_key, file_name, format, account, currency, number,
    from_day, to_day, opening, closing, balances, entry_count, added_count, pending_count)
  select r.id, $1, r.statement_key, r.file_name, r.format, r.account, r.currency, r.number, r.from_day, r.to_day, r.opening, r.closing,
      r.balances, r.entry_count, 0, r.pending_count
    from jsonb_to_recordset($2::jsonb) r (id uuid, statement_key text, file_name text, format text, account text, currency text, number text,
      from_day date, to_day date, opening numeric, closing numeric, balances boolean, entry_count int, pending_count int)
  on conflict (organisation_id, statement_key) do nothing`);
const STATEMENTS = statement(`select ${columns(BankStatement)} from bank_statements
  where organisation_id = $1 and statement_key = any($2::text[])`);
const ADD_ENTRIES =
  statement(`insert into bank_entries (id, organisation_id, statement_id, entry_key, position, account, booked_on, value_on,
    amount, currency, counter_iban, counter_name, description, reference, bank_reference, kind, reversal, return_reason, original_amount,
    original_currency, state)
  select r.id, $1, r.statement_id, r.entry_key, r.position, r.account, r.booked_on, r.value_on, r.amount, r.currency, r.counter_iban,
      r.counter_name, r.text, r.reference, r.bank_reference, r.kind, r.reversal, r.return_reason, r.original_amount, r.original_currency,
      case when r.amount = 0 then 'matched' else 'open' end
    from jsonb_to_recordset($2::jsonb) r (id uuid, statement_id uuid, entry_key text, position int, account text, booked_on date,
      value_on date, amount numeric, currency text, counter_iban text, counter_name text, text text, reference text, bank_reference text,
      kind text, reversal boolean, return_reason text, original_amount numeric, original_currency text)
  on conflict (organisation_id, entry_key) do nothing returning id, statement_id`);

/** What an upload stored. */
export interface Stored {
  /** Ids of its statements, in the order of the file. */
  statementIds: string[];
  /** Ids of the entries that no earlier statement had. */
  entryIds: string[];
  /** Entries that were there already. */
  known: number;
}

/** The statements of the files as rows, each with its entries. */
function rowsOf(files: readonly ReadFile[]) {
  return files.flatMap(({ name, statements }) =>
    keyed(statements).map(({ entries, ...read }) => ({
      entries,
      row: {
        id: newId(),
        statement_key: digestText(
          JSON.stringify([
            read.account,
            read.number,
            read.from,
            read.to,
            read.opening,
            read.closing,
            entries.map((one) => one.entry_key),
          ]),
        ),
        file_name: shortened(name, 255),
        format: read.format,
        account: read.account,
        currency: read.currency,
        number: read.number === null ? null : shortened(read.number, 100),
        from_day: read.from,
        to_day: read.to,
        opening: read.opening,
        closing: read.closing,
        balances: read.balances,
        entry_count: entries.length,
        pending_count: read.pending,
      },
    })),
  );
}

/** Adds entries that are not there yet, in the order of their keys, so that uploads at once wait for each other in one order. */
async function addEntries(entries: readonly (KeyedEntry & { id: string; statement_id: string; account: string })[]) {
  const ordered = entries.toSorted((one, other) => (one.entry_key < other.entry_key ? -1 : 1));
  const added: { id: string; statement_id: string }[] = [];
  for (let from = 0; from < ordered.length; from += BATCH) {
    const rows = ordered.slice(from, from + BATCH);
    added.push(
      ...(await query<{ id: string; statement_id: string }>(ADD_ENTRIES, [request().organisation.id, JSON.stringify(rows)])),
    );
  }
  return added;
}

/**
 * Stores the statements of an upload. A statement that an earlier upload had stays as it is; an entry that an earlier statement had is kept
 * once. Emits `banking.statement.imported` for each new statement.
 */
export async function storeStatements(files: readonly ReadFile[]): Promise<Stored> {
  const { organisation } = request();
  const made = rowsOf(files);
  const keys = made.map(({ row }) => row.statement_key);
  enqueue(ADD_STATEMENTS, [organisation.id, JSON.stringify(made.map(({ row }) => row))]);
  const stored = await query<{ id: string; statement_key: string }>(STATEMENTS, [organisation.id, keys]);
  const idOf = new Map(stored.map(({ id, statement_key }) => [statement_key, id]));
  const placed = made.map(({ row, entries }) => ({ row, entries, id: idOf.get(row.statement_key) as string }));
  // Ids in the order of the file: the list shows the entries of one day in it.
  const entries = placed.flatMap(({ id, row: { account }, entries: own }) =>
    own.map((entry) => ({ ...entry, id: newId(), account, statement_id: id })),
  );
  const added = await addEntries(entries);
  const counts = Map.groupBy(added, ({ statement_id }) => statement_id);
  for (const { id, row } of placed) {
    // The id is another one where the statement was there before, or is in another file of the archive.
    if (id !== row.id) continue;
    const { account, from_day, to_day } = row;
    const count = counts.get(id)?.length ?? 0;
    queueUpdate(BankStatement, id, { added_count: count });
    emit("banking.statement.imported", "bank_statement", id, { statement_id: id, account, from_day, to_day, added: count });
  }
  return {
    statementIds: [...new Set(placed.map(({ id }) => id))],
    entryIds: added.map(({ id }) => id),
    known: entries.length - added.length,
  };
}
