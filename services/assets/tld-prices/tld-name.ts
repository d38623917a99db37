import { domainToASCII } from "node:url";
import { invalid } from "../../../core/errors/errors.ts";
import { labelOf } from "../domains/domain-name.ts";

const MOST_CHARACTERS = 128;
const TLD = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\u0000-\u007f]*$/;

/** A TLD as stored: in ASCII, lower-case, without surrounding dots; null if invalid (assets §3). */
export function normaliseTld(typed: string): string | null {
  const name = typed
    .trim()
    .toLowerCase()
    .replace(/^\.+|\.+$/g, "");
  const ascii = ASCII.test(name) ? name : domainToASCII(name);
  return ascii.length <= MOST_CHARACTERS && TLD.test(ascii) ? ascii : null;
}

/** A row in its response shape, with the TLD in Unicode. */
export const shownTld = <T extends { tld: string }>(row: T): T => ({ ...row, tld: labelOf(row.tld) });

/** @throws 422 on `tld` */
export function requireTld(typed: string): string {
  const tld = normaliseTld(typed);
  if (tld === null) throw invalid({ tld: "errors.validation" });
  return tld;
}
