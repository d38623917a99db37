/** A line that cannot be understood: exit code 2. */
export class UsageError extends Error {}
/** A call that cannot be made as things are, such as one without a credential: exit code 1. */
export class StateError extends Error {}

/** Insertions, deletions, replacements and neighbours that changed places, between two words. */
function distance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row += 1) {
    const line = [row];
    const [before = [], earlier = []] = [rows[row - 1], rows[row - 2]];
    for (let column = 1; column <= to.length; column += 1) {
      const cost = from[row - 1] === to[column - 1] ? 0 : 1;
      const ways = [Number(before[column]) + 1, Number(line[column - 1]) + 1, Number(before[column - 1]) + cost];
      if (row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1])
        ways.push(Number(earlier[column - 2]) + 1);
      line.push(Math.min(...ways));
    }
    rows.push(line);
  }
  return rows.at(-1)?.at(-1) as number;
}

/** The names nearest to a word that is none of them, at most three; first those that it begins. */
export function nearest(word: string, names: readonly string[]): string[] {
  const limit = Math.max(1, Math.floor(word.length / 3));
  const far = (name: string) => (name.startsWith(word) || word.startsWith(name) ? 0 : distance(word, name));
  return names
    .map((name) => ({ name, far: far(name) }))
    .filter((one) => one.far <= limit)
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** `; did you mean a or b?`, or an empty text. */
export const didYouMean = (near: readonly string[]): string => (near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`);
