import type { IsoDate } from "../../../../core/calendar/calendar.ts";

/** `dd-mm-yyyy` (money §13). */
const day = (date: IsoDate): string => date.split("-").reverse().join("-");

/** The billed period, first and last day: `15-01-2026-15-02-2026` (money §9 "Consumer"). */
export const periodText = (start: IsoDate, end: IsoDate): string => `${day(start)}-${day(end)}`;

const RENEWAL: Readonly<Record<string, string>> = {
  nl: "Domeinverlenging",
  en: "Domain renewal",
  de: "Domainverlängerung",
  fr: "Renouvellement de domaine",
  es: "Renovación de dominio",
  it: "Rinnovo dominio",
};

/** The text of the line that bills a year of a domain, in English for untranslated languages. */
export function renewalText(locale: string, name: string, start: IsoDate, end: IsoDate): string {
  const words = RENEWAL[locale.slice(0, 2).toLowerCase()] ?? RENEWAL["en"];
  return `${words} ${name} (${periodText(start, end)})`;
}
