import { parsePhoneNumberFromString } from "libphonenumber-js/max";

/** Null for an empty or white-space text, else the text as typed. */
export const blankToNull = (value: string | null | undefined): string | null | undefined =>
  typeof value === "string" && value.trim() === "" ? null : value;

const BLOCKS = /<(script|style)\b[^>]*>[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->|<(?:script|style)\b[^>]*>[\s\S]*$/gi;
const TAGS = /<\/?[a-z][a-z0-9-]*(?:\s[^>]*|\/)?>|<[!?][^>]*>/gi;

/**
 * Markdown source without raw HTML: tags go, scripts and styles with their contents; markdown itself, autolinks included, stays
 * (conventions §9). Applying it twice changes nothing.
 */
export function withoutHtml(markdown: string): string {
  for (let before = markdown; ; ) {
    const after = before.replace(BLOCKS, "").replace(TAGS, "");
    if (after === before) return after;
    before = after;
  }
}

/**
 * A phone number in E.164, null for a blank, undefined for one that its numbering plan does not know.
 * @param country where a number without `+` belongs; a two-letter code
 */
export function readPhone(value: string, country: string): string | null | undefined {
  if (value.trim() === "") return null;
  const number = parsePhoneNumberFromString(
    value,
    /^[A-Z]{2}$/.test(country.toUpperCase()) ? (country.toUpperCase() as "NL") : "NL",
  );
  return number?.isValid() ? number.number : undefined;
}
