import { parsePhoneNumberFromString } from "libphonenumber-js/max";

export { plainWithoutHtml, withoutHtml } from "./without-html.ts";

/** Null for an empty or white-space text, else the text as typed. */
export const blankToNull = (value: string | null | undefined): string | null | undefined =>
  typeof value === "string" && value.trim() === "" ? null : value;

/** A text inside HTML, attributes included. */
export const escapedHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** What stands before a number to say that it is one, as in `tel:+31…` or `T. 020 …`. */
const PHONE_LABEL = /^\p{L}{1,8}[.:]+\s*/u;

/**
 * A phone number in E.164, null for a blank, undefined for one that its numbering plan does not know, and for one with an extension or any
 * other text: E.164 holds the number alone, and the rest would be lost.
 * @param country where a number without `+` belongs; a two-letter code
 */
export function readPhone(value: string, country: string): string | null | undefined {
  if (value.trim() === "") return null;
  const defaultCountry = /^[A-Z]{2}$/.test(country.toUpperCase()) ? (country.toUpperCase() as "NL") : "NL";
  const number = parsePhoneNumberFromString(value.trim().replace(PHONE_LABEL, ""), { defaultCountry, extract: false });
  return number?.isValid() && number.ext === undefined ? number.number : undefined;
}
