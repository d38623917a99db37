import { AsyncLocalStorage } from "node:async_hooks";

/** The SQL statements of one request so far. */
export interface Tally {
  statements: number;
  /** Those of actors on other nodes; undefined if the request called none. */
  remote?: number;
  /** The request, with its action once the router has found it, for reports about its statements. */
  readonly request?: { readonly requestId: string; readonly action?: string };
}

const counting = new AsyncLocalStorage<Tally | null>();

/**
 * Runs work and counts the SQL statements it sends from this node, including those of actors it calls here. Begin, the statement that binds
 * a transaction to the organisation, and commit do not count.
 */
export const counted = <T>(tally: Tally, work: () => T): T => counting.run(tally, work);

/** Runs shared work that a request happens to trigger, such as leasing a rate limit: it counts for no request. */
export const uncounted = <T>(work: () => T): T => counting.run(null, work);

/** Counts statements about to be sent, if the current request is counted at all. */
export function countStatements(number: number): void {
  const tally = counting.getStore();
  if (tally) tally.statements += number;
}

/** Counts the statements that an actor on another node took for the current request. */
export function countRemote(number: number): void {
  const tally = counting.getStore();
  if (!tally) return;
  tally.remote = (tally.remote ?? 0) + number;
  // What a gateway reads itself, such as the caller, depends on what its cache has, and each gateway has its own.
  tally.statements = tally.request ? tally.remote : tally.statements + number;
}

/** The count of the current request; undefined outside one, null in shared work. */
export const currentTally = (): Tally | null | undefined => counting.getStore();
