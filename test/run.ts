import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { startEmbedded } from "../core/embedded/server.ts";
import { migrate } from "../migrations/run.ts";
import type { FileResult } from "./support/run/messages.ts";
import { ordered } from "./support/run/order.ts";
import { Pool } from "./support/run/pool.ts";
import { lineOf, processorTime, summaryOf } from "./support/run/report.ts";
import { selected } from "./support/run/selection.ts";

/**
 * Runs the tests on a PostgreSQL of their own, whose template is migrated once and cloned for every service that a test starts.
 * Ends with `N passed, N failed`.
 *   npm test                       everything
 *   npm test -- leave              the tests of one module
 *   npm test -- --changed          those of what has changed since main
 *   npm test -- 'test/unit/**'     files and globs
 */
const files = ordered(selected(process.argv.slice(2)));
const began = performance.now();
const folder = await mkdtemp(path.join(tmpdir(), "kantoor-test-"));
const server = await startEmbedded({ dataDir: folder, durable: false, settings: { max_connections: "300" } });
const results: FileResult[] = [];
let postgres = 0;
try {
  const admin = new pg.Client({ connectionString: server.url("superuser", "postgres") });
  await admin.connect();
  await admin.query("create database kantoor_template template kantoor owner kantoor_owner");
  await migrate(server.url("owner", "kantoor_template"), '"kantoor_app"');
  const pool = new Pool(files, {
    workers: Number(process.env["TEST_WORKERS"] ?? Math.max(2, availableParallelism())),
    env: {
      ...process.env,
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
  await admin.end();
  postgres = processorTime(server.pid);
} finally {
  await server.stop({ force: true });
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(summaryOf(results, performance.now() - began, postgres));
const failed = results.some((result) => result.failed > 0) || results.length < files.length;
process.exitCode = failed || results.every(({ passed }) => passed === 0) ? 1 : 0;
