/** A file as search conditions see it. */
export interface SearchedFile {
  name: string;
  mimeType: string;
  parents: readonly string[];
  trashed: boolean;
  appProperties: Readonly<Record<string, string>>;
}

/** A search query that Google would reject. */
export class BadQuery extends Error {}

type Condition = (file: SearchedFile) => boolean;

/** A text in single quotes; only `\'` and `\\` are escapes. */
const TEXT = String.raw`'((?:[^'\\]|\\['\\])*)'`;
const unquoted = (text: string): string => text.replaceAll(/\\(['\\])/g, "$1");
const folded = (text: string): string => text.toLowerCase();
const wordsOf = (name: string): string[] => folded(name).split(/[^\p{L}\p{N}]+/u);

/** `contains` on names matches only the start of words. */
function beginsWords(name: string, term: string): boolean {
  const words = wordsOf(name);
  return wordsOf(term)
    .filter((part) => part !== "")
    .every((part) => words.some((word) => word.startsWith(part)));
}

const CONDITIONS: readonly [RegExp, (text: string, value: string) => Condition][] = [
  [
    new RegExp(`^${TEXT} in parents`),
    (parent) =>
      ({ parents }) =>
        parents.includes(parent),
  ],
  [
    /^trashed\s*=\s*(true|false)/,
    (flag) =>
      ({ trashed }) =>
        trashed === (flag === "true"),
  ],
  [
    new RegExp(`^name\\s+contains\\s+${TEXT}`),
    (term) =>
      ({ name }) =>
        beginsWords(name, term),
  ],
  [
    new RegExp(`^name\\s*=\\s*${TEXT}`),
    (wanted) =>
      ({ name }) =>
        folded(name) === folded(wanted),
  ],
  [
    new RegExp(`^mimeType\\s*=\\s*${TEXT}`),
    (type) =>
      ({ mimeType }) =>
        mimeType === type,
  ],
  [
    new RegExp(`^appProperties\\s+has\\s+\\{\\s*key\\s*=\\s*${TEXT}\\s+and\\s+value\\s*=\\s*${TEXT}\\s*\\}`),
    (key, value) =>
      ({ appProperties }) =>
        appProperties[key] === value,
  ],
];

/** Parses a search query: conditions joined by `and`. @throws BadQuery */
export function readQuery(q: string): Condition {
  const conditions: Condition[] = [];
  for (let rest = q; ; ) {
    const known = CONDITIONS.map(([pattern, make]) => ({ match: pattern.exec(rest), make })).find(({ match }) => match);
    if (!known?.match) throw new BadQuery(`Invalid Value: ${rest}`);
    conditions.push(known.make(unquoted(known.match[1] ?? ""), unquoted(known.match[2] ?? "")));
    rest = rest.slice(known.match[0].length);
    if (rest === "") return (file) => conditions.every((holds) => holds(file));
    const joined = /^\s+and\s+/.exec(rest);
    if (!joined) throw new BadQuery(`Invalid Value: ${rest}`);
    rest = rest.slice(joined[0].length);
  }
}
