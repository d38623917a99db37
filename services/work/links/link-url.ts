import { invalid } from "../../../core/errors/errors.ts";

/** Maximum length of a link's address. */
export const MAX_URL = 1024;

/** Schemes that run code or read files on the reader's machine. */
const REFUSED = ["javascript:", "data:", "vbscript:", "file:"];

/** Characters that browsers skip in a scheme and readers do not see: spaces, control and format characters. */
const INVISIBLE = /[\s\p{Cc}\p{Cf}]/gu;

/** White space around an address, and invisible characters copied along with it. */
const AROUND = /^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu;

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** `example.nl:8080/x` and `localhost:3000`: the part before the colon is a host, not a scheme. */
const HOST_AND_PORT = /^(?!(?:tel|sms|fax|callto):)[a-z0-9][a-z0-9.-]*:\d{1,5}(?:[/?#]|$)/i;

const refused = () => invalid({ url: "errors.validation" });

/**
 * The address of a link as stored: trimmed, and with `https://` if it has no scheme (work chapter §3.7).
 * @throws 422 on `url` if it is blank, longer than 1024 characters or contains control characters, and for the schemes `javascript:`,
 * `data:`, `vbscript:` and `file:`, even if hidden by white space or control characters
 */
export function readLinkUrl(sent: string): string {
  const visible = sent.replace(INVISIBLE, "");
  if (visible === "" || REFUSED.some((scheme) => visible.toLowerCase().startsWith(scheme))) throw refused();
  const url = sent.replace(AROUND, "");
  if (/\p{Cc}/u.test(url)) throw refused();
  const full = url.startsWith("//") ? `https:${url}` : SCHEME.test(url) && !HOST_AND_PORT.test(url) ? url : `https://${url}`;
  if (full.length > MAX_URL) throw refused();
  return full;
}
