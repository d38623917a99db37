import { emitAll } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { holidaysOf } from "../holidays/expected-holidays.ts";
import type { LeaveSources } from "../sources.ts";
import { spanCost } from "../working-time/span-cost.ts";
import { type EventRequest, leavePayload, notifiedBy } from "./leave-events.ts";
import type { LeaveEvent } from "./transitions.ts";

/** The approvers to notify, and whether one of them decided. */
export interface DecisionAudience {
  /** Active members who may decide on leave. */
  readonly approvers: readonly string[];
  /** Whether an approver decided; automatically approved leave notifies no one. */
  readonly decided?: boolean;
}

/**
 * Records one event for one or more written requests, with its recipients: approvers for pending leave, the requester for a decision, never
 * the actor (people §13).
 */
export async function announce(
  event: LeaveEvent,
  requests: readonly EventRequest[],
  sources: LeaveSources,
  { approvers, decided = false }: DecisionAudience,
): Promise<void> {
  const holidays = await holidaysOf(requests, sources);
  const actor = request().principal?.accountId ?? null;
  const events = requests.map((leave) => {
    const notified = { approvers: approvers.filter((id) => id !== leave.user_id), requester: [leave.user_id], nobody: [] };
    const recipients = notified[notifiedBy(event, decided)].filter((id) => id !== actor);
    const { days, ...payload } = leavePayload(event, leave, spanCost(leave, sources.person(leave.user_id), holidays));
    return { entityId: leave.id, payload: { ...payload, recipients, ...(days && { days: [...days] }) } };
  });
  emitAll(event, "leave_request", events);
}
