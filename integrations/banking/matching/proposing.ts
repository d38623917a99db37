import { columns } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { breathing } from "../../../core/threads/breath.ts";
import { BankEntry, type EntryState } from "../models.ts";
import { stateOf } from "./entry-state.ts";
import type { Proposal } from "./proposal.ts";
import { type OpenEntry, type OpenInvoice, OpenInvoices } from "./proposals.ts";

/** Most open entries that are looked at again at once: the latest. */
const MOST = 5_000;

interface StoredEntry extends OpenEntry {
  id: string;
  state: EntryState;
  proposals: readonly Proposal[];
}

const OPEN_ENTRIES = statement(`select ${columns(BankEntry, "t")}, t.open_amount::text as open_amount from bank_entries t
  where t.organisation_id = $1 and t.state in ('open', 'proposed') and ($2::uuid[] is null or t.id = any($2))
  order by t.booked_on desc, t.id limit ${MOST}`);
// What was issued and is not settled, and what is to be paid back.
const INVOICES = statement(`select i.id, i.number, i.company_id, array_remove(array[c.name, c.legal_name], null) as company_names,
    i.outstanding::text as outstanding, i.currency, i.discount_until::text as discount_until,
    case when i.kind = 'invoice' and i.status = 'open' and i.discount_left > 0 and i.outstanding > i.discount_left
      then (i.outstanding - i.discount_left)::text end as discounted
  from invoices i join companies c on c.organisation_id = i.organisation_id and c.id = i.company_id
  where i.organisation_id = $1 and i.number is not null and i.outstanding <> 0
    and (i.status = 'open' or (i.status = 'paid' and i.outstanding < 0))
    and (i.kind = 'invoice' or i.outstanding < 0)
  order by i.id`);
const PAYERS = statement(`select distinct e.counter_iban as iban, i.company_id from bank_entries e
  join bank_allocations a on a.organisation_id = e.organisation_id and a.entry_id = e.id
  join invoices i on i.organisation_id = a.organisation_id and i.id = a.invoice_id
  where e.organisation_id = $1 and e.matched_amount <> 0 and e.counter_iban = any($2::text[])`);
// Locks in the order of ids, like every other lock of several entries.
const STORE = statement(`with locked as (select id from bank_entries where organisation_id = $1 and id = any($3::uuid[])
    and state in ('open', 'proposed') order by id for update)
  update bank_entries t set proposals = r.proposals, state = r.state, version = version + 1,
    updated_at = statement_timestamp()
  from jsonb_to_recordset($2::jsonb) r (id uuid, proposals jsonb, state text)
  where t.organisation_id = $1 and t.id = r.id and t.id in (select id from locked)`);

/** The invoices that entries may pay, with the clients that are known by an account of these entries. */
async function openInvoices(entries: readonly OpenEntry[]): Promise<OpenInvoices> {
  const { organisation } = request();
  const ibans = [...new Set(entries.flatMap(({ counter_iban }) => counter_iban ?? []))];
  const invoices = await query<OpenInvoice>(INVOICES, [organisation.id]);
  const payers = new Map<string, Set<string>>();
  for (const { iban, company_id } of await query<{ iban: string; company_id: string }>(PAYERS, [organisation.id, ibans]))
    payers.set(iban, (payers.get(iban) ?? new Set()).add(company_id));
  return new OpenInvoices(invoices, payers);
}

/** An entry with its proposals as of now. */
export type Proposed = StoredEntry & { proposals: Proposal[] };

/**
 * What open entries probably are as of now, the latest first. Three statements, whatever their number; it locks nothing.
 * @param ids only these entries; without them the latest 5,000 that are open
 */
async function lookedAt(ids?: readonly string[]): Promise<{ stored: StoredEntry[]; proposed: Proposed[] }> {
  if (ids?.length === 0) return { stored: [], proposed: [] };
  const stored = await query<StoredEntry>(OPEN_ENTRIES, [request().organisation.id, ids ?? null]);
  if (stored.length === 0) return { stored, proposed: [] };
  const open = await openInvoices(stored);
  const proposed: Proposed[] = [];
  for await (const entry of breathing(stored)) proposed.push({ ...entry, proposals: open.proposalsFor(entry) });
  return { stored, proposed };
}

/** What open entries probably are as of now; what is stored of them stays, so that no entry is locked before its invoices. */
export const proposalsNow = async (ids?: readonly string[]): Promise<Proposed[]> => (await lookedAt(ids)).proposed;

/** Looks again at what open entries probably are, and stores what differs. @param ids as for `lookedAt` */
export async function propose(ids?: readonly string[]): Promise<void> {
  const { stored, proposed } = await lookedAt(ids);
  const rows = proposed
    .filter(({ proposals }, index) => {
      const before = (stored[index] as StoredEntry).proposals;
      return JSON.stringify(valuesOf(proposals)) !== JSON.stringify(valuesOf(before));
    })
    .map(({ id, proposals, open_amount }) => ({ id, proposals, state: stateOf({ open_amount, ignored_as: null, proposals }) }));
  if (rows.length > 0) await query(STORE, [request().organisation.id, JSON.stringify(rows), rows.map(({ id }) => id)]);
}

/** The values without their keys, whose order PostgreSQL changes. */
const valuesOf = (proposals: readonly Proposal[]) =>
  proposals.map(({ score, exact, reasons, ignore_as, allocations }) => [
    ...[score, exact, reasons, ignore_as],
    allocations.map(({ invoice_id, amount, invoice_amount }) => [invoice_id, amount, invoice_amount]),
  ]);
