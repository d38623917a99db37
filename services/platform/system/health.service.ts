import { runtime } from "../../../core/config/runtime.ts";
import { queryUnbound } from "../../../core/database/connection/database.ts";
import { action } from "../../../core/declare/action.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { diskHasRoom } from "./disk-room.ts";
import { Readiness } from "./system-schemas.ts";

const STEPS = statement("select array_agg(name order by name) as names from migrations");

/** The names of the migrations this database has; null if none or if the database is unreachable. */
export async function migrationState(): Promise<string[] | null> {
  const [row] = await queryUnbound<{ names: string[] }>(STEPS).catch(() => []);
  return row?.names ?? null;
}

export default service("health", {
  actions: {
    ready: action({
      rest: "GET /health/ready",
      summary: "Whether this instance can serve",
      description: "Any host name, no credential. Does not reveal which part is down.",
      open: "load balancers have no credentials",
      needs: "nothing",
      untenanted: true,
      returns: Readiness,
      otherStatuses: { 503: "Degraded" },
      exceptions: { host: "platform chapter: any host name" },
      async handler() {
        const steps = await migrationState();
        const isMigrated = steps !== null && runtime().migrations.every((name) => steps.includes(name));
        const ready = isMigrated && (await diskHasRoom().catch(() => false));
        return { status: ready ? 200 : 503, body: { status: ready ? "ok" : "degraded" } };
      },
    }),
  },
});
