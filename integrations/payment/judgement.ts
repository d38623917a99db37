import { dateIn } from "../../core/calendar/calendar.ts";
import { decimal, formatAmount } from "../../core/values/money.ts";
import type { PaymentIntentRow, PaymentIntentStatus, PaymentMode } from "./models.ts";
import type { ProviderPayment } from "./provider.ts";

/** Statuses after which no payment can follow. */
const FINAL: ReadonlySet<PaymentIntentStatus> = new Set(["paid", "failed", "expired", "canceled"]);

/** Whether an attempt can no longer be paid. */
export const isFinal = (status: PaymentIntentStatus): boolean => FINAL.has(status);

/** A received payment to book. */
export interface Arrival {
  /** Decimal text with 2 decimals. */
  amount: string;
  /** In the organisation's time zone. */
  paid_on: string;
}

/** The new values of an attempt. */
export interface Judgement {
  status: PaymentIntentStatus;
  method: string | null;
  mode: PaymentMode;
  checkout_url: string | null;
  last_error: string | null;
  payload: Record<string, unknown>;
  arrival: Arrival | null;
}

/** The invoice of an attempt. */
export interface JudgedInvoice {
  status: "draft" | "open" | "paid" | "cancelled";
}

interface Facts {
  /** The attempt, read under its lock. */
  attempt: Pick<PaymentIntentRow, "status" | "mode" | "method" | "currency" | "checkout_url" | "settled_at" | "version">;
  /** The attempt's version when the provider was asked. */
  askedAt: number;
  fetched: ProviderPayment;
  invoice: JudgedInvoice;
  zone: string;
  /** ISO instant. */
  now: string;
}

/**
 * The values of an attempt after a provider's answer, with the money to book, if any (money §11, "Re-fetch"). Null when a later answer is
 * already stored and this one is out of date.
 */
export function judged({ attempt, askedAt, fetched, invoice, zone, now }: Facts): Judgement | null {
  const { status } = fetched;
  const isOvertaken = attempt.version !== askedAt && isFinal(attempt.status) && !isFinal(status);
  if (isOvertaken) return null;
  const mode = fetched.mode ?? attempt.mode;
  const outcome = attempt.settled_at === null ? outcomeOf(fetched, mode, attempt.currency, invoice) : null;
  return {
    status,
    method: fetched.method ?? attempt.method,
    mode,
    checkout_url: isFinal(status) ? null : (fetched.checkoutUrl ?? attempt.checkout_url),
    last_error: outcome && "reason" in outcome ? outcome.reason : fetched.failure,
    payload: { ...fetched.extract },
    arrival: outcome && "amount" in outcome ? { amount: outcome.amount, paid_on: dateIn(zone, fetched.paidAt ?? now) } : null,
  };
}

/** The amount to book, or the reason not to book a paid attempt; null when it is unpaid or a test. */
function outcomeOf(
  { status, amount }: ProviderPayment,
  mode: PaymentMode,
  currency: string,
  invoice: Facts["invoice"],
): { amount: string } | { reason: string } | null {
  if (status !== "paid" || mode === "test") return null;
  if (!amount || !decimal(amount.value).greaterThan(0)) return { reason: "paid, but the provider reports no amount" };
  if (amount.currency !== currency) return { reason: `paid in ${amount.currency} instead of ${currency}: not booked` };
  if (invoice.status !== "open" && invoice.status !== "paid")
    return { reason: `paid, but the invoice is ${invoice.status}: not booked` };
  return { amount: formatAmount(amount.value) };
}
