import { daysBetween, type IsoDate } from "../../../core/calendar/calendar.ts";
import { addressesOf, joinedAddresses } from "../../../core/mail/addresses.ts";
import type { MailValue } from "../../../core/mail/mail.ts";
import { isOneRecipient } from "../../../core/mail/mail.ts";
import { formatIn } from "../../../core/values/currencies.ts";
import { decimal } from "../../../core/values/money.ts";
import { isPayable } from "../../../mixins/payments/payable.ts";
import type { DocumentRow } from "../rendering/document-rows.ts";
import type { invoicingMails } from "./mails.ts";

export type InvoicingMail = keyof typeof invoicingMails;
/** The fields of a document that its mail uses; amounts are text with 2 decimals. */
export type MailedDocument = Pick<
  Extract<DocumentRow, { document: "invoice" }>,
  | "id"
  | "kind"
  | "status"
  | "number"
  | "customer"
  | "reference"
  | "locale"
  | "issue_date"
  | "due_date"
  | "currency"
  | "total"
  | "discount_until"
  | "discount_left"
> &
  Pick<DocumentRow, "brand" | "outstanding" | "online" | "public_links" | "public_token" | "base">;
export type MailedQuote = Extract<DocumentRow, { document: "quote" }>;

/** `2026-06-01` as `01-06-2026`; null stays null. */
export const day = (date: IsoDate | null): string | null => (date === null ? null : date.split("-").reverse().join("-"));

/** An amount in mails, with the currency's number of decimals: `EUR 12.50`, `JPY 1210` (money §0, §13). */
export const money = (amount: string, currency: string): string => `${currency} ${formatIn(amount, currency)}`;

/** Days past the due date; 0 on it, before it, and without one (money §13). */
export const daysLate = (dueDate: IsoDate | null, today: IsoDate): number =>
  dueDate === null ? 0 : Math.max(0, daysBetween(dueDate, today));

/** Whether an invoice can be paid online now: only then does its mail have a link (money §13). */
export const isCollectable = (invoice: MailedDocument): boolean => invoice.online && isPayable(invoice);

/** The target of a mail's link: a page of the service, never a checkout. */
export const pageOf = ({ id }: Pick<MailedDocument, "id">, token: string | null): string =>
  token === null ? `/invoices/${id}` : `/invoice/${token}`;

/**
 * The recipients of a document's mail: the distinct addresses of the first text that contains any; empty if one of them is not a valid
 * recipient (money §2 "Bill-to").
 * @param texts in order of precedence, each with one or several addresses
 */
export function recipientsOf(...texts: readonly (string | null | undefined)[]): string[] {
  const first = texts.map(addressesOf).find(({ length }) => length > 0) ?? [];
  return first.every(isOneRecipient) ? first : [];
}

/** The trail payload of an accepted mail: its recipients, and those that the mail server refused. */
export function sentTo(recipients: readonly string[], refused: readonly string[] = []): SentTo {
  const to = joinedAddresses(recipients.filter((address) => !refused.includes(address)));
  return refused.length > 0 ? { to, refused: joinedAddresses(refused) } : { to };
}

export interface SentTo {
  /** The recipients, separated by `, `. */
  to: string;
  /** Recipients that the mail server refused; absent when it accepted all. */
  refused?: string;
}

const common = ({ number, customer, currency, total, issue_date, reference }: MailedDocument | MailedQuote) => ({
  number,
  company: customer.trade_name || customer.name || null,
  contact: customer.attn ?? null,
  total: money(total, currency),
  date: day(issue_date),
  reference,
});

/** The state of an invoice's balance in mails; null when the mail asks for a payment. */
function balanceOf({ kind, status, outstanding }: MailedDocument): "refund" | "set_off" | "paid" | "settled" | null {
  const due = decimal(outstanding);
  if (kind === "credit_note") return due.isNegative() ? "refund" : "set_off";
  if (due.greaterThan(0)) return null;
  return status === "paid" ? "paid" : "settled";
}

/** The discount for early payment that an invoice still has, its last day, and what is to be paid by then; null without one. */
function discountValues(invoice: MailedDocument, today: IsoDate): Record<string, MailValue> {
  const { discount_left, discount_until, outstanding, currency, status } = invoice;
  const rest = decimal(outstanding).minus(decimal(discount_left));
  const has = status === "open" && discount_until !== null && discount_until >= today;
  if (!has || decimal(discount_left).isZero() || !rest.greaterThan(0))
    return { discount: null, discount_until: null, discounted: null };
  return {
    discount: money(discount_left, currency),
    discount_until: day(discount_until),
    discounted: money(rest.toFixed(2), currency),
  };
}

/** The values for texts of an invoice's mail, besides `brand`, `name` and `link` (money §13). */
export const invoiceValues = (invoice: MailedDocument, today: IsoDate): Record<string, MailValue> => ({
  ...common(invoice),
  ...discountValues(invoice, today),
  due_date: day(invoice.due_date),
  outstanding: decimal(invoice.outstanding).greaterThan(0) ? money(invoice.outstanding, invoice.currency) : null,
  refund: decimal(invoice.outstanding).isNegative()
    ? money(decimal(invoice.outstanding).negated().toFixed(2), invoice.currency)
    : null,
  state: balanceOf(invoice),
});

/** The same for a reminder: the amount due and the days past the due date. */
export const reminderValues = (invoice: MailedDocument, today: IsoDate): Record<string, MailValue> => ({
  ...common(invoice),
  due_date: day(invoice.due_date),
  outstanding: money(invoice.outstanding, invoice.currency),
  days: daysLate(invoice.due_date, today),
});

/** The same for a quote. */
export const quoteValues = (quote: MailedQuote): Record<string, MailValue> => ({
  ...common(quote),
  valid_until: day(quote.valid_until),
});
