import { shortened } from "../values/stored-text.ts";

const LONGEST = 500;
const BLANK = "***";
const CREDENTIAL_WORDS =
  "(?:api|access|client|private|session|refresh)?[-_ ]?(?:pass(?:word|wd|phrase)?|secret|token|key|authorization|credentials?|apipassword|apiuser)";
const PAIR = new RegExp(
  `(["']?\\b[\\w-]*${CREDENTIAL_WORDS}\\b["']?\\s*[=:]\\s*)(?:(?:bearer|basic|accesskey|token) +)?(?:"[^"]*"|'[^']*'|[^\\s&,;"'<>}\\]]+)`,
  "gi",
);
const SCHEME = /\b(bearer|basic|accesskey|token)\s+[\w.~+/=-]{6,}/gi;
const QUERY = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi;
const USER_INFO = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"'<>]+@/gi;

/**
 * A provider's text, ready to store: one line of at most 500 characters, without credentials and without query strings of addresses (assets
 * §5.7).
 * @param secrets values to blank everywhere, also percent-encoded and in base64
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text.toWellFormed();
  for (const secret of secrets.filter((value) => value.length > 3))
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")])
      clean = clean.replaceAll(form, BLANK);
  clean = clean
    .replace(USER_INFO, `$1${BLANK}@`)
    .replace(QUERY, `$1?${BLANK}`)
    .replace(PAIR, `$1${BLANK}`)
    .replace(SCHEME, `$1 ${BLANK}`)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return clean.length > LONGEST ? `${shortened(clean, LONGEST - 1)}…` : clean;
}
