import { rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import pg from "pg";
import { startEmbedded } from "../core/embedded/server.ts";
import { migrate } from "../migrations/run.ts";
import { jobsOf } from "./support/run/jobs.ts";
import type { Result } from "./support/run/messages.ts";
import { Pool } from "./support/run/pool.ts";
import { lineOf, processorTime, summaryOf } from "./support/run/report.ts";
import { scratch } from "./support/run/scratch.ts";
import { selected } from "./support/run/selection.ts";
import { reportUses } from "./support/run/services.ts";
import { unproduced } from "./support/run/unproduced.ts";

/** The files that the command line names; ends with status 2 and a sentence if a word of it matches none. */
function chosen(): string[] {
  try {
    return selected(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
}

/**
 * Runs the tests on a PostgreSQL of their own, whose template is migrated once and cloned for every service that a test starts.
 * Ends with `N passed, N failed`.
 *   npm test                       everything
 *   npm test -- leave              the tests of one module
 *   npm test -- --changed          those of what has changed since main
 *   npm test -- 'test/unit/**'     files and globs
 */
// Two processes more than there are cores: many a file waits for a timer or for PostgreSQL, and a core would wait with it.
const workers = Number(process.env["TEST_WORKERS"] ?? availableParallelism() + 2);
const jobs = jobsOf(chosen(), workers);
if (jobs.length === 0) {
  process.stdout.write("Nothing that changed has a test.\n0 passed, 0 failed\n");
  process.exit(0);
}
const began = performance.now();
const { folder, database, temporary } = await scratch();
const server = await startEmbedded({ dataDir: database, durable: false, settings: { max_connections: "300" } });
const results: Result[] = [];
const admin = new pg.Client({ connectionString: server.url("superuser", "postgres") });
let postgres = 0;
try {
  await admin.connect();
  await admin.query("create database kantoor_template template kantoor owner kantoor_owner");
  await migrate(server.url("owner", "kantoor_template"), '"kantoor_app"');
  const pool = new Pool(jobs, {
    workers,
    env: {
      ...process.env,
      TMPDIR: temporary,
      TEST_SUPERUSER_URL: server.url("superuser", "postgres"),
      TEST_OWNER_URL: server.url("owner", "postgres"),
      TEST_APPLICATION_URL: server.url("application", "postgres"),
    },
    onDone(result) {
      results.push(result);
      process.stdout.write(lineOf(result));
    },
  });
  // A run that is ended early still stays to take PostgreSQL and its folder away.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => pool.end());
  await pool.run();
  postgres = processorTime(server.pid);
} finally {
  await admin.end();
  await server.stop({ force: true });
  await rm(folder, { recursive: true, force: true });
}
const everything = process.argv.length === 2 && process.env["PROOF_PATHS"] === undefined;
const missing = everything ? unproduced(new Set(results.flatMap(({ seen }) => seen))) : [];
const { text, failed } = summaryOf(results, performance.now() - began, postgres, missing);
process.stdout.write(text);
process.stdout.write(reportUses(new Map(results.map(({ job, use }) => [job.file, use]))));
const isWhole = results.length === jobs.length && failed === 0 && results.some(({ passed }) => passed > 0);
process.exitCode = isWhole ? 0 : 1;
