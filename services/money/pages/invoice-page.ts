import type { Decimal } from "decimal.js";
import { daysBetween, type IsoDate } from "../../../core/calendar/calendar.ts";
import { button, form, notice } from "../../../core/pages/elements.ts";
import { type Html, html } from "../../../core/pages/html.ts";
import type { PageMade } from "../../../core/pages/page.ts";
import { type DecimalInput, decimal } from "../../../core/values/money.ts";
import { day, iban, money } from "../rendering/texts/formats.ts";
import { type PageTexts, textsOf } from "./page-texts.ts";
import { type Payment, paymentNews } from "./payment-state.ts";
import type { BankAccount } from "./seller.ts";

/** The fields of an invoice on its page. */
export interface ShownInvoice {
  kind: string;
  number: string;
  status: string;
  customer_name: string;
  issue_date: string | null;
  due_date: string | null;
  currency: string;
  locale: string;
  total: string;
  paid_total: string;
  outstanding: string;
  discount_until: string | null;
  /** What is to be paid today with the discount for early payment deducted; null without one. */
  discounted: string | null;
  /** Whether the visitor can pay it online now. */
  payable: boolean;
}

/** The context of the page. */
interface Surroundings {
  /** The organisation's display name. */
  seller: string;
  /** Where a bank transfer goes; null if the organisation names no account. */
  account: BankAccount | null;
  /** The page's own path. */
  path: string;
  /** The document's path in the API; `/preview` and `/pdf` are below it. */
  document: string;
  payment: Payment;
  /** The organisation's day. */
  today: IsoDate;
  /** See `paymentNews`. */
  round: number | null;
  /** The code and status of the API's refusal when the visitor tried to pay. */
  refused?: { code: string; status: number };
}

/** The state of an invoice in words, with the days overdue and the effect of credits (money §12). */
function stateOf({ kind, status, due_date, outstanding, total, paid_total }: ShownInvoice, today: IsoDate, t: PageTexts): string {
  const due = decimal(outstanding);
  if (kind === "credit_note" && status !== "cancelled") return status === "paid" || due.isZero() ? t.note_settled : t.note_open;
  if (status !== "open") return t.states[status] ?? status;
  if (!due.greaterThan(0))
    return decimal(total).minus(paid_total).greaterThan(outstanding) ? t.fully_credited : (t.states["open"] ?? "");
  return due_date !== null && due_date < today ? t.overdue(daysBetween(due_date, today)) : (t.states["open"] ?? "");
}

/** The amounts of an invoice; a credit note shows the amount it returns instead of one to pay (money §14). */
function figuresOf(invoice: ShownInvoice, t: PageTexts): [string, string | false][] {
  const { kind, status, total, paid_total, outstanding, currency, locale, discount_until, discounted } = invoice;
  const amount = (figure: DecimalInput) => money(figure, currency, locale);
  const [paid, due] = [decimal(paid_total), decimal(outstanding)];
  // The credit taken off an invoice, or the part of a credit note set off.
  const credited = decimal(total).minus(paid).minus(due);
  const shown = (figure: Decimal) => !figure.isZero() && amount(figure);
  if (kind === "credit_note")
    return [
      [t.total, amount(decimal(total))],
      [t.applied, shown(credited.negated())],
      [t.paid, shown(paid)],
      [t.refund, status !== "cancelled" && due.isNegative() && amount(due.negated())],
    ];
  return [
    [t.total, amount(total)],
    [t.paid, shown(paid)],
    [t.credited, shown(credited)],
    due.isNegative()
      ? [decimal(total).isNegative() ? t.refund : t.overpaid, status !== "cancelled" && amount(due.negated())]
      : [t.outstanding, status !== "cancelled" && amount(outstanding)],
    [t.discounted(discount_until ? day(discount_until) : ""), discounted !== null && amount(discounted)],
  ];
}

/** A list of names and values, without empty ones. */
export const facts = (rows: readonly (readonly [name: string, value: string | null | false])[]): Html =>
  html`<dl class="facts">${rows.map(([name, value]) => value && html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/** A document in a sandboxed frame without scripts, with a link to its PDF. */
export const documentSection = (t: PageTexts, title: string, document: string): Html =>
  html`<section aria-labelledby="document"><h2 id="document">${t.document}</h2>
<p><a href="${document}/pdf">${t.pdf}</a></p>
<iframe class="document" src="${document}/preview" title="${title}" sandbox=""></iframe></section>`;

/** How to pay an open invoice by bank: the account, and the number as reference (money §12). */
function transferOf(
  { kind, status, number, outstanding, currency, locale }: ShownInvoice,
  account: BankAccount | null,
  t: PageTexts,
) {
  const isToPay = kind === "invoice" && status === "open" && decimal(outstanding).greaterThan(0);
  return (
    isToPay &&
    account !== null &&
    html`<h2 id="transfer">${t.transfer}</h2>
<p>${t.instruction}</p>
${facts([
  [t.amount, money(outstanding, currency, locale)],
  [t.iban, iban(account.iban)],
  [t.holder, account.name],
  [t.reference, number],
])}`
  );
}

/** The page of an invoice: seller, amount due, payment state and the document (money §12). */
export function invoicePage(invoice: ShownInvoice, around: Surroundings): PageMade {
  const { seller, account, path, document, payment, round, refused, today } = around;
  const { locale, kind } = invoice;
  const t = textsOf(locale);
  const title = `${kind === "credit_note" ? t.credit_note : t.invoice} ${invoice.number}`.trim();
  const news = paymentNews(payment, round);
  const body = html`<h1>${title}</h1>
${notice(refused && (t.refused[refused.code] ?? t.refused["other"]), true)}
<section aria-label="${title}">${!refused && notice(news.text && t.payment[news.text], news.isBad)}
${facts([
  [t.from, seller],
  [t.to, invoice.customer_name],
  [t.state, stateOf(invoice, today, t)],
  [t.date, invoice.issue_date && day(invoice.issue_date)],
  [t.due, kind === "invoice" && invoice.due_date && day(invoice.due_date)],
  ...figuresOf(invoice, t),
])}
${invoice.payable && form(path, {}, button(t.pay))}
${transferOf(invoice, account, t)}
${news.text === "waiting" && html`<p><a href="${path}?return=1">${t.again}</a></p>`}</section>
${documentSection(t, title, document)}`;
  return {
    status: refused?.status ?? 200,
    locale: t.locale,
    title,
    body: body.text,
    ...(news.refresh &&
      !refused && {
        refresh: { seconds: news.refresh.seconds, address: `${path}?return=1&round=${news.refresh.round}` },
      }),
  };
}
