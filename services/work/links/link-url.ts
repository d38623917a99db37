import { invalid } from "../../../core/declare/errors.ts";

/** The longest address a link may have. */
export const MAX_URL = 1024;

/** Schemes that run or read something on the reader's machine. */
const REFUSED = ["javascript:", "data:", "vbscript:", "file:"];

/** What browsers skip when they read a scheme, and what a reader does not see: spaces, control and format characters. */
const INVISIBLE = /[\s\p{Cc}\p{Cf}]/gu;

/** Blanks around an address, and what came along unseen when it was copied. */
const AROUND = /^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu;

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** `example.nl:8080/x` and `localhost:3000`: what stands before the colon is a host, not a scheme. */
const HOST_AND_PORT = /^(?!(?:tel|sms|fax|callto):)[a-z0-9][a-z0-9.-]*:\d{1,5}(?:[/?#]|$)/i;

const refused = () => invalid({ url: "errors.validation" });

/**
 * The address of a link as it is stored: without surrounding blanks, and with `https://` where it names no scheme (work chapter §3.7).
 * @throws 422 on `url` for a blank one, for one longer than 1024 characters, for control characters inside it, and for the schemes
 * `javascript:`, `data:`, `vbscript:` and `file:`, also when whitespace or control characters hide them
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
