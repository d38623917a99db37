/** The end of a sticky pattern's match at a position, or -1. */
function endOf(sticky: RegExp, text: string, from: number): number {
  sticky.lastIndex = from;
  return sticky.test(text) ? sticky.lastIndex : -1;
}

/** The quote that closes the one at `from`; a doubled quote is a literal one. -1 without one. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

const SPACE = /\s*/y;
const SPACE_TO_THE_END = /\s*(?=[;\n]|$)/y;
const UNQUOTED = /[^;\n]*/y;

/**
 * The parts of a list in a cell, separated by `;` or line breaks, and in double quotes if a part contains one. Parts may be empty. Parsed
 * step by step: one pattern for a whole part would overflow the stack on a cell of megabytes.
 */
export function readList(text: string): string[] {
  const parts: string[] = [];
  for (let from = 0; ; from++) {
    from = endOf(SPACE, text, from);
    const closing = text[from] === '"' ? closingQuote(text, from) : -1;
    const quotedEnd = closing < 0 ? -1 : endOf(SPACE_TO_THE_END, text, closing + 1);
    const end = quotedEnd < 0 ? endOf(UNQUOTED, text, from) : quotedEnd;
    parts.push(quotedEnd < 0 ? text.slice(from, end).trim() : text.slice(from + 1, closing).replaceAll('""', '"'));
    if (end === text.length) return parts;
    from = end;
  }
}

/** Joins a list into one cell. */
export const writeList = (parts: readonly string[]): string =>
  parts.map((part) => (/[;"\n]|^\s|\s$/.test(part) ? `"${part.replaceAll('"', '""')}"` : part)).join("; ");

/** Separators of several telephone numbers in one cell: ` ::: ` from Google, `;`, a line break, a spaced `/`, and words. */
const BETWEEN_NUMBERS = /\s*(?::::|;|\||\n|,|\s\/\s|\s(?:of|en|or|and|oder|und)\s)\s*/i;
const BETWEEN_ADDRESSES = /\s*(?::::|;|\||,)\s*|\s+(?:(?:of|en|or|and|oder|und|\/)\s+)?/i;
const isNumber = (part: string): boolean => part.replace(/\D/g, "").length >= 6;
const isAddress = (part: string): boolean => part.includes("@");

/** Splits a text only if every part is a valid value, so that a single value stays as entered. */
const several =
  (between: RegExp, isOne: (part: string) => boolean) =>
  (text: string): string[] => {
    const pieces = text.split(between);
    const parts = pieces.flatMap((part) => part.trim() || []);
    return pieces.length > 1 && parts.length > 0 && parts.every(isOne) ? parts : [text];
  };

/** The telephone numbers in one cell. */
export const numbersIn = several(BETWEEN_NUMBERS, isNumber);
/** The e-mail addresses in one cell. */
export const addressesIn = several(BETWEEN_ADDRESSES, isAddress);
