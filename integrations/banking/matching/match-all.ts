import { columns } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { decimal } from "../../../core/values/money.ts";
import { BankEntry, type BankEntryRow } from "../models.ts";
import { bookEntry, lockInvoices, openOf } from "./booking.ts";
import type { Proposal, ProposedAllocation } from "./proposal.ts";
import { type Proposed, proposalsNow } from "./proposing.ts";

/** Most entries that one call books. */
export const MOST_AT_ONCE = 200;

const LOCK_ENTRIES = statement(`select ${columns(BankEntry)} from bank_entries
  where organisation_id = $1 and id = any($2::uuid[]) order by id for update`);
const OUTSTANDING = statement(
  "select id, outstanding::text as outstanding, status from invoices where organisation_id = $1 and id = any($2::uuid[])",
);

/** An entry that is booked, or would be. */
export interface Chosen {
  entry: Proposed;
  proposal: Proposal;
}

/** The proposals that may be confirmed together. */
export interface Choice {
  chosen: Chosen[];
  /** Entries whose invoices another chosen entry pays already, and those beyond the most of one call. */
  leftOut: number;
}

/** The best proposal of an entry, if nothing else does as well and it pays invoices in full. */
function bestOf({ proposals }: Proposed, isAccepted: (proposal: Proposal) => boolean): Proposal | null {
  const [best, next] = proposals;
  if (!best || best.allocations.length === 0 || !isAccepted(best)) return null;
  return next && next.score >= best.score ? null : best;
}

/** Chooses the entries to book: each invoice for one entry, the oldest entry first. */
export function choose(entries: readonly Proposed[], isAccepted: (proposal: Proposal) => boolean): Choice {
  const taken = new Set<string>();
  const chosen: Chosen[] = [];
  let leftOut = 0;
  // `proposalsNow` gives the latest first.
  for (const entry of entries.toReversed()) {
    const proposal = bestOf(entry, isAccepted);
    if (!proposal) continue;
    const ids = proposal.allocations.map(({ invoice_id }) => invoice_id);
    if (chosen.length >= MOST_AT_ONCE || ids.some((id) => taken.has(id))) leftOut += 1;
    else {
      for (const id of ids) taken.add(id);
      chosen.push({ entry, proposal });
    }
  }
  return { chosen, leftOut };
}

/** Whether an invoice still has what a proposal was made for, now that it is locked. */
const stillFits = (outstanding: string | undefined, { invoice_amount }: ProposedAllocation): boolean => {
  if (outstanding === undefined) return false;
  const due = decimal(outstanding);
  const part = decimal(invoice_amount);
  return due.isNegative() === part.isNegative() && !part.abs().greaterThan(due.abs());
};

/**
 * Books the chosen entries. An entry or invoice that another request has changed meanwhile is left out.
 * @returns ids of the booked entries
 */
export async function bookChosen(chosen: readonly Chosen[]): Promise<string[]> {
  if (chosen.length === 0) return [];
  const { organisation } = request();
  const invoiceIds = [...new Set(chosen.flatMap(({ proposal }) => proposal.allocations.map(({ invoice_id }) => invoice_id)))];
  const invoices = await lockInvoices(invoiceIds);
  const entries = await query<BankEntryRow>(LOCK_ENTRIES, [organisation.id, chosen.map(({ entry }) => entry.id)]);
  const rows = new Map(entries.map((row) => [row.id, row]));
  const now = await query<{ id: string; outstanding: string; status: string }>(OUTSTANDING, [organisation.id, invoiceIds]);
  const due = new Map(now.filter(({ status }) => status === "open" || status === "paid").map((row) => [row.id, row.outstanding]));
  const booked: string[] = [];
  for (const { entry, proposal } of chosen) {
    const row = rows.get(entry.id);
    const isOpen = row && row.ignored_as === null && openOf(row).equals(decimal(entry.open_amount));
    if (!isOpen || !proposal.allocations.every((one) => stillFits(due.get(one.invoice_id), one))) continue;
    await bookEntry(row, proposal.allocations, invoices);
    booked.push(row.id);
  }
  return booked;
}

/** Books the entries among these that are exact: number, amount and account of the client agree. @returns how many */
export async function matchExactly(ids: readonly string[]): Promise<number> {
  const { chosen } = choose(await proposalsNow(ids), ({ exact }) => exact);
  return (await bookChosen(chosen)).length;
}
