/** Number words of both languages, without `een`, `één` and `one`, which mostly mean "a". */
const UNITS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    "twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien",
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
  ].flatMap((words) => words.split(" ").map((word, index) => [word, index + 2])),
);
const TENS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
    "twenty thirty forty fifty sixty seventy eighty ninety",
  ].flatMap((words) => words.split(" ").map((word, index) => [word, (index + 2) * 10])),
);
const DUTCH_ONES: Readonly<Record<string, number>> = { een: 1, één: 1 };
/** Dutch unit words that precede `en` and the tens. */
const DUTCH_UNITS = [...Object.entries(DUTCH_ONES), ...Object.entries(UNITS).filter(([, value]) => value < 10)];
const ENGLISH_ONES: Readonly<Record<string, number>> = { one: 1 };
/** Words that multiply the preceding number, or are numbers themselves. */
export const MULTIPLIERS: Readonly<Record<string, number>> = {
  honderd: 100,
  hundred: 100,
  duizend: 1000,
  thousand: 1000,
  miljoen: 1e6,
  million: 1e6,
  mln: 1e6,
  miljard: 1e9,
  billion: 1e9,
  mld: 1e9,
  bn: 1e9,
  k: 1000,
};

/** Reads a one-word Dutch number below 100: `eenentwintig`, `tweeëntwintig`. */
function dutchBelowHundred(word: string): number | null {
  const plain = UNITS[word] ?? TENS[word];
  if (plain !== undefined) return plain;
  for (const [unit, value] of DUTCH_UNITS) {
    if (!word.startsWith(unit)) continue;
    const ten = TENS[word.slice(unit.length).replace(/^(?:en|ën)/, "")];
    if (ten !== undefined) return ten + value;
  }
  return null;
}

/** Reads a one-word Dutch number up to thousands: `vierhonderdtwaalf`, `twaalfhonderd`. Null for any other word. */
function dutchWord(word: string): number | null {
  for (const [separator, factor] of [
    ["duizend", 1000],
    ["honderd", 100],
  ] as const) {
    const at = word.indexOf(separator);
    if (at < 0) continue;
    const [head, tail] = [word.slice(0, at), word.slice(at + separator.length).replace(/^en(?=.)/, "")];
    const before = head === "" ? 1 : (DUTCH_ONES[head] ?? dutchWord(head));
    const after = tail === "" ? 0 : (DUTCH_ONES[tail] ?? dutchWord(tail));
    return before === null || after === null ? null : before * factor + after;
  }
  return dutchBelowHundred(word);
}

/** Reads an English word or hyphenated pair: `twenty-one`. */
function englishWord(word: string): number | null {
  const [first = "", second] = word.split("-");
  const [ten, one] = [TENS[first], second === undefined ? undefined : (UNITS[second] ?? ENGLISH_ONES[second])];
  if (second === undefined) return UNITS[first] ?? ten ?? null;
  return ten !== undefined && one !== undefined && one < 10 ? ten + one : null;
}

/** A number in words: its value, and the position after it. */
export interface Spelled {
  text: string;
  value: number;
  end: number;
}

const WORD = /[\p{L}]+(?:-[\p{L}]+)*/gu;

/**
 * Finds the spelled-out numbers in a Dutch or English text. Consecutive words form one number: `four hundred and twelve`, `twee miljoen`.
 */
export function spelledNumbers(text: string): Spelled[] {
  const words = [...text.matchAll(WORD)].map((match) => ({
    word: match[0].toLowerCase(),
    from: match.index,
    to: match.index + match[0].length,
  }));
  const found: Spelled[] = [];
  for (let at = 0; at < words.length; ) {
    let [total, part, last] = [0, 0, -1];
    for (let next = at; next < words.length; next++) {
      const { word, from } = words[next] as (typeof words)[number];
      if (next > at && /\S/.test(text.slice((words[next - 1] as (typeof words)[number]).to, from))) break;
      const multiplier = word === "k" ? undefined : MULTIPLIERS[word];
      const value = dutchWord(word) ?? englishWord(word);
      if (multiplier === 100) part = (part || 1) * 100;
      else if (multiplier !== undefined) {
        total += (part || 1) * multiplier;
        part = 0;
      } else if (value !== null) part += value;
      else if (last >= 0 && word === "and" && part % 100 === 0 && part + total > 0) continue;
      else break;
      last = next;
    }
    if (last < 0) {
      at += 1;
      continue;
    }
    const [{ from }, { to }] = [words[at], words[last]] as [(typeof words)[number], (typeof words)[number]];
    found.push({ text: text.slice(from, to), value: total + part, end: to });
    at = last + 1;
  }
  return found;
}
