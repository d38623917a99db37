import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import type { Answer, Work } from "./thread-pool.ts";

/** The niceness of these threads, so that requests get the processor first: Linux has a priority per thread (sched(7)). */
const NICENESS = 10;

/**
 * A thread of the pool: loads a task's module at its first use and handles one message after another. It gets none of the process's
 * environment, only what is sent to it.
 */
function serve(port: NonNullable<typeof parentPort>): void {
  // Elsewhere the priority applies to the whole process.
  if (process.platform === "linux") setPriority(0, NICENESS);
  const answer = (message: Answer) => port.postMessage(message);
  port.on("message", async ({ task, input }: Work) => {
    try {
      const { default: run } = (await import(task)) as { default: (value: unknown) => unknown };
      const { user, system } = process.threadCpuUsage();
      answer({ kind: "begun", used: user + system });
      answer({ kind: "done", value: await run(input) });
    } catch (error) {
      answer({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
    }
  });
}

if (parentPort) serve(parentPort);
