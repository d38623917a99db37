/** Runs of letters or digits, with what separates each from the one before. */
interface Atom {
  text: string;
  isDigits: boolean;
  /** Whether at most three separators stand before it, so that it can continue a number. */
  isNear: boolean;
}

const ATOM = /\d+|\p{L}+/gu;
const MOST_APART = 3;
/** Most parts of a number. */
const MOST_ATOMS = 6;
/** Characters below which a number alone says little: `12` is in many texts. */
const SHORTEST = 4;

function atomsOf(text: string): Atom[] {
  let end = -1;
  return [...text.toUpperCase().matchAll(ATOM)].map((match) => {
    const isNear = end >= 0 && match.index - end <= MOST_APART;
    end = match.index + match[0].length;
    return { text: match[0], isDigits: /^\d/.test(match[0]), isNear };
  });
}

const withoutZeros = (text: string): string => text.replace(/^0+(?=\d)/, "");
const keyOf = (parts: readonly string[]): string => parts.join("|");

/**
 * The ways to write a number: with its separators or others, and with parts of the same kind run together. Parts are never split
 * differently, because the day 2026-04-12 is not the invoice 2026-0412.
 */
function waysOf(number: string): string[] {
  const atoms = atomsOf(number);
  if (atoms.length === 0 || atoms.length > MOST_ATOMS) return [];
  let ways: string[][] = [[]];
  for (const [index, atom] of atoms.entries()) {
    const before = atoms[index - 1];
    ways = ways.flatMap((way) => {
      const apart = [...way, atom.text];
      return before?.isDigits === atom.isDigits ? [apart, [...way.slice(0, -1), `${way.at(-1)}${atom.text}`]] : [apart];
    });
  }
  return [...new Set([...ways.map(keyOf), keyOf(atoms.map(({ text }) => withoutZeros(text)))])];
}

/** A number that was found in a text. */
export interface FoundNumber<T> {
  of: T;
  /** False for a number of fewer than four characters, which may be anything. */
  isSure: boolean;
}

/** Finds numbers of documents in texts: written with or without separators, several in one text. */
export class NumberIndex<T> {
  readonly #byWay = new Map<string, Set<T>>();
  readonly #sure = new Map<T, boolean>();

  /** @param numbered documents by their number */
  constructor(numbered: Iterable<readonly [number: string, of: T]>) {
    for (const [number, of] of numbered) {
      this.#sure.set(of, number.replace(/[^\p{L}\d]/gu, "").length >= SHORTEST && /\d/.test(number));
      for (const way of waysOf(number)) this.#byWay.set(way, (this.#byWay.get(way) ?? new Set()).add(of));
    }
  }

  /** The documents whose numbers are in a text, in the order of the text, each once. */
  in(text: string): FoundNumber<T>[] {
    const atoms = atomsOf(text);
    const found = new Set<T>();
    for (let from = 0; from < atoms.length; from += 1) {
      let longest: Set<T> | undefined;
      const parts: string[] = [];
      for (let to = from; to < Math.min(atoms.length, from + MOST_ATOMS); to += 1) {
        if (to > from && !atoms[to]?.isNear) break;
        parts.push((atoms[to] as Atom).text);
        longest = this.#byWay.get(keyOf(parts)) ?? this.#byWay.get(keyOf(parts.map(withoutZeros))) ?? longest;
      }
      for (const one of longest ?? []) found.add(one);
    }
    return [...found].map((of) => ({ of, isSure: this.#sure.get(of) ?? false }));
  }
}
