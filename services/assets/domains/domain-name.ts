import { domainToASCII, domainToUnicode } from "node:url";

/** The longest name of DNS, and the longest label of one, counted in ASCII (RFC 1035 §2.3.4). */
const MOST_CHARACTERS = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const SCHEME = /^(?:[a-z][a-z0-9+.-]*:)?\/\//;
const BEHIND_HOST = /[/?#\\].*$/s;
const CREDENTIALS = /^.*@/s;
const PORT = /:\d*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\u0000-\u007f]*$/;

/** Without surrounding dots and leading `www.`, however often they stand there; a `www` alone is nothing. */
function bare(host: string): string {
  const name = host.replace(/^\.+|\.+$/g, "");
  if (name === "www") return "";
  return name === host && !name.startsWith("www.") ? name : bare(name.replace(/^www\./, ""));
}

/**
 * A domain name in ASCII, the form that is stored, compared and sent to providers, from what a person typed or pasted: of an address only
 * the host counts (assets §2.1).
 * @returns null when it is empty or no name of DNS
 */
export function normaliseName(typed: string): string | null {
  const host = typed.trim().toLowerCase().replace(SCHEME, "").replace(BEHIND_HOST, "").replace(CREDENTIALS, "").replace(PORT, "");
  const name = bare(host);
  // Conversion also decodes `%41` and reads numbers as addresses: a name in ASCII is taken as it is.
  if (name.includes("%")) return null;
  const ascii = ASCII.test(name) ? name : bare(domainToASCII(name));
  if (ascii.length > MOST_CHARACTERS) return null;
  return ascii.split(".").every((label) => LABEL.test(label)) ? ascii : null;
}

/** The name as people read it, in Unicode (RFC 5891). @param name in ASCII */
export const labelOf = (name: string): string => domainToUnicode(name) || name;

/** What a name is priced by: everything behind its first label, null for a name of one label (assets §2.1). @param name in ASCII */
export function tldOf(name: string): string | null {
  const dot = name.indexOf(".");
  return dot < 0 ? null : name.slice(dot + 1);
}
