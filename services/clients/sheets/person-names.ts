/** Prefixes that belong to a Dutch, Flemish or German surname. */
const INFIXES = new Set([
  ..."van von de den der het 't 's ter ten te in op aan bij tot uit over onder voor la le du des del della di da dos zu zum zur af el al".split(
    " ",
  ),
  "d'",
  "’t",
  "’s",
  "v.",
  "v.d.",
  "vd",
]);
const SALUTATIONS = new Set(
  "mr mrs ms miss mister dhr mevr mevrouw mw heer dame herr frau hr fr drs ir ing dr prof mag mejuffrouw".split(" "),
);

const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);
const plain = (word: string): string => word.toLowerCase().replace(/\.$/, "");

/** Whether a text consists only of surname prefixes: `van der`. */
export const isInfix = (text: string): boolean => {
  const parts = words(text.toLowerCase());
  return parts.length > 0 && parts.every((part) => INFIXES.has(part));
};

/** Whether a text is only forms of address or degrees: `Dhr.`, `Prof. dr.`. */
export const isSalutation = (text: string): boolean => {
  const parts = words(text);
  return parts.length > 0 && parts.every((part) => SALUTATIONS.has(plain(part)) || plain(part) === "de");
};

/** A full name without its leading forms of address. */
function withoutSalutation(name: string): string {
  const parts = words(name);
  const from = parts.findIndex((_, index) => !isSalutation(parts.slice(0, index + 1).join(" ")));
  // `De Vries` is a surname; `de` counts as a form of address only before another one.
  const isOnlyDe = from === 1 && plain(parts[0] as string) === "de";
  return parts.slice(from < 0 || isOnlyDe ? 0 : from).join(" ");
}

/** A name in two parts; either can be empty. */
export interface PersonName {
  first: string;
  last: string;
}

/** Splits a full name: `Jan van der Berg`, `Berg, Jan van der`, `Dhr. J. Jansen`. */
export function splitName(full: string): PersonName {
  const [before = "", ...after] = withoutSalutation(full).split(",");
  const given = words(after.join(" "));
  if (given.length === 0) {
    const [first = "", ...last] = words(before);
    return { first, last: last.join(" ") };
  }
  const infix = given.findIndex((_, index) => index > 0 && isInfix(given.slice(index).join(" ")));
  const names = infix < 0 ? given : given.slice(0, infix);
  const last = [...(infix < 0 ? [] : given.slice(infix)), ...words(before)];
  return { first: names.join(" "), last: last.join(" ") };
}

/** Parses a vCard name (RFC 6350 §6.2.2): family, given and additional names, prefixes and suffixes, separated by semicolons. */
export function vcardName(text: string): PersonName {
  const [last = "", first = "", additional = ""] = text.split(";").map((part) => part.trim());
  return withMiddle({ first, last }, additional);
}

/** Adds a middle name, which in Dutch address books often contains the surname prefix. */
export function withMiddle({ first, last }: PersonName, middle: string): PersonName {
  if (middle === "") return { first, last };
  return isInfix(middle) ? { first, last: joined(middle, last) } : { first: joined(first, middle), last };
}

/** Joins the non-empty texts by a space. */
export const joined = (...texts: string[]): string => texts.filter(Boolean).join(" ");
