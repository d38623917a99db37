/**
 * SQL: of a run under way nothing has been heard for longer than any of its actions takes, so that no node does it any more. A run that keeps
 * its actions can be gone on with; one that a node of an earlier version began cannot.
 * @param alias of the run
 */
export const ABANDONED = (alias: string): string =>
  `${alias}.actions is not null and ${alias}.updated_at < statement_timestamp() - interval '15 minutes'`;
