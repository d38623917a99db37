/** Number of operations a proof touched in one run of its file, and those it skipped by exception. */
export interface Tally {
  proof: string;
  touched: number;
  excepted: string[];
}

const tallies: Tally[] = [];

export const addTally = (tally: Tally): void => void tallies.push(tally);

/** The tallies since the last call. */
export const takeTallies = (): Tally[] => tallies.splice(0);

/** Sums tallies per proof, over all parts of its file. */
export function sums(all: readonly Tally[]): Tally[] {
  return [...Map.groupBy(all, ({ proof }) => proof)].map(([proof, parts]) => ({
    proof,
    touched: parts.reduce((total, { touched }) => total + touched, 0),
    excepted: parts.flatMap(({ excepted }) => excepted),
  }));
}
