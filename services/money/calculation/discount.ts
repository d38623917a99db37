import { addDaysWithin, daysBetween, earlier, type IsoDate } from "../../../core/calendar/dates.ts";
import { formatRounded } from "../../../core/values/currencies.ts";
import { type DecimalInput, type DecimalText, decimal, formatDecimal } from "../../../core/values/money.ts";

/** What a client may deduct who pays early: percent of the total, within a number of days from the invoice date. */
export interface PaymentDiscount {
  /** Text with 2 decimals: `"2.00"` is 2 %. 0 is none, where another level has one. */
  readonly percent: DecimalText;
  readonly days: number;
}

/** A discount as sent. */
export interface SentDiscount {
  readonly percent: DecimalInput;
  readonly days: number;
}

/** The most days of a discount. */
export const MOST_DISCOUNT_DAYS = 365;

/** The discount that a row stores. */
export function sentDiscount<T extends SentDiscount | null | undefined>(sent: T): PaymentDiscount | Extract<T, null | undefined> {
  if (!sent) return sent as Extract<T, null | undefined>;
  return { percent: formatDecimal(sent.percent), days: sent.days };
}

/** The discount on an amount, rounded once to the minor unit of its currency (money §6.1). */
export const discountOn = (total: DecimalInput, percent: DecimalInput, currency: string): DecimalText =>
  formatRounded(decimal(total).times(decimal(percent)).dividedBy(100), currency);

/** The columns of an invoice that promises a discount, or none. */
export interface PromisedDiscount {
  payment_discount: PaymentDiscount | null;
  discount_until: IsoDate | null;
  discount_amount: DecimalText | null;
  discount_left: DecimalText;
}

export const NO_DISCOUNT: PromisedDiscount = {
  payment_discount: null,
  discount_until: null,
  discount_amount: null,
  discount_left: "0.00" as DecimalText,
};

/** An invoice at its issue. */
export interface DiscountedInvoice {
  readonly total: DecimalInput;
  readonly currency: string;
  readonly issue_date: IsoDate;
  readonly due_date: IsoDate;
}

/**
 * The discount that an invoice promises at its issue: amount and last day, computed once (money §6.1). The term ends on the due date at the
 * latest. None without percent, and for a total of zero or less.
 */
export function promisedDiscount(discount: PaymentDiscount | null, invoice: DiscountedInvoice): PromisedDiscount {
  const { total, currency, issue_date, due_date } = invoice;
  if (discount === null || !decimal(total).greaterThan(0)) return NO_DISCOUNT;
  const amount = discountOn(total, discount.percent, currency);
  if (!decimal(amount).greaterThan(0)) return NO_DISCOUNT;
  const until = earlier(addDaysWithin(issue_date, discount.days), due_date);
  const days = daysBetween(issue_date, until);
  if (days < 0) return NO_DISCOUNT;
  return {
    payment_discount: { percent: discount.percent, days },
    discount_until: until,
    discount_amount: amount,
    discount_left: amount,
  };
}

/** What of the discount is left once credit notes took something off: the same percentage of the rest (money §6.1). */
export const discountLeft = (total: DecimalInput, credited: DecimalInput, percent: DecimalInput, currency: string): DecimalText =>
  discountOn(decimal(total).minus(decimal(credited)), percent, currency);

/** An invoice with its payments, once the newest one is booked. */
export interface PaidInvoice {
  readonly outstanding: DecimalInput;
  readonly discount_left: DecimalInput;
  readonly discount_until: IsoDate | null;
  /** The latest day of its payments. */
  readonly paid_until: IsoDate;
}

/**
 * The discount that a payment takes: all that is still outstanding, if that is no more than the discount and every payment came in time; else
 * `"0.00"` (money §6.1).
 */
export function discountTaken({ outstanding, discount_left, discount_until, paid_until }: PaidInvoice): DecimalText {
  const rest = decimal(outstanding);
  const isTaken =
    discount_until !== null && paid_until <= discount_until && rest.greaterThan(0) && !rest.greaterThan(decimal(discount_left));
  return formatDecimal(isTaken ? rest : 0);
}
