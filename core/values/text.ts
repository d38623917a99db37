import { parsePhoneNumberFromString } from "libphonenumber-js/max";

/** Null for an empty or white-space text, else the text as typed. */
export const blankToNull = (value: string | null | undefined): string | null | undefined =>
  typeof value === "string" && value.trim() === "" ? null : value;

/** A text inside HTML, attributes included. */
export const escapedHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

const STARTS_TAG = /[a-z/!?]/i;
const AUTOLINK = /^(?:[a-z][a-z0-9+.-]{1,31}:[^\s<>]*|[a-z0-9][a-z0-9.!#$%&'*+=?^_`{|}~-]*@[a-z0-9.-]+)$/i;
const WITH_CONTENTS = /^(script|style)(?=[\s/]|$)/i;
const CLOSING = { script: /<\/script(?=[\s/>])/gi, style: /<\/style(?=[\s/>])/gi };

/** Where the text goes on after the contents of a script or style; an unclosed one reaches to the end. */
function afterContents(markdown: string, element: string, from: number): number {
  const closing = CLOSING[element.toLowerCase() as keyof typeof CLOSING];
  closing.lastIndex = from;
  const end = closing.test(markdown) ? markdown.indexOf(">", closing.lastIndex) : -1;
  return end < 0 ? markdown.length : end + 1;
}

/**
 * Markdown source without raw HTML: tags go, comments, scripts and styles with their contents; markdown itself, autolinks included,
 * stays (conventions §9). Applying it twice changes nothing.
 *
 * A tag is what a browser takes for one: from `<` and a letter, `/`, `!` or `?` to the next `>`. One pass, because notes are unbounded
 * and a caller chooses them: what a removed tag joins together is looked at as it grows, not in another round.
 */
export function withoutHtml(markdown: string): string {
  if (!markdown.includes("<")) return markdown;
  const lastComment = markdown.lastIndexOf("-->");
  const kept: string[] = [];
  let open = -1;
  for (let at = 0; at < markdown.length; at++) {
    const character = markdown[at] as string;
    if (open < 0 && kept.at(-1) === "<" && STARTS_TAG.test(character)) open = kept.length - 1;
    kept.push(character);
    if (character !== ">" || open < 0) continue;
    const isComment = kept.slice(open + 1, open + 4).join("") === "!--";
    if (isComment && !(kept.at(-2) === "-" && kept.at(-3) === "-") && at < lastComment) continue;
    const tag = kept.slice(open + 1, -1).join("");
    if (!AUTOLINK.test(tag)) {
      kept.length = open;
      const [, element] = WITH_CONTENTS.exec(tag) ?? [];
      if (element) at = afterContents(markdown, element, at + 1) - 1;
    }
    open = -1;
  }
  if (open >= 0 && WITH_CONTENTS.test(kept.slice(open + 1).join(""))) kept.length = open;
  return kept.join("");
}

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
