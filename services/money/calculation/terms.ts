import { addDaysWithin, earlier, endOf, type IsoDate } from "../../../core/calendar/dates.ts";
import { invalid } from "../../../core/errors/errors.ts";

/** The day from which the days of a payment term count. */
export const DUE_BASES = ["invoice_date", "end_of_month", "day_of_next_month"] as const;
export type DueBasis = (typeof DUE_BASES)[number];

/** When a client has to pay: a number of days, and from which day they count. */
export interface PaymentTerms {
  readonly days: number;
  readonly basis: DueBasis;
}

/** Terms as sent; without a basis they count from the date of the document. */
export interface SentTerms {
  readonly days: number;
  readonly basis?: DueBasis | undefined;
}

/** The most days of a term. */
export const MOST_DUE_DAYS = 365;
/** The last day that a month can have. */
const LAST_OF_MONTH = 31;

/**
 * The due date of a document (money §4 "Due date"): days after its date, days after the end of its month, or that day of the next month. A
 * day that the next month lacks is its last one.
 * @param issued the date of the document
 */
export function dueDate(issued: IsoDate, { days, basis }: PaymentTerms): IsoDate {
  if (basis === "invoice_date") return addDaysWithin(issued, days);
  const monthEnd = endOf("month", issued);
  if (basis === "end_of_month") return addDaysWithin(monthEnd, days);
  const first = addDaysWithin(monthEnd, 1);
  return earlier(addDaysWithin(first, Math.max(days, 1) - 1), endOf("month", first));
}

/** Whether terms name the last day of the next month. */
export const isLastOfNextMonth = ({ days, basis }: PaymentTerms): boolean =>
  basis === "day_of_next_month" && days >= LAST_OF_MONTH;

/**
 * Requires that a day of the next month is a day of a month.
 * @param field the name of the field with the days
 * @throws 422 on that field
 */
export function requireDayOfMonth({ days, basis }: PaymentTerms, field: string): void {
  if (basis === "day_of_next_month" && (days < 1 || days > LAST_OF_MONTH)) throw invalid({ [field]: "errors.validation" });
}

/**
 * The terms that a document stores.
 * @throws 422 `days` for a day of the next month that no month has
 */
export function sentTerms<T extends SentTerms | null | undefined>(sent: T): PaymentTerms | Extract<T, null | undefined> {
  if (!sent) return sent as Extract<T, null | undefined>;
  const terms = { days: sent.days, basis: sent.basis ?? "invoice_date" };
  requireDayOfMonth(terms, "days");
  return terms;
}
