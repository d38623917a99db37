import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { startEmbedded } from "../../core/embedded/server.ts";
import { knownSteps, migrate, roleOf } from "../run.ts";

/**
 * Runs work on a migrated database of its own, in a temporary PostgreSQL. The schema has no search functions, which follow the lists.
 * @param bySteps makes the schema from the steps, and not from the baseline
 * @param work gets a connection as the role that owns the tables
 */
export async function onScratch<T>(bySteps: boolean, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-schema-"));
  // PostgreSQL's own account must be able to reach it.
  await chmod(dataDir, 0o711);
  try {
    const server = await startEmbedded({ dataDir, durable: false });
    try {
      await migrate(server.url("owner"), roleOf(server.url("application")), knownSteps(), { baseline: !bySteps });
      const client = new pg.Client({ connectionString: server.url("owner") });
      await client.connect();
      return await work(client).finally(() => client.end());
    } finally {
      await server.stop({ force: true });
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
