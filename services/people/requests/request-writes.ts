import { differences, queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { reaches } from "../../../core/values/scope.ts";
import { leaveCaller, refuseWith } from "../callers.ts";
import { expectedHolidays } from "../holidays/expected-holidays.ts";
import { LeaveRequestModel, type LeaveRequestRow } from "../models.ts";
import { lockPeople } from "../person-lock.ts";

import { noteOf, personOfBody } from "../sent.ts";
import { type LeaveSources, loadSources, type Person } from "../sources.ts";
import { hoursText } from "../working-time/hours.ts";
import type { Span } from "../working-time/span-cost.ts";
import { askedSpan, editDecision, editedSpan } from "./edit.ts";
import { loadCases } from "./leave-case.ts";
import { cancel, withType } from "./request-cancel.ts";
import { announce } from "./request-events.ts";
import type { LeaveRequestCreate, LeaveRequestDecision, LeaveRequestUpdate } from "./request-schemas.ts";
import {
  approvalDecision,
  cancelDecision,
  creationDecision,
  type LeaveCalendar,
  overrideAllowed,
  type PricedSpan,
} from "./transitions.ts";

/** A type by id, including inactive ones; null if unknown. */
export const typeIn = ({ types }: LeaveSources, id: string) => types.find((type) => type.id === id.toLowerCase()) ?? null;

/** The data to price and check a person's leave from `start_date` through `end_date`. */
async function calendarOf(sources: LeaveSources, person: Person, { start_date, end_date }: Span): Promise<LeaveCalendar> {
  const { reads, user_id: caller } = leaveCaller();
  return {
    person,
    holidays: await expectedHolidays(sources, start_date, end_date),
    requests: person.bookings,
    shown: reaches(reads, caller, person.user_id),
  };
}

/** @throws 422 for an agreed number that rounds to zero */
function agreedHours<H extends string | number | null | undefined>(hours: H): H {
  if (hours !== null && hours !== undefined && !overrideAllowed(hoursText(hours)))
    throw invalid({ hours_override: "errors.validation" });
  return hours;
}

/** The columns of a priced span. */
const priceColumns = ({ hours, hours_override, hours_override_by_user_id, window }: PricedSpan) => ({
  hours,
  hours_override,
  hours_override_by_user_id,
  ...window,
});

/**
 * Stores a new request and records its event (people §6, "Create").
 * @returns its id
 * @throws 403, 404, 409, 422 of the rules, in their order
 */
export async function createRequest(body: Static<typeof LeaveRequestCreate>): Promise<string> {
  const user_id = personOfBody(body.user_id);
  const hours_override = agreedHours(body.hours_override) ?? null;
  lockPeople([user_id]);
  const sources = await loadSources({ users: [user_id], ledger: true });
  const { approvers, caseOf } = await loadCases(sources);
  const person = sources.person(user_id);
  // A non-member is refused like an unknown type: 404, after the caller's permissions.
  const type = person.member ? typeIn(sources, body.leave_type_id) : null;
  const span = askedSpan(body);
  const calendar = await calendarOf(sources, person, span);
  const made = creationDecision({ span, type, hours_override }, caseOf(user_id), calendar);
  if (!made.allowed) refuseWith(made.refusal);
  const values = { user_id, leave_type_id: body.leave_type_id.toLowerCase(), ...span, hours: made.hours };
  const id = queueInsert(LeaveRequestModel, { ...values, ...priceColumns(made), status: made.status, note: noteOf(body.note) });
  await announce(made.event, [{ id, ...values }], sources, { approvers });
  return id;
}

/** Updates a locked request, re-prices it and records its event (people §6, "PATCH"). */
export async function changeRequest(row: LeaveRequestRow, body: Static<typeof LeaveRequestUpdate>): Promise<void> {
  agreedHours(body.hours_override);
  const sources = await loadSources({ users: [row.user_id], ledger: true });
  const { approvers, caseOf } = await loadCases(sources);
  const type = typeIn(sources, body.leave_type_id ?? row.leave_type_id);
  const calendar = await calendarOf(sources, sources.person(row.user_id), editedSpan(row, body));
  const edited = editDecision(row, body, type, caseOf(row.user_id), calendar);
  if (!edited.allowed) refuseWith(edited.refusal);
  const after = {
    leave_type_id: type?.id,
    ...edited.span,
    ...priceColumns(edited),
    status: edited.status,
    ...("note" in body && { note: noteOf(body.note) }),
    ...(edited.bounced && {
      decided_by_user_id: null,
      decided_at: null,
      decision_note: null,
      resubmitted_at: new Date().toISOString(),
    }),
  };
  const changed = differences(row, after);
  if (!changed) return;
  queueUpdate(LeaveRequestModel, row.id, changed);
  const announced = { ...row, ...edited.span, leave_type_id: type?.id ?? row.leave_type_id, hours: edited.hours };
  if (edited.event !== null) await announce(edited.event, [announced], sources, { approvers });
}

/** Approves or rejects a locked request (people §6, "Transitions"). Needs no read scope and has no past lock. */
export async function decideRequest(row: LeaveRequestRow, body: Static<typeof LeaveRequestDecision>): Promise<void> {
  const sources = await loadSources({ users: [row.user_id] });
  const { approvers, caseOf } = await loadCases(sources);
  const decided = approvalDecision(body.approved, row.status, caseOf(row.user_id));
  if (!decided.allowed) refuseWith(decided.refusal);
  queueUpdate(LeaveRequestModel, row.id, {
    status: decided.status,
    decided_by_user_id: request().principal?.accountId ?? null,
    decided_at: new Date().toISOString(),
    decision_note: noteOf(body.note),
    resubmitted_at: null,
  });
  await announce(decided.event, [row], sources, { approvers, decided: true });
}

/** Cancels a locked request (people §6, "Transitions"). @throws 404, 403, 409 of the rules, in their order */
export async function cancelRequest(row: LeaveRequestRow): Promise<void> {
  const sources = await loadSources({ users: [row.user_id] });
  const { approvers, caseOf } = await loadCases(sources);
  const decision = cancelDecision(withType(row, sources), caseOf(row.user_id));
  if (!decision.allowed) refuseWith(decision.refusal);
  await cancel([row], sources, approvers);
}
