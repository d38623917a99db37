import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { startEmbedded } from "../core/embedded/server.ts";
import { migrate } from "../migrations/run.ts";

/**
 * Runs every test on a PostgreSQL of its own: a template is migrated once and cloned per test file. Files run side by side, but for
 * those under `test/start` and `test/system`, which start whole processes and measure time. Ends with `N passed, N failed`.
 */
const ROOT = path.join(import.meta.dirname, "..");
const patterns = process.argv.slice(2);

/** Longest one round may take, in milliseconds: a test that hangs is a failure, not a wait without end. */
const LONGEST = 1_500_000;

interface Tally {
  passed: number;
  failed: number;
}

function mocha(files: string[], jobs: number, env: NodeJS.ProcessEnv): Promise<Tally> {
  const args = [
    path.join(ROOT, "node_modules/mocha/bin/mocha.js"),
    "--reporter",
    path.join(ROOT, "test/support/reporter.cjs"),
    ...files,
  ];
  if (jobs > 1) args.splice(1, 0, "--parallel", "--jobs", String(jobs));
  else args.splice(1, 0, "--no-parallel");
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ["ignore", "inherit", "inherit", "ipc"] });
    let tally: Tally | null = null;
    child.on("message", (message) => (tally = message as Tally));
    // Whoever ends the run early, this process stays to take PostgreSQL and its folder away.
    const end = () => child.kill("SIGKILL");
    const late = setTimeout(end, LONGEST);
    process.on("SIGTERM", end).on("SIGINT", end);
    child.on("exit", (code, signal) => {
      clearTimeout(late);
      process.off("SIGTERM", end).off("SIGINT", end);
      const { passed, failed } = tally ?? { passed: 0, failed: 0 };
      const unfinished = signal !== null || (code !== 0 && failed === 0);
      resolve({ passed, failed: failed + (unfinished ? 1 : 0) });
    });
  });
}

const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-test-"));
const server = await startEmbedded({ dataDir, durable: false, settings: { max_connections: "300" } });
let total: Tally = { passed: 0, failed: 0 };
try {
  const admin = new pg.Client({ connectionString: server.url("superuser", "postgres") });
  await admin.connect();
  await admin.query("create database kantoor_template template kantoor owner kantoor_owner");
  await admin.end();
  await migrate(server.url("owner", "kantoor_template"), '"kantoor_app"');
  const env = {
    ...process.env,
    TEST_SUPERUSER_URL: server.url("superuser", "postgres"),
    TEST_OWNER_URL: server.url("owner", "postgres"),
    TEST_APPLICATION_URL: server.url("application", "postgres"),
  };
  const runs =
    patterns.length > 0
      ? [{ files: patterns, jobs: 1 }]
      : [
          { files: ["test/unit/**/*.test.ts", "test/api/**/*.test.ts"], jobs: Math.max(2, availableParallelism()) },
          { files: ["test/start/**/*.test.ts", "test/system/**/*.test.ts"], jobs: 1 },
        ];
  for (const { files, jobs } of runs) {
    const { passed, failed } = await mocha(files, jobs, env);
    total = { passed: total.passed + passed, failed: total.failed + failed };
  }
} finally {
  await server.stop({ force: true });
  await rm(dataDir, { recursive: true, force: true });
}
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
