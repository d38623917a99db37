/** Edits that make one text of the other: letters added, left out, replaced, or two neighbours exchanged. */
function editsBetween(one: string, other: string): number {
  let [before, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isExchanged = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const [added, left, replaced] = [(row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1)];
      row[j] = Math.min(added, left, replaced, ...(isExchanged ? [(before[j - 2] ?? 0) + 1] : []));
    }
    [before, last] = [last, row];
  }
  return last[other.length] ?? 0;
}

/** A name that is none, with the right one next to it. */
export interface Unknown {
  name: string;
  nearest: string;
  /** True when it is so near that nothing else can be meant. */
  isMisspelt: boolean;
}

/** As many edits are a slip; more make another name. */
const SLIP = 3;

/**
 * The right name next to a wrong one: the one that differs by the fewest letters or, where that is more than a slip, one that has all of
 * its words, as `SERVICE_HTTP_PORT` has those of `SERVICE_PORT`. Upper and lower case count as equal.
 * @param names the right ones, at least one
 */
export function nearestTo(name: string, names: readonly string[]): Unknown {
  const wrong = name.toUpperCase();
  const edits = new Map(names.map((right) => [right, editsBetween(wrong, right.toUpperCase())]));
  const fewest = (among: readonly string[]) =>
    among.reduce((best, right) => ((edits.get(right) ?? 0) < (edits.get(best) ?? 0) ? right : best));
  const nearest = fewest(names);
  if ((edits.get(nearest) ?? 0) <= SLIP) return { name, nearest, isMisspelt: true };
  const wider = names.filter((right) => wrong.split("_").every((word) => right.toUpperCase().split("_").includes(word)));
  return { name, nearest: wider.length > 0 ? fewest(wider) : nearest, isMisspelt: false };
}
