import path from "node:path";
import { format } from "node:util";
import Mocha from "mocha";
import { leave } from "./leaving.ts";
import type { FileResult, Order, Word } from "./messages.ts";

/** One process of the suite: runs the files it is given, one after another, until it is told to end. */
const ROOT = path.join(import.meta.dirname, "../../..");
const { Base } = Mocha.reporters;
const { EVENT_HOOK_BEGIN, EVENT_HOOK_END, EVENT_RUN_END, EVENT_TEST_BEGIN } = Mocha.Runner.constants;

const send = (word: Word) => process.send?.(word);

/** The lines mocha writes about failures, each with the difference of what was and what should be. */
function wordsAbout(failures: Mocha.Test[]): string {
  const lines: string[] = [];
  const printed = Base.consoleLog;
  Base.consoleLog = (text = "", ...values: unknown[]) => lines.push(format(text, ...values));
  Base.list(failures);
  Base.consoleLog = printed;
  return lines.join("\n");
}

async function run(file: string): Promise<FileResult> {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const result = { file, passed: 0, failed: 0, skipped: 0, took: 0, hooks: 0, cpu: 0, report: "" };
  class Quiet extends Base {
    constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
      super(runner, options);
      let hookBegan = 0;
      runner.on(EVENT_HOOK_BEGIN, (hook) => {
        hookBegan = performance.now();
        send({ began: hook.fullTitle() });
      });
      runner.on(EVENT_HOOK_END, () => (result.hooks += performance.now() - hookBegan));
      runner.on(EVENT_TEST_BEGIN, (test) => send({ began: test.fullTitle() }));
      runner.once(EVENT_RUN_END, () => {
        const { passes, failures, pending } = this.stats;
        Object.assign(result, { passed: passes, failed: failures, skipped: pending, report: wordsAbout(this.failures) });
      });
    }
  }
  const mocha = new Mocha({ timeout: 30_000, reporter: Quiet, color: false });
  mocha.addFile(path.resolve(ROOT, file));
  try {
    await mocha.loadFilesAsync();
    await new Promise<void>((resolve) => mocha.run(() => resolve()));
  } catch (error) {
    Object.assign(result, { failed: result.failed + 1, report: `\n  ${file} cannot be loaded:\n${(error as Error).stack}\n` });
  } finally {
    mocha.dispose();
  }
  const { user, system } = process.cpuUsage(cpu);
  return { ...result, took: performance.now() - began, cpu: (user + system) / 1000 };
}

process.on("message", async ({ file, shares }: Order) => {
  if (!shares) await leave();
  if (file === null) process.exit();
  send({ done: await run(file) });
});
