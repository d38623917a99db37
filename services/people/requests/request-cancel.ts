import { enqueue } from "../../../core/database/query.ts";
import { runHooks } from "../../../core/declare/catalogue/catalogue.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { LeaveRequestRow, LeaveTypeRow } from "../models.ts";
import type { LeaveSources } from "../sources.ts";
import type { LeaveCases } from "./leave-case.ts";
import { announce } from "./request-events.ts";
import { cancelDecision, type LeaveCase } from "./transitions.ts";

const CANCEL =
  statement(`update leave_requests set status = 'cancelled', resubmitted_at = null, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = any($2::uuid[])`);

/** A stored request with its type, as the cancel rules see it. */
export type CancellableRow = LeaveRequestRow & { readonly type: LeaveTypeRow };

/**
 * Cancels requests that the caller has checked, and records the events of the approved ones (people §6, §13). Cancelling a pending one is
 * not an event, but in-transaction hooks receive it.
 */
export async function cancel(
  rows: readonly LeaveRequestRow[],
  sources: LeaveSources,
  approvers: readonly string[],
): Promise<void> {
  if (rows.length === 0) return;
  enqueue(CANCEL, [request().organisation.id, rows.map(({ id }) => id)]);
  const approved = rows.filter(({ status }) => status === "approved");
  await announce("leave.cancelled", approved, sources, { approvers });
  const withdrawn = rows.filter(({ status }) => status === "pending").map(({ id }) => id);
  if (withdrawn.length > 0) await runHooks("leave.withdrawn", { leave_request_ids: withdrawn });
}

/** Adds a request's type. @throws Error for a missing type, which the foreign key rules out */
export function withType<R extends { readonly leave_type_id: string }>(
  row: R,
  { types }: LeaveSources,
): R & { readonly type: LeaveTypeRow } {
  const type = types.find(({ id }) => id === row.leave_type_id);
  if (type === undefined) throw new Error(`no leave type ${row.leave_type_id}`);
  return { ...row, type };
}

/**
 * Puts several requests through the ordinary cancel with all its rules; those it refuses are skipped. The caller has locked their people
 * and read the rows after that.
 * @param allows a narrower rule than the ordinary one
 */
export async function cancelRequests(
  rows: readonly LeaveRequestRow[],
  sources: LeaveSources,
  { approvers, caseOf }: LeaveCases,
  allows: (row: CancellableRow, leave: LeaveCase) => boolean = (row, leave) => cancelDecision(row, leave).allowed,
): Promise<{ cancelled: string[]; skipped: string[] }> {
  const going = rows.filter((row) => allows(withType(row, sources), caseOf(row.user_id)));
  await cancel(going, sources, approvers);
  const gone = new Set(going.map(({ id }) => id));
  return { cancelled: [...gone], skipped: rows.flatMap(({ id }) => (gone.has(id) ? [] : [id])) };
}
