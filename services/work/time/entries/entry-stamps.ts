import { query } from "../../../../core/database/query.ts";
import { emitAll } from "../../../../core/jobs/outbox.ts";
import { callerId } from "../../../../core/request/caller.ts";
import { request } from "../../../../core/request/context.ts";
import { type Statement, statement } from "../../../../core/sql/statement.ts";
import { trailAll } from "../../../../core/trail/trail.ts";
import { throughTaskOfStaff } from "../../visibility.ts";
import { entriesOfClient } from "../entry-visibility.ts";
import { requireUnbilled } from "./billed-entries.ts";

/** A state that many entries can be set to at once. */
export type Stamp = "approved" | "unapproved" | "invoiced" | "uninvoiced";

const APPROVED = "approved_at = coalesce(t.approved_at, statement_timestamp())";
const BY_CALLER = "approved_by_user_id = case when t.approved_at is null then $4::uuid else t.approved_by_user_id end";
/** The entries that a stamp changes, and the columns it sets (work chapter §4.4). */
const STAMPS: Readonly<Record<Stamp, { on: string; set: string }>> = {
  approved: { on: "t.approved_at is null", set: `${APPROVED}, ${BY_CALLER}` },
  unapproved: { on: "t.approved_at is not null", set: "approved_at = null, approved_by_user_id = null, invoiced_at = null" },
  invoiced: { on: "t.invoiced_at is null", set: `invoiced_at = statement_timestamp(), ${APPROVED}, ${BY_CALLER}` },
  uninvoiced: { on: "t.invoiced_at is not null", set: "invoiced_at = null" },
};

/** Locks rows in the order of their ids, so that of two overlapping sets one waits for the other. */
const compiled = ({ on, set }: { on: string; set: string }, seen: string): Statement =>
  statement(`with found as materialized (select t.id, t.approved_at is null as is_open from time_entries t
      where t.organisation_id = $1 and t.id = any($2::uuid[]) and t.ended_at is not null and ${on} and ($3::uuid[] is null or ${seen})
      order by t.id for update)
    update time_entries t set ${set}, version = t.version + 1, updated_at = statement_timestamp()
      from found f where t.organisation_id = $1 and t.id = f.id
    returning t.id, t.user_id, t.minutes, f.is_open`);
const STATEMENTS = Object.fromEntries(
  Object.entries(STAMPS).map(([stamp, rule]) => [
    stamp,
    { staff: compiled(rule, throughTaskOfStaff("$3::uuid[]")), client: compiled(rule, entriesOfClient("$3::uuid[]")) },
  ]),
) as Record<Stamp, { staff: Statement; client: Statement }>;

interface Stamped {
  id: string;
  user_id: string;
  minutes: number;
  /** Whether it was unapproved before. */
  is_open: boolean;
}

/** Notifies each owner of newly approved entries, once. */
function notifyOwners(entries: readonly Stamped[]): void {
  const events = [...Map.groupBy(entries, ({ user_id }) => user_id)].map(([user_id, own]) => {
    const minutes = own.reduce((total, one) => total + one.minutes, 0);
    return { entityId: user_id, payload: { user_id, count: own.length, minutes, recipients: [user_id] } };
  });
  emitAll("time.entry_approved", "timesheet", events);
}

/**
 * Approves or invoices entries by id, or reverts that, with a trail line each (work chapter §4.4). Skips ids of running entries, of other
 * organisations and outside the caller's selection, and entries already in that state. Invoicing also approves.
 * @returns the number of changed entries
 * @throws 409 `errors.time_entry_invoiced` for reverting approval or invoicing of entries billed by an issued document
 */
export async function stampEntries(stamp: Stamp, ids: readonly string[]): Promise<number> {
  const { organisation, principal } = request();
  const text = STATEMENTS[stamp][principal?.isClientLogin ? "client" : "staff"];
  const isApproval = stamp === "approved" || stamp === "invoiced";
  const values = [organisation.id, ids, principal?.selection ?? null, ...(isApproval ? [callerId()] : [])];
  const changed = await query<Stamped>(text, values);
  if (changed.length === 0) return 0;
  if (!isApproval) await requireUnbilled(changed.map(({ id }) => id));
  trailAll(
    "time_entry",
    changed.map(({ id }) => id),
    stamp,
  );
  if (isApproval) notifyOwners(changed.filter(({ is_open }) => is_open));
  return changed.length;
}
