import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type EmbeddedServer, startEmbedded } from "../../core/embedded/server.ts";
import { migrate, roleOf } from "../../migrations/run.ts";

/** The process of PostgreSQL, wherever its cluster had to be put. */
function postmaster(dataDir: string): number {
  const place = path.join(dataDir, "postgres-location");
  const cluster = existsSync(place) ? readFileSync(place, "utf8").trim() : path.join(dataDir, "postgres");
  return Number(readFileSync(path.join(cluster, "postmaster.pid"), "utf8").split("\n")[0]);
}

/** A PostgreSQL of a crash run's own, migrated, which can be killed at any moment. */
export class CrashDatabase {
  server!: EmbeddedServer;
  dataDir = "";

  /**
   * @param migrated false: the database is left empty, for the schema of another version
   * @param prepare makes its empty folder ready
   */
  async open({ migrated = true, prepare = (_dataDir: string): unknown => undefined } = {}): Promise<void> {
    this.dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-crash-"));
    await prepare(this.dataDir);
    this.server = await startEmbedded({ dataDir: this.dataDir });
    if (migrated) await migrate(this.server.url("owner"), roleOf(this.server.url("application")));
  }

  /** `kill -9`, a moment of nothing, and a start that has to recover. */
  async kill(): Promise<void> {
    process.kill(postmaster(this.dataDir), "SIGKILL");
    await delay(Math.random() * 500);
    this.server = await startEmbedded({ dataDir: this.dataDir });
  }

  /** Works on a connection as the role that owns the tables. @throws the error of a server that is down */
  async asOwner<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.server.url("owner") });
    client.on("error", () => {});
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end().catch(() => {});
    }
  }

  async close(): Promise<void> {
    await this.server?.stop({ force: true });
    if (this.dataDir) await rm(this.dataDir, { recursive: true, force: true });
  }
}

const TIMEOUT = 180_000;
const LEFT = `select (select count(*) from outbox)::int + (select count(*) from jobs.ordered)::int
  + (select count(*) from jobs.agenda_jobs where type = 'normal')::int as left`;

/** Waits until no event and no job is left to do. Gives how many are when the time is up. */
export async function rest(database: CrashDatabase): Promise<number> {
  let left = -1;
  for (const deadline = Date.now() + TIMEOUT; left !== 0 && Date.now() < deadline; await delay(200))
    left = await database
      .asOwner(async (client) => (await client.query<{ left: number }>(LEFT)).rows[0]?.left ?? -1)
      .catch(() => -1);
  return left;
}

/**
 * Kills at random moments of a piece of work.
 * @param done how much of it is done, of `total`
 */
export async function killing(times: number, total: number, done: () => number, kill: () => Promise<void>): Promise<void> {
  const moments = Array.from({ length: times }, () => (0.01 + 0.95 * Math.random()) * total);
  for (const moment of moments.sort((one, other) => one - other)) {
    for (const deadline = Date.now() + TIMEOUT; done() < moment && Date.now() < deadline; ) await delay(2);
    await delay(Math.random() * 30);
    await kill();
  }
}
