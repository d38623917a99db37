/**
 * SQL: a run in progress was last updated longer ago than any action takes, so no node is executing it. A run with stored actions can be
 * continued; one begun by a node of an earlier version cannot.
 * @param alias of the run
 */
export const ABANDONED = (alias: string): string =>
  `${alias}.actions is not null and ${alias}.updated_at < statement_timestamp() - interval '15 minutes'`;
