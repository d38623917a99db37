import { isApiError } from "../../../core/errors/errors.ts";
import { readLinkUrl } from "../links/link-url.ts";

const WEB = /^https?:\/\//i;

/** What may follow an address in a text: marks that end a sentence or a quote, and then nothing that could continue the address. */
const ADDRESS_ENDS = /^[.,;:!?'")\]>*_~]*(?:$|[^\p{L}\p{N}\-._~:/?#[\]@!$&'()*+,;=%])/u;

/** Whether a text contains an address as a whole, not only as the beginning of a longer one. */
function holdsAddress(message: string, url: string): boolean {
  for (let at = message.indexOf(url); at >= 0; at = message.indexOf(url, at + 1))
    if (ADDRESS_ENDS.test(message.slice(at + url.length))) return true;
  return false;
}

/** A web address that occurs in the message, so that the model cannot invent one, nor leak what it has read through one. */
export function safeUrl(url: string, message: string): string | null {
  if (url.trim() === "" || !holdsAddress(message, url.trim())) return null;
  try {
    const read = readLinkUrl(url);
    return WEB.test(read) ? read : null;
  } catch (error) {
    if (isApiError(error)) return null;
    throw error;
  }
}

/** A link in markdown, with its destination in or without angle brackets, and a title that is left out. */
const INLINE_LINK = /\[([^[\]]*)\]\(\s*(?:<([^<>\n]*)>|([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*))[^()]*\)/g;
/** The destination of a link whose name has brackets of its own. */
const DESTINATION = /\]\(\s*(?:<([^<>\n]*)>|([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*))[^()]*\)/g;
/** The definition of a link that the text refers to by a name, also in a quote or an item. */
const DEFINITION = /^[ \t>*+-]*(?:\d{1,9}[.)][ \t]+)?\[[^[\]\n]+\]:[ \t]*<?([^\s<>]*)>?.*$/gm;
/** An address that readers of markdown make a link of. */
const BARE = /<?((?:[a-z][a-z\d+.-]*:\/\/|www\.|mailto:)[^\s<>]*)>?/gi;
/** Marks behind a bare address that belong to the sentence. */
const SENTENCE_END = /[.,;:!?'")\]>*_~]+$/;

/** Whether a link may stay in a generated text: its destination is a safe address that is in the message. */
const mayStay = (url: string, message: string): boolean =>
  safeUrl(url, message) !== null || (/^mailto:/i.test(url) && holdsAddress(message, url.slice("mailto:".length)));

/** How many links a generated text may have (work chapter §3.11). */
const MOST_LINKS = 10;

/** Decides which links of one text stay: at most ten addresses, each one that the message holds. */
function allowing(message: string): (url: string) => boolean {
  const kept = new Set<string>();
  return (url) => {
    if (kept.has(url)) return true;
    if (kept.size >= MOST_LINKS || !mayStay(url, message)) return false;
    kept.add(url);
    return true;
  };
}

/** Removes named links until nothing changes, because the name of a link may be a link. */
function withoutNamed(text: string, stays: (url: string) => boolean): string {
  const next = text.replace(INLINE_LINK, (whole, name: string, bracketed: string | undefined, url: string | undefined) =>
    stays(bracketed ?? url ?? "") ? whole : name,
  );
  return next === text ? text : withoutNamed(next, stays);
}

/**
 * A text without the links whose address is not in the message, nor those beyond ten addresses: of a named link the name stays, a bare address
 * goes.
 */
export function withoutForeignLinks(text: string, message: string): string {
  const stays = allowing(message);
  const defined = text.replace(DEFINITION, (whole, url: string) => (stays(url) ? whole : ""));
  return withoutNamed(defined, stays)
    .replace(DESTINATION, (whole, bracketed: string | undefined, url: string | undefined) =>
      stays(bracketed ?? url ?? "") ? whole : "]",
    )
    .replace(BARE, (whole, url: string) => {
      const [end = ""] = SENTENCE_END.exec(url) ?? [];
      return stays(url.slice(0, url.length - end.length)) || stays(url) ? whole : end;
    });
}
