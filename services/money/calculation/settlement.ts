import { type DecimalInput, type DecimalText, decimal, formatDecimal } from "../../../core/values/money.ts";

/** What is still due of a document follows from these (money §2 "Derived"). */
export interface Balance {
  readonly total: DecimalInput;
  readonly paid_total: DecimalInput;
  /** What credit notes took off it. */
  readonly credited_total: DecimalInput;
  /** What it, as a credit note, took off its source. */
  readonly applied_total: DecimalInput;
}

/** What is still due, as text with 2 decimals; negative when there is something to pay back (money §2 "Derived"). */
export function outstandingOf({ total, paid_total, credited_total, applied_total }: Balance): DecimalText {
  return formatDecimal(decimal(total).minus(decimal(paid_total)).minus(decimal(credited_total)).plus(decimal(applied_total)));
}

/** Whether there is something to pay on a document now: an open invoice of which something is due (money §2 "Derived", §11, §13). */
export const isPayable = (document: { kind: string; status: string; outstanding: DecimalInput }): boolean =>
  document.kind === "invoice" && document.status === "open" && decimal(document.outstanding).greaterThan(0);

/**
 * Whether an issued document is paid rather than open (money §6). An invoice needs at least one payment beside a balance of nothing:
 * a credit alone never settles it. A credit note is settled when what was applied and paid back reach its total. Zero never settles.
 * @param payments how many payments are booked on it
 */
export function isSettled({ payments, ...balance }: Balance & { readonly payments: number }): boolean {
  const total = decimal(balance.total);
  if (total.isZero()) return false;
  if (total.isPositive()) return payments > 0 && !decimal(outstandingOf(balance)).greaterThan(0);
  return !total.plus(decimal(balance.applied_total)).minus(decimal(balance.paid_total)).lessThan(0);
}
