import type { FaultAt } from "./unreadable.ts";
import { accountOf, lineOrNull, oneLine, referenceOf } from "./values.ts";

/** What a bank's description says of the other side and the payment. */
export interface Described {
  counter_iban: string | null;
  counter_name: string | null;
  text: string;
  reference: string | null;
}

/** The labels that banks put into one text, in the languages of their exports. */
const LABELS =
  /(?:^|\s)(IBAN|BIC|Naam|Name|Omschrijving|Description|Kenmerk|Reference|Betalingskenm(?:erk)?\.?|Machtiging(?: ID)?|Mandate ID|Incassant(?: ID)?|Creditor ID|Valutadatum|Value date|Datum\/Tijd|Date\/time)\s*:\s*/gi;

/** Puts labels into the words of the first language. */
const PLAIN: Readonly<Record<string, string>> = {
  iban: "iban",
  naam: "name",
  name: "name",
  omschrijving: "text",
  description: "text",
  kenmerk: "reference",
  reference: "reference",
  betalingskenm: "payment reference",
  betalingskenmerk: "payment reference",
};

/**
 * Reads a description with labels, such as `SEPA Overboeking IBAN: NL… BIC: … Naam: … Omschrijving: …`. Null if it has neither an IBAN nor
 * a description: then it is free text.
 */
export function labelled(description: string, place: FaultAt): Described | null {
  const parts = new Map<string, string>();
  const found = [...description.matchAll(LABELS)];
  for (const [index, match] of found.entries()) {
    const name = PLAIN[(match[1] as string).toLowerCase().replace(/\.$/, "")];
    const value = description.slice(match.index + match[0].length, found[index + 1]?.index).trim();
    if (name !== undefined && !parts.has(name)) parts.set(name, value);
  }
  if (!parts.has("iban") && !parts.has("text")) return null;
  const reference = parts.get("payment reference");
  return {
    counter_iban: accountOf(parts.get("iban")?.split(/\s/)[0]),
    counter_name: lineOrNull(parts.get("name"), place),
    text: oneLine(parts.get("text") ?? "", place),
    reference: referenceOf(reference ?? parts.get("reference"), place),
  };
}
