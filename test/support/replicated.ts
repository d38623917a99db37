import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { type EmbeddedServer, startEmbedded } from "../../core/embedded/server.ts";
import { migrate, roleOf } from "../../migrations/run.ts";
import { until } from "./jobs.ts";

/** Settings of a primary that has replicas; the test's data need not survive the machine. */
const STREAMING = { wal_level: "replica", max_wal_senders: "5", synchronous_commit: "on" };

/** A migrated PostgreSQL with a streaming replica. */
export interface Replicated {
  primary: EmbeddedServer;
  /** Address of the replica as the application role. It stays the same when the replica is killed and started again. */
  replicaUrl: string;
  /** Stops or resumes the replay of the primary's log on the replica. */
  replay(does: "pause" | "resume"): Promise<void>;
  /** Waits until the replica has all that the primary has. */
  caughtUp(): Promise<void>;
  /** `kill -9` of the replica. */
  killReplica(): Promise<void>;
  startReplica(): Promise<void>;
  stop(): Promise<void>;
}

async function asSuperuser<T>(server: EmbeddedServer, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server.url("superuser") });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Starts both: the replica is a copy of the stopped primary's folder that follows its log from there. */
export async function startReplicated(): Promise<Replicated> {
  const folder = await mkdtemp(path.join(tmpdir(), "kantoor-replicas-"));
  await chmod(folder, 0o755);
  const [primaryDir, replicaDir] = [path.join(folder, "primary"), path.join(folder, "replica")];
  const startPrimary = () => startEmbedded({ dataDir: primaryDir, durable: false, settings: STREAMING });
  const made = await startPrimary();
  await migrate(made.url("owner"), roleOf(made.url("application")));
  await made.stop({ force: true });
  await promisify(execFile)("cp", ["-a", primaryDir, replicaDir]);
  await writeFile(path.join(replicaDir, "postgres", "standby.signal"), "");
  const primary = await startPrimary();
  const { password } = new URL(primary.url("superuser"));
  const conninfo = `host=${primary.socketDirectory} port=${primary.port} user=postgres password=${password}`;
  const startReplica = () =>
    startEmbedded({ dataDir: replicaDir, durable: false, settings: { ...STREAMING, primary_conninfo: conninfo } });
  let replica = await startReplica();
  const replicaUrl = replica.url("application");
  return {
    primary,
    replicaUrl,
    replay: (does) =>
      asSuperuser(replica, async (client) => {
        await client.query(`select pg_wal_replay_${does}()`);
        if (does === "pause")
          await until(async () => (await client.query("select pg_get_wal_replay_pause_state() as now")).rows[0].now === "paused");
      }),
    async caughtUp() {
      const { position } = await asSuperuser(
        primary,
        async (client) => (await client.query("select pg_current_wal_flush_lsn()::text as position")).rows[0],
      );
      await asSuperuser(replica, (client) =>
        until(async () => (await client.query("select pg_last_wal_replay_lsn() >= $1::pg_lsn as is", [position])).rows[0].is),
      );
    },
    async killReplica() {
      process.kill(replica.pid, "SIGKILL");
      await until(() => {
        try {
          process.kill(replica.pid, 0);
          return false;
        } catch {
          return true;
        }
      });
    },
    async startReplica() {
      replica = await startReplica();
    },
    async stop() {
      await replica.stop({ force: true });
      await primary.stop({ force: true });
      await rm(folder, { recursive: true, force: true });
    },
  };
}
