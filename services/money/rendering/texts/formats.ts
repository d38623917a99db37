import { formatIn } from "../../../../core/values/currencies.ts";
import { type DecimalInput, decimal } from "../../../../core/values/money.ts";

const SIGNS: Record<string, string> = { EUR: "€", USD: "$", GBP: "£" };
/** Languages that format 1.234,56 (money §14). */
const COMMA = new Set(["nl", "de"]);

/** The language of a locale: `nl` of `nl_BE`. */
export const languageOf = (locale: string): string => locale.slice(0, 2).toLowerCase();

/** A decimal in a language's format, with all its places. */
function written(text: string, locale: string): string {
  const [thousands, point] = COMMA.has(languageOf(locale)) ? [".", ","] : [",", "."];
  const [, sign = "", whole = "0", , places] = /^(-?)(\d+)(\.(\d+))?$/.exec(text) ?? [];
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, thousands);
  return `${sign}${grouped}${places === undefined ? "" : point + places}`;
}

/**
 * An amount with its currency and the currency's number of decimals: `€ 1.234,56` in nl and de, `€ 1,234.56` elsewhere; currencies without
 * a sign use their code: `JPY 1,210` (money §0, §14). Unit prices keep up to 4 decimals and are never rounded: `€ 0,0025`.
 */
export const money = (amount: DecimalInput, currency: string, locale: string): string =>
  `${SIGNS[currency] ?? currency} ${written(formatIn(amount, currency), locale)}`;

/** A quantity or percentage without trailing zeros: `7,5` (money §14). */
export const plain = (value: DecimalInput, locale: string): string => written(decimal(value).toFixed(), locale);

/** A date as dd-mm-yyyy. */
export const day = (date: string): string => date.split("-").reverse().join("-");

/** An IBAN in groups of four. */
export const iban = (text: string): string =>
  text
    .replace(/\s/g, "")
    .toUpperCase()
    .replace(/(.{4})(?=.)/g, "$1 ");
