import { isLastOfNextMonth, type PaymentTerms } from "./terms.ts";

const ORDINALS = new Intl.PluralRules("en", { type: "ordinal" });
const SUFFIXES: Partial<Record<Intl.LDMLPluralRule, string>> = { one: "st", two: "nd", few: "rd" };

const en = {
  days: (days: number) => `${days} ${days === 1 ? "day" : "days"}`,
  monthEnd: (days: string | null) => (days ? `${days} end of month` : "End of month"),
  nextMonth: (day: number) => `The ${day}${SUFFIXES[ORDINALS.select(day)] ?? "th"} of next month`,
  lastOfNextMonth: "The last day of next month",
};

const nl: typeof en = {
  days: (days) => `${days} ${days === 1 ? "dag" : "dagen"}`,
  monthEnd: (days) => (days ? `${days} einde maand` : "Einde maand"),
  nextMonth: (day) => `De ${day}e van de volgende maand`,
  lastOfNextMonth: "De laatste dag van de volgende maand",
};

/** Payment terms as a document names them: in Dutch for nl, in English for every other language (money §14). */
export function termsText(terms: PaymentTerms, locale: string): string {
  const words = /^nl\b/i.test(locale) ? nl : en;
  const { days, basis } = terms;
  if (basis === "invoice_date") return words.days(days);
  if (basis === "end_of_month") return words.monthEnd(days === 0 ? null : words.days(days));
  return isLastOfNextMonth(terms) ? words.lastOfNextMonth : words.nextMonth(days);
}
