/** Number of edits between two texts: letters added, removed, replaced, or two neighbours swapped. */
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

/** An unknown name, with the nearest known one. */
export interface Unknown {
  name: string;
  nearest: string;
  /** Whether it is close enough to count as a typing error. */
  isMisspelt: boolean;
}

/** Maximum edits of a typing error; more make a different name. */
const SLIP = 3;

/**
 * The known name nearest to an unknown one: the one with the fewest edits. If that exceeds a typing error, a name that contains all words
 * of the unknown one wins, as `SERVICE_HTTP_PORT` does for `SERVICE_PORT`. Ignores case.
 * @param names the known ones, at least one
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

/** Longest name for which a similar one is suggested, in characters: none of ours is half as long. */
const LONGEST = 64;
/** Maximum number of unknown names that one error lists. */
export const MOST_UNKNOWN = 20;

/**
 * The nearest known name of each unknown one, as an error reports them: at most `MOST_UNKNOWN`, none for a name too long to be a slip.
 * @param unknown the label of each unknown name in the error, and the name
 * @param known the known names; if there are none, nothing is near
 */
export const nearestNames = (
  unknown: Iterable<readonly [at: string, name: string]>,
  known: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    [...unknown]
      .slice(0, MOST_UNKNOWN)
      .filter(([, name]) => known.length > 0 && name.length <= LONGEST)
      .map(([at, name]) => [at, nearestTo(name, known).nearest]),
  );
