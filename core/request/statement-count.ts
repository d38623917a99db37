import { AsyncLocalStorage } from "node:async_hooks";

/** The SQL statements of one request so far. */
export interface Tally {
  statements: number;
}

const counting = new AsyncLocalStorage<Tally | null>();

/**
 * Runs work and counts the SQL statements it sends from this node, those of the actors it calls here included. Statements around a
 * transaction (begin, the one that binds it to the organisation, commit) do not count.
 */
export const counted = <T>(tally: Tally, work: () => T): T => counting.run(tally, work);

/** Runs what a request sets off for the node and all its requests, such as the lease of a rate limit: it counts for none. */
export const uncounted = <T>(work: () => T): T => counting.run(null, work);

/** Counts statements about to be sent, where the running request is counted at all. */
export function countStatements(number: number): void {
  const tally = counting.getStore();
  if (tally) tally.statements += number;
}
