import pg from "pg";
import { until } from "./jobs.ts";
import type { TestService } from "./service.ts";

const OPEN = `select 1 from pg_stat_activity
  where datname = current_database() and usename = 'kantoor_app' and state like 'idle in transaction%'`;

/**
 * Waits until no connection of the service is inside a transaction. A job may be in one for a moment; a call that waits for a provider must
 * not be. It connects as superuser, because other roles cannot see the activity of the service's connections.
 */
export async function noneInTransaction({ database }: Pick<TestService, "database">): Promise<void> {
  const admin = new pg.Client({ connectionString: database.superuser });
  await admin.connect();
  try {
    await until(async () => (await admin.query(OPEN)).rowCount === 0);
  } finally {
    await admin.end();
  }
}
