import { later } from "./later.ts";

export { plainWithoutHtml, withoutHtml } from "../markup/without-html.ts";

/** Null for an empty or white-space text, otherwise the text unchanged. */
export const blankToNull = (value: string | null | undefined): string | null | undefined =>
  typeof value === "string" && value.trim() === "" ? null : value;

/** A text escaped for HTML, including attributes. */
export const escapedHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

const phoneNumbers = later<typeof import("libphonenumber-js/max")>("libphonenumber-js/max");

/** A label before a phone number, as in `tel:+31…` or `T. 020 …`. */
const PHONE_LABEL = /^\p{L}{1,8}[.:]+\s*/u;

/**
 * A phone number in E.164; null if blank. Undefined for a number that is invalid in its numbering plan, or has an extension or other text,
 * which E.164 would lose.
 * @param country default for a number without `+`; a two-letter code
 */
export function readPhone(value: string, country: string): string | null | undefined {
  if (value.trim() === "") return null;
  const defaultCountry = /^[A-Z]{2}$/.test(country.toUpperCase()) ? (country.toUpperCase() as "NL") : "NL";
  const { parsePhoneNumberFromString } = phoneNumbers();
  const number = parsePhoneNumberFromString(value.trim().replace(PHONE_LABEL, ""), { defaultCountry, extract: false });
  return number?.isValid() && number.ext === undefined ? number.number : undefined;
}
