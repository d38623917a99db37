import { addMonths, type IsoDate } from "../../../core/calendar/calendar.ts";
import type { DomainStatus } from "../domains/models.ts";
import { BILLABLE_STATUSES } from "./billing-answer.ts";

const MONTHS = 12;
/** The last day from which a year later is still a date. */
const LAST = "9998-12-31";

/** Whether a domain of this status is billed at all (assets §2.1). */
export const isBillable = (status: DomainStatus): boolean => (BILLABLE_STATUSES as readonly string[]).includes(status);

/** The day a year later; 29 February becomes 28 February and stays it. Past the calendar the day itself. */
export const yearAfter = (date: IsoDate): IsoDate => (date > LAST ? date : addMonths(date, MONTHS));
/** The day a year earlier, clamped to the end of the month. */
export const yearBefore = (date: IsoDate): IsoDate => (date < "0002-01-01" ? date : addMonths(date, -MONTHS));

/** The first anniversary of a start after a day, each counted from the one before, so that a clamp sticks. */
function anniversary(start: IsoDate, today: IsoDate): IsoDate {
  let next = yearAfter(start);
  while (next <= today && next <= LAST) next = yearAfter(next);
  return next;
}

/** What the default renewal date follows from. */
export interface Renewing {
  readonly start_date: IsoDate;
  /** What a register last said, null where none holds it. */
  readonly expires_on: IsoDate | null;
  /** The organisation's day. */
  readonly today: IsoDate;
}

/** The next day a domain is billed when none is said: the register's, if that is still to come, else its anniversary (assets §2.2). */
export const defaultRenewal = ({ start_date, expires_on, today }: Renewing): IsoDate =>
  expires_on !== null && expires_on > today ? expires_on : anniversary(start_date, today);

/** A date as a body has it: undefined is "not sent". */
type Sent = IsoDate | null | undefined;

/** What a create stores, null where the default is to be looked up; undefined then. */
export function createdRenewal(sent: Sent, status: DomainStatus): IsoDate | null | "default" {
  if (!isBillable(status)) return null;
  return sent ?? "default";
}

/**
 * What an update stores of the renewal date, by the table of assets §2.2: `default` where it is to be computed anew.
 * @param before the stored date
 * @param status the status after the update
 * @returns undefined where it is left alone
 */
export function changedRenewal(sent: Sent, before: IsoDate | null, status: DomainStatus): IsoDate | null | "default" | undefined {
  if (sent !== undefined && sent !== null) return sent;
  const stays = sent === undefined ? before : null;
  if (stays === null && isBillable(status)) return "default";
  return sent;
}
