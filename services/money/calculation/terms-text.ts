import { decimal } from "../../../core/values/money.ts";
import type { PaymentDiscount } from "./discount.ts";
import { isLastOfNextMonth, type PaymentTerms } from "./terms.ts";

const ORDINALS = new Intl.PluralRules("en", { type: "ordinal" });
const SUFFIXES: Partial<Record<Intl.LDMLPluralRule, string>> = { one: "st", two: "nd", few: "rd" };

const en = {
  days: (days: number) => `${days} ${days === 1 ? "day" : "days"}`,
  monthEnd: (days: string | null) => (days ? `${days} end of month` : "End of month"),
  nextMonth: (day: number) => `The ${day}${SUFFIXES[ORDINALS.select(day)] ?? "th"} of next month`,
  lastOfNextMonth: "The last day of next month",
  discount: (percent: string, days: string) => `${percent}% discount if paid within ${days}`,
  discountNote: (percent: string, number: string) => `Discount of ${percent}% for early payment of invoice ${number}`,
};

const nl: typeof en = {
  days: (days) => `${days} ${days === 1 ? "dag" : "dagen"}`,
  monthEnd: (days) => (days ? `${days} einde maand` : "Einde maand"),
  nextMonth: (day) => `De ${day}e van de volgende maand`,
  lastOfNextMonth: "De laatste dag van de volgende maand",
  discount: (percent, days) => `${percent.replace(".", ",")}% korting bij betaling binnen ${days}`,
  discountNote: (percent, number) => `Betalingskorting van ${percent.replace(".", ",")}% op factuur ${number}`,
};

const wordsOf = (locale: string): typeof en => (/^nl(?![a-z])/i.test(locale) ? nl : en);

/** Payment terms as a document names them: in Dutch for nl, in English for every other language (money §14). */
export function termsText(terms: PaymentTerms, locale: string): string {
  const words = wordsOf(locale);
  const { days, basis } = terms;
  if (basis === "invoice_date") return words.days(days);
  if (basis === "end_of_month") return words.monthEnd(days === 0 ? null : words.days(days));
  return isLastOfNextMonth(terms) ? words.lastOfNextMonth : words.nextMonth(days);
}

/** A discount for early payment as a document names it, in the same languages. */
export function discountText({ percent, days }: PaymentDiscount, locale: string): string {
  const words = wordsOf(locale);
  return words.discount(decimal(percent).toFixed(), words.days(days));
}

/** The line of a credit note by which a payment took its discount. */
export const discountNoteText = ({ percent }: PaymentDiscount, number: string, locale: string): string =>
  wordsOf(locale).discountNote(decimal(percent).toFixed(), number);
