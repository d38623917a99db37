import path from "node:path";
import { pathToFileURL } from "node:url";
import { format } from "node:util";
import Mocha from "mocha";
// Gives a rule that is tested alone the errors it throws.
import "../../../core/declare/catalogue/catalogue.ts";
import { withoutNats } from "../cluster/cluster.ts";
import { takeReasons, topology } from "../cluster/topology.ts";
import { emptyResult, type Job, nameOf, type Order, type Result, type Word } from "./messages.ts";
import { setPart } from "./part.ts";
import { processorTime } from "./report.ts";
import { takeSeen } from "./seen.ts";
import { endShared, takeUse } from "./shared.ts";
import { takeTallies } from "./tally.ts";

/** A process of the suite: runs its jobs one after another until asked to exit. */
const ROOT = path.join(import.meta.dirname, "../../..");
const { Base } = Mocha.reporters;
const { EVENT_HOOK_BEGIN, EVENT_HOOK_END, EVENT_RUN_END, EVENT_TEST_BEGIN } = Mocha.Runner.constants;
const { EVENT_FILE_PRE_REQUIRE } = Mocha.Suite.constants;

/** Timeouts are multiplied by this: they stop what hangs, and must not fail what is only slow. A cluster is five processes that start. */
const PATIENCE = topology() === "cluster" ? 16 : 4;

const awaited = new WeakSet<Mocha.Runnable>();
/** Extends the timeout of a test or hook once; a hook may run many times. */
function bePatient(runnable: Mocha.Runnable): void {
  if (!awaited.has(runnable)) runnable.timeout(PATIENCE * runnable.timeout());
  awaited.add(runnable);
}

/** The machine's clock, saved before tests replace the one everything else reads. */
const now = performance.now.bind(performance);
const send = (word: Word) => process.send?.(word);

/** The lines mocha prints about failures, with diffs. */
function wordsAbout(failures: Mocha.Test[]): string {
  const lines: string[] = [];
  const printed = Base.consoleLog;
  Base.consoleLog = (text = "", ...values: unknown[]) => lines.push(format(text, ...values));
  Base.list(failures);
  Base.consoleLog = printed;
  return lines.join("\n");
}

/** Why a file that was just loaded does not run on a cluster; null if it runs. */
function leftOut(): string | null {
  const [reason] = takeReasons();
  if (topology() === "one") return null;
  return reason === undefined ? withoutNats() : `needs one process: ${reason}`;
}

async function run(job: Job): Promise<Result> {
  const [began, cpu] = [now(), processorTime(process.pid)];
  const result = emptyResult(job);
  class Quiet extends Base {
    constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
      super(runner, options);
      let hookBegan = 0;
      runner.on(EVENT_HOOK_BEGIN, (hook) => {
        hookBegan = now();
        bePatient(hook);
        send({ began: hook.fullTitle() });
      });
      runner.on(EVENT_HOOK_END, () => (result.hooks += now() - hookBegan));
      runner.on(EVENT_TEST_BEGIN, (test) => {
        bePatient(test);
        send({ began: test.fullTitle() });
      });
      runner.once(EVENT_RUN_END, () => {
        const { passes, failures, pending } = this.stats;
        Object.assign(result, { passed: passes, failed: failures, skipped: pending, report: wordsAbout(this.failures) });
      });
    }
  }
  const mocha = new Mocha({ timeout: 60_000, reporter: Quiet, color: false });
  setPart(job.part);
  try {
    const file = path.resolve(ROOT, job.file);
    mocha.suite.emit(EVENT_FILE_PRE_REQUIRE, globalThis, file, mocha);
    // Not mocha's own loader: a module loads once per URL, and every part of a file needs its tests again.
    await import(`${pathToFileURL(file)}?part=${job.part.index}`);
    const why = leftOut();
    if (why === null) await new Promise<void>((resolve) => mocha.run(() => resolve()));
    else Object.assign(result, { skipped: 1, leftOut: why });
  } catch (error) {
    Object.assign(result, { failed: result.failed + 1, report: `\n  ${nameOf(job)} broke off:\n${(error as Error).stack}\n` });
  } finally {
    mocha.dispose();
  }
  return {
    ...result,
    took: now() - began,
    cpu: processorTime(process.pid) - cpu,
    tallies: takeTallies(),
    seen: takeSeen(),
    use: takeUse(),
    memory: process.memoryUsage.rss(),
  };
}

// The run was killed: what this process started must not outlive it.
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));
process.on("message", async (job: Order) => {
  if (!job?.shares) await endShared();
  if (job === null) process.exit();
  send({ done: await run(job) });
});
