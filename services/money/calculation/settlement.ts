import { type DecimalInput, type DecimalText, decimal, formatDecimal } from "../../../core/values/money.ts";

/** The amounts that determine what is still due on a document (money §2 "Derived"). */
export interface Balance {
  readonly total: DecimalInput;
  readonly paid_total: DecimalInput;
  /** The amount taken off by credit notes. */
  readonly credited_total: DecimalInput;
  /** The amount that the document, as a credit note, took off its source. */
  readonly applied_total: DecimalInput;
}

/** The amount still due, as text with 2 decimals; negative for an amount to pay back (money §2 "Derived"). */
export function outstandingOf({ total, paid_total, credited_total, applied_total }: Balance): DecimalText {
  return formatDecimal(decimal(total).minus(decimal(paid_total)).minus(decimal(credited_total)).plus(decimal(applied_total)));
}

/**
 * Whether an issued document is paid rather than open (money §6). An invoice needs a payment as well as no amount due: a credit alone never
 * settles it. A credit note is settled when the applied and paid-back amounts reach its total. Zero never settles.
 * @param payments the number of its payments
 */
export function isSettled({ payments, ...balance }: Balance & { readonly payments: number }): boolean {
  const total = decimal(balance.total);
  if (total.isZero()) return false;
  if (total.isPositive()) return payments > 0 && !decimal(outstandingOf(balance)).greaterThan(0);
  return !total.plus(decimal(balance.applied_total)).minus(decimal(balance.paid_total)).lessThan(0);
}
