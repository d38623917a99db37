import { writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { type CommandLine, readCommandLine, shareOf } from "./support/run/command-line.ts";
import { jobsOf } from "./support/run/jobs.ts";
import { watchMemory } from "./support/run/memory.ts";
import { nameOf, type Result } from "./support/run/messages.ts";
import { Pool } from "./support/run/pool.ts";
import { lineOf, processorTime, summaryOf } from "./support/run/report.ts";
import { scratch } from "./support/run/scratch.ts";
import { selected } from "./support/run/selection.ts";
import { reportUses } from "./support/run/services.ts";
import { startCluster } from "./support/run/template.ts";
import { unproduced } from "./support/run/unproduced.ts";

/** The command line and its files; ends with status 2 and a sentence if a word of it means nothing. */
function read(): { asked: CommandLine; files: string[] } {
  try {
    const asked = readCommandLine(process.argv.slice(2));
    return { asked, files: shareOf(selected(asked), asked.shard) };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
}

/**
 * Runs the tests on a PostgreSQL of their own, whose template is migrated once and cloned for every service that a test starts.
 * Ends with `N passed, N failed`.
 *   npm test                       the first tier
 *   npm run test:all               both tiers, every test in its full size
 *   npm run test:all -- --shard 2/6
 *   npm test -- leave              the tests of one module
 *   npm test -- 'test/unit/**'     files and globs
 *   npm test -- --changed          those that what has changed since main can break, the likeliest first
 *   npm run test:all -- --rest --changed --within 1500
 *                                  of them only what `npm test` does not run, and none that begins after so many seconds
 */
const { asked, files } = read();
// Two processes more than there are cores: many a file waits for a timer or for PostgreSQL, and a core would wait with it. A process pays
// as much for its first service as for some files, so few files share few processes.
const workers = Number(process.env["TEST_WORKERS"] ?? Math.min(availableParallelism() + 2, Math.ceil(files.length / 3)));
const jobs = jobsOf(files, workers, asked.changed);
if (jobs.length === 0) {
  process.stdout.write("Nothing that changed has a test.\n0 passed, 0 failed\n");
  process.exit(0);
}
const began = performance.now();
const { folder, database, temporary } = await scratch();
const memory = watchMemory(folder);
const server = await startCluster(database);
const results: Result[] = [];
const pool = new Pool(jobs, {
  workers,
  within: asked.within,
  env: {
    ...process.env,
    TMPDIR: temporary,
    TEST_TIER: asked.tier,
    TEST_SUPERUSER_URL: server.url("superuser", "postgres"),
    TEST_OWNER_URL: server.url("owner", "postgres"),
    TEST_APPLICATION_URL: server.url("application", "postgres"),
  },
  onDone(result) {
    results.push(result);
    process.stdout.write(lineOf(result));
  },
});
let postgres = 0;
let most = { processes: 0, files: 0 };
try {
  // A run that is ended early still stays to take PostgreSQL and its folder away.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => pool.end());
  await pool.run();
  postgres = processorTime(server.pid);
  most = memory.stop();
} finally {
  await server.stop({ force: true });
  await rm(folder, { recursive: true, force: true });
}
const isWhole = asked.tier === "all" && process.argv.length === 3 && process.env["PROOF_PATHS"] === undefined;
const seen = [...new Set(results.flatMap((result) => result.seen))].sort();
if (asked.seen !== undefined) writeFileSync(asked.seen, JSON.stringify(seen));
const { text, failed } = summaryOf(results, {
  tier: asked.tier,
  took: performance.now() - began,
  postgres,
  memory: most,
  missing: isWhole ? unproduced(new Set(seen)) : [],
  left: asked.within === undefined ? [] : pool.left.map(nameOf),
});
process.stdout.write(text);
process.stdout.write(reportUses(new Map(results.map(({ job, use }) => [job.file, use]))));
const isGreen = results.length + pool.left.length === jobs.length && failed === 0 && results.some(({ passed }) => passed > 0);
process.exitCode = isGreen && (pool.left.length === 0 || asked.within !== undefined) ? 0 : 1;
