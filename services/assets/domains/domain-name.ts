import { domainToASCII, domainToUnicode } from "node:url";

/** The maximum lengths of a DNS name and of a label, in ASCII (RFC 1035 §2.3.4). */
const MOST_CHARACTERS = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const SCHEME = /^(?:[a-z][a-z0-9+.-]*:)?\/\//;
const BEHIND_HOST = /[/?#\\].*$/s;
const CREDENTIALS = /^.*@/s;
const PORT = /:\d*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\u0000-\u007f]*$/;

/** Strips surrounding dots and leading `www.`, however often repeated; `www` alone becomes empty. */
function bare(host: string): string {
  const name = host.replace(/^\.+|\.+$/g, "");
  if (name === "www") return "";
  return name === host && !name.startsWith("www.") ? name : bare(name.replace(/^www\./, ""));
}

/**
 * Normalises a typed or pasted domain name to ASCII, the form that is stored, compared and sent to providers. Of a URL only the host counts
 * (assets §2.1).
 * @returns null for an empty or invalid name
 */
export function normaliseName(typed: string): string | null {
  const host = typed.trim().toLowerCase().replace(SCHEME, "").replace(BEHIND_HOST, "").replace(CREDENTIALS, "").replace(PORT, "");
  const name = bare(host);
  // Conversion also decodes `%41` and reads numbers as addresses, so an ASCII name is not converted.
  if (name.includes("%")) return null;
  const ascii = ASCII.test(name) ? name : bare(domainToASCII(name));
  if (ascii.length > MOST_CHARACTERS) return null;
  return ascii.split(".").every((label) => LABEL.test(label)) ? ascii : null;
}

/** The name in Unicode, for display (RFC 5891). @param name in ASCII */
export const labelOf = (name: string): string => domainToUnicode(name) || name;

/** The part of a name that sets its price: everything after the first label, null for a single label (assets §2.1). @param name in ASCII */
export function tldOf(name: string): string | null {
  const dot = name.indexOf(".");
  return dot < 0 ? null : name.slice(dot + 1);
}
