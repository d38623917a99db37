import { daysBetween, type IsoDate } from "../../../../core/calendar/calendar.ts";
import { decimal } from "../../../../core/values/money.ts";
import { day, languageOf, money } from "../../rendering/texts/formats.ts";
import { type Notice, noticeOn } from "../rules/claim.ts";
import { filledIn } from "../rules/placeholders.ts";
import { ratesWith } from "../rules/rates.ts";
import type { DunningValues } from "../settings/settings-rows.ts";
import { type DunnedInvoice, debtOf } from "./facts.ts";
import { noticeWords } from "./notice-words.ts";

/** A notice with its texts, before or after it was sent. */
export type WordedNotice = Notice & { subject: string; text: string };

const someMoney = (amount: string, currency: string, locale: string): string =>
  decimal(amount).isZero() ? "" : money(amount, currency, locale);

/** The texts of a notice in the language of the invoice: the level's own, else the built-in ones. */
function worded(notice: Notice, invoice: DunnedInvoice, { levels }: DunningValues, brand: string): WordedNotice {
  const { locale, currency, customer, issue_date, due_date, number } = invoice;
  const own = levels[notice.level - 1]?.texts.find(({ language }) => language === languageOf(locale));
  const { subject, text } = own
    ? { subject: own.subject, text: own.body }
    : (noticeWords(locale).levels[notice.level - 1] ?? { subject: "{number}", text: "" });
  const company = customer.trade_name || customer.name || invoice.company_name;
  const values = {
    ...{ company, name: customer.attn || company, brand, number, pay_by: day(notice.pay_by) },
    ...{ date: issue_date ? day(issue_date) : "", due_date: due_date ? day(due_date) : "" },
    days: String(due_date ? daysBetween(due_date, notice.sent_on) : 0),
    outstanding: money(notice.principal, currency, locale),
    total: money(notice.total, currency, locale),
    interest: someMoney(notice.interest, currency, locale),
    fees: someMoney(notice.fees, currency, locale),
    costs: someMoney(notice.costs, currency, locale),
  };
  return { ...notice, subject: filledIn(subject, values), text: filledIn(text, values) };
}

/**
 * The next notice of an invoice on a day; null if no level is left, or nothing of it is late and open.
 * @param byPost whether it is not mailed
 */
export function nextNoticeOf(
  invoice: DunnedInvoice,
  settings: DunningValues,
  { on, byPost, brand }: { on: IsoDate; byPost: boolean; brand: string },
): WordedNotice | null {
  const debt = debtOf(invoice);
  const number = invoice.dunning_level + 1;
  const level = settings.levels[number - 1];
  if (!debt || !level || invoice.status !== "open" || debt.due_date >= on) return null;
  if (!decimal(invoice.outstanding).greaterThan(0)) return null;
  return worded(noticeOn(debt, [number, level], { on, byPost, rates: ratesWith(settings.rates) }), invoice, settings, brand);
}
