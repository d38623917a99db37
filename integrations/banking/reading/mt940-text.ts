import { type Described, labelled } from "./labelled-text.ts";
import type { FaultAt } from "./unreadable.ts";
import { accountOf, lineOrNull, oneLine, referenceOf } from "./values.ts";

/** The codes of structured descriptions of Dutch banks (ABN AMRO, ING, Rabobank, Knab). */
const CODES =
  /\/(TRTP|IBAN|BIC|NAME|REMI|EREF|KREF|PREF|MARF|CSID|CNTP|ORDP|BENM|ADDR|ISDT|RTRN|RREF|TRCD|ULTD|ULTB|ULTC|PURP|SVCL|OCMT|COAM|EXCH|IREF|CREF)\//g;
/** A first line of SNS and ASN: the other account and its holder. */
const ACCOUNT_FIRST = /^([A-Z]{2}\d{2}[A-Z0-9]{10,30})[ ]+(.*)$/;
/** Characters of a full line: a text that fills it goes on without a space. */
const FULL = 65;

/** The lines of a text in one: a full line is continued within a word. */
const joined = (lines: readonly string[]): string =>
  lines.reduce((text, line, index) => text + ((lines[index - 1]?.length ?? FULL) >= FULL ? "" : " ") + line, "");

const withoutSlashes = (text: string): string => text.replace(/^\/+|\/+$/g, "").trim();

function coded(text: string): Map<string, string> | null {
  const found = [...text.matchAll(CODES)];
  if (found.length === 0 || found[0]?.index !== 0) return null;
  const parts = new Map<string, string>();
  for (const [index, match] of found.entries()) {
    const code = match[1] as string;
    const value = text.slice(match.index + match[0].length, found[index + 1]?.index);
    if (!parts.has(code)) parts.set(code, withoutSlashes(value));
  }
  return parts;
}

/** The remittance information of `REMI`: `USTD//text`, `STRD/CUR/reference`, or the text itself. */
function remittance(value: string): { text: string; reference: string | null } {
  const free = /^USTD\/\/?(.*)$/s.exec(value);
  if (free) return { text: free[1] as string, reference: null };
  const structured = /^STRD\/(?:[A-Z]{3}\/)?(.*)$/s.exec(value);
  return structured ? { text: "", reference: structured[1] as string } : { text: value, reference: null };
}

/** The other account, its holder, the text and a reference of a structured description. */
function fromCodes(parts: ReadonlyMap<string, string>, place: FaultAt): Described & { return_reason: string | null } {
  const [account, , name] = (parts.get("CNTP") ?? "").split("/");
  const { text, reference } = remittance(parts.get("REMI") ?? "");
  return {
    counter_iban: accountOf(parts.get("IBAN") ?? account),
    counter_name: lineOrNull(parts.get("NAME") ?? name, place),
    text: oneLine(text, place),
    reference: referenceOf(reference ?? parts.get("EREF"), place),
    return_reason: parts.get("RTRN")?.split("/")[0] || null,
  };
}

/**
 * The description of an entry (field 86) in the structures of the Dutch banks: `/TRTP/…/IBAN/…` (ABN AMRO), `/CNTP/…///REMI/…` (ING),
 * `/ORDP//NAME/…` (Rabobank), labels (older ABN AMRO), an account and a name on the first line (SNS, ASN), else free text.
 */
export function described(lines: readonly string[], place: FaultAt): Described & { return_reason: string | null } {
  const parts = coded(lines.join(""));
  if (parts) return fromCodes(parts, place);
  const text = joined(lines);
  const labels = labelled(text, place);
  if (labels) return { ...labels, return_reason: null };
  const [first = "", ...rest] = lines;
  const [, account, name] = ACCOUNT_FIRST.exec(first) ?? [];
  if (account !== undefined)
    return {
      counter_iban: accountOf(account),
      counter_name: lineOrNull(name, place),
      text: oneLine(joined(rest), place),
      reference: null,
      return_reason: null,
    };
  return { counter_iban: null, counter_name: null, text: oneLine(text, place), reference: null, return_reason: null };
}
