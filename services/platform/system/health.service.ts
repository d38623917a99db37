import type { Logger } from "moleculer";
import { runtime } from "../../../core/config/runtime.ts";
import { queryUnbound } from "../../../core/database/connection/database.ts";
import { untenanted } from "../../../core/declare/makers/untenanted.ts";
import { isApiError } from "../../../core/errors/errors.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { diskHasRoom } from "./disk-room.ts";
import { Readiness } from "./system-schemas.ts";

const STEPS = statement("select array_agg(name order by name) as names from migrations");

/** SQLSTATE of a table that does not exist: no migration has run. */
const NO_TABLE = "42P01";

/**
 * The names of the migrations this database has; null if none has run, or if they cannot be read. Logs why, except for a database that is
 * away: the requests that need it report that.
 */
export async function migrationState(logger: Pick<Logger, "error">): Promise<string[] | null> {
  try {
    const [row] = await queryUnbound<{ names: string[] }>(STEPS);
    return row?.names ?? null;
  } catch (error) {
    if (!isApiError(error) && (error as { code?: string }).code !== NO_TABLE)
      logger.error(
        { event: "system.migrations_unreadable", error: (error as Error).message },
        "the migrations of the database cannot be read",
      );
    return null;
  }
}

export default service("health", {
  actions: {
    ready: untenanted({
      rest: "GET /health/ready",
      summary: "Whether this instance can serve",
      description: "Any host name, no credential. Does not reveal which part is down.",
      open: "load balancers have no credentials",
      returns: Readiness,
      otherStatuses: { 503: "Degraded" },
      exceptions: { host: "platform chapter: any host name" },
      async handler(ctx) {
        const steps = await migrationState(ctx.broker.logger);
        const isMigrated = steps !== null && runtime().migrations.every((name) => steps.includes(name));
        const ready = isMigrated && (await diskHasRoom().catch(() => false));
        return { status: ready ? 200 : 503, body: { status: ready ? "ok" : "degraded" } };
      },
    }),
  },
});
