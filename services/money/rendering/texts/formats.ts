import { formatIn } from "../../../../core/values/currencies.ts";
import { type DecimalInput, decimal } from "../../../../core/values/money.ts";

const SIGNS: Record<string, string> = { EUR: "€", USD: "$", GBP: "£" };
/** Languages that write 1.234,56 (money §14). */
const COMMA = new Set(["nl", "de"]);

/** The language of a locale: `nl` of `nl_BE`. */
export const languageOf = (locale: string): string => locale.slice(0, 2).toLowerCase();

/** A decimal as a language writes it, with the places it has. */
function written(text: string, locale: string): string {
  const [thousands, point] = COMMA.has(languageOf(locale)) ? [".", ","] : [",", "."];
  const [, sign = "", whole = "0", , places] = /^(-?)(\d+)(\.(\d+))?$/.exec(text) ?? [];
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, thousands);
  return `${sign}${grouped}${places === undefined ? "" : point + places}`;
}

/**
 * An amount with its currency and the decimals that has: `€ 1.234,56` in nl and de, `€ 1,234.56` elsewhere; a currency without a sign by its
 * code: `JPY 1,210` (money §0, §14). The price of one piece has up to 4 decimals, and is never rounded either: `€ 0,0025`.
 */
export const money = (amount: DecimalInput, currency: string, locale: string): string =>
  `${SIGNS[currency] ?? currency} ${written(formatIn(amount, currency), locale)}`;

/** A quantity or percentage without trailing zeros: `7,5` (money §14). */
export const plain = (value: DecimalInput, locale: string): string => written(decimal(value).toFixed(), locale);

/** A date as dd-mm-yyyy. */
export const day = (date: string): string => date.split("-").reverse().join("-");

/** An IBAN in fours. */
export const iban = (text: string): string =>
  text
    .replace(/\s/g, "")
    .toUpperCase()
    .replace(/(.{4})(?=.)/g, "$1 ");
