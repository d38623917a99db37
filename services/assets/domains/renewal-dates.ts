import { addMonths, type IsoDate } from "../../../core/calendar/calendar.ts";
import { BILLABLE_STATUSES } from "./billing-answer.ts";
import type { DomainStatus } from "./models.ts";

const MONTHS = 12;
/** The last day with a valid date one year later. */
const LAST = "9998-12-31";

/** Whether a domain of this status is billable (assets §2.1). */
export const isBillable = (status: DomainStatus): boolean => (BILLABLE_STATUSES as readonly string[]).includes(status);

/** The day one year later; 29 February becomes 28 February and stays so. Beyond the calendar, the day itself. */
export const yearAfter = (date: IsoDate): IsoDate => (date > LAST ? date : addMonths(date, MONTHS));
/** The day one year earlier, clamped to the end of the month. */
export const yearBefore = (date: IsoDate): IsoDate => (date < "0002-01-01" ? date : addMonths(date, -MONTHS));

/** The first anniversary of a start after a day, each counted from the previous one so that a clamp persists. */
function anniversary(start: IsoDate, today: IsoDate): IsoDate {
  let next = yearAfter(start);
  while (next <= today && next <= LAST) next = yearAfter(next);
  return next;
}

/** The inputs of the default renewal date. */
export interface Renewing {
  readonly start_date: IsoDate;
  /** The expiry last reported by a register; null without a register. */
  readonly expires_on: IsoDate | null;
  /** Today in the organisation's zone. */
  readonly today: IsoDate;
}

/** The next billing day if none is set: the register's expiry if it is in the future, else the next anniversary (assets §2.2). */
export const defaultRenewal = ({ start_date, expires_on, today }: Renewing): IsoDate =>
  expires_on !== null && expires_on > today ? expires_on : anniversary(start_date, today);

/** A date in a body; undefined means "not sent". */
type SentDate = IsoDate | null | undefined;

/** The renewal date a create stores: null if not billable, else the sent one, else `default`, which means look it up. */
export function createdRenewal(sent: SentDate, status: DomainStatus): IsoDate | null | "default" {
  if (!isBillable(status)) return null;
  return sent ?? "default";
}

/**
 * The renewal date an update stores, by the table of assets §2.2; `default` means recompute it.
 * @param before the stored date
 * @param status the status after the update
 * @returns undefined to leave it unchanged
 */
export function changedRenewal(
  sent: SentDate,
  before: IsoDate | null,
  status: DomainStatus,
): IsoDate | null | "default" | undefined {
  if (sent !== undefined && sent !== null) return sent;
  const stays = sent === undefined ? before : null;
  if (stays === null && isBillable(status)) return "default";
  return sent;
}
