import type { Logger } from "moleculer";
import { queryUnbound } from "../database/connection/database.ts";
import { isApiError } from "../errors/errors.ts";
import { statement } from "../sql/statement.ts";

const STEPS = statement("select array_agg(name order by name) as names from migrations");

/** SQLSTATE of a table that does not exist: no migration has run. */
const NO_TABLE = "42P01";

/** What a node can say about the migrations of its database. */
export interface MigrationState {
  /** The names of the migrations the database has; null if none has run, or if they cannot be read. */
  names: string[] | null;
  /** Whether the database answered at all. */
  isReached: boolean;
}

/**
 * Reads which migrations the database has. Logs why it cannot, except for a database that is away: the requests that need it report
 * that.
 */
export async function migrationState(logger: Pick<Logger, "error">): Promise<MigrationState> {
  try {
    const [row] = await queryUnbound<{ names: string[] }>(STEPS);
    return { names: row?.names ?? null, isReached: true };
  } catch (error) {
    if (isApiError(error)) return { names: null, isReached: false };
    if ((error as { code?: string }).code !== NO_TABLE)
      logger.error(
        { event: "system.migrations_unreadable", error: (error as Error).message },
        "the migrations of the database cannot be read",
      );
    return { names: null, isReached: true };
  }
}
