import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { buildAhead, dropAhead, indexesOf, type NamedIndex, plain, withAhead } from "./ahead.ts";
import { type PauseWatch, Yielded } from "./pauses.ts";
import { MigrationRefused } from "./refused.ts";
import type { Step } from "./step.ts";

/** How long a statement of a step waits for a lock, in milliseconds. */
const LOCK_TIMEOUT = 2000;
/** Waits between the attempts of a step, in milliseconds: about a minute and a half in all. */
export const STEP_WAITS: readonly number[] = [100, 200, 400, 800, 1600, 3200, 5000, 8000, 10_000, 15_000, 20_000, 25_000];

/** Deadlock, lock timeout and serialization failure: another session was in the way. */
const IN_THE_WAY = new Set(["40P01", "55P03", "40001"]);

/** The tools with which steps are applied. */
export interface Applying {
  client: pg.Client;
  /** Watches the sessions that wait behind the client. */
  watch: PauseWatch;
  /** Quoted name of the application role. */
  application: string;
  /** Receives a sentence for each attempt that is repeated. */
  log(line: string): void;
  /** Waits between the attempts, in milliseconds; after the last attempt the step is refused. */
  waits?: readonly number[];
}

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? "";
const isInTheWay = (error: unknown): boolean => error instanceof Yielded || IN_THE_WAY.has(codeOf(error));

/** Why an attempt did not succeed, for the log. */
function reasonOf(error: unknown): string {
  if (error instanceof Yielded) return "other sessions waited behind it";
  return codeOf(error) === "40P01" ? "it met a deadlock" : "another session held a lock that it needs";
}

/** The indexes of a step, and the names of those that were built before its transaction. */
interface Ahead {
  indexes: readonly NamedIndex[];
  built: Set<string>;
}

/** Builds what can be built in parallel with the work of others, then runs the step in one transaction. */
async function attempt(
  name: string,
  step: Step,
  { indexes, built }: Ahead,
  { client, watch, application }: Applying,
): Promise<void> {
  // To build an index concurrently is to wait for the transactions of others, and no writer waits for that.
  await client.query("set lock_timeout = 0");
  await watch.during(() => buildAhead(client, indexes, built));
  await client.query(`set lock_timeout = ${LOCK_TIMEOUT}`);
  const done = new Set<string>();
  await watch.during(async (check) => {
    const send = (text: string, values?: unknown[]) => {
      check();
      return client.query(text, values);
    };
    for (const statement of (await step.ahead?.(send)) ?? []) done.add(plain(statement));
  });
  await watch.during(async (check) => {
    const send = (text: string, values?: unknown[]) => {
      check();
      return client.query(text, values);
    };
    await send("begin");
    try {
      const sql = (text: string, values?: unknown[]) => send(values ? text : withAhead(text, built, done), values);
      await step.up({ sql, application });
      await send("insert into migrations (name) values ($1)", [name]);
      await send("commit");
    } catch (error) {
      await client.query("rollback");
      throw error;
    }
  });
}

/**
 * Applies one step. Other sessions wait for it less than a second: it is cancelled, rolled back and repeated after a growing wait when they
 * do, and also when it meets a deadlock or does not get a lock within two seconds.
 * @throws MigrationRefused when no attempt succeeded; nothing of the step's transaction is left, and other nodes go on
 */
export async function applyStep(name: string, step: Step, applying: Applying): Promise<void> {
  const { client, log, waits = STEP_WAITS } = applying;
  const ahead: Ahead = { indexes: await indexesOf(step), built: new Set() };
  for (let tried = 1; ; tried++)
    try {
      return await attempt(name, step, ahead, applying);
    } catch (error) {
      if (!isInTheWay(error)) throw error;
      const wait = waits[tried - 1];
      if (wait === undefined) {
        await dropAhead(client, ahead.built).catch(() => {});
        throw new MigrationRefused(
          `The schema's step ${name} was tried ${tried} times while the service runs, and each time ${reasonOf(error)}: ` +
            "the other nodes go on. Start this node again at a quiet hour, or stop the others first.",
        );
      }
      log(`The schema's step ${name} is repeated in ${wait} ms: ${reasonOf(error)}.`);
      await delay(wait);
    }
}
