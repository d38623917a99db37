import { setTimeout as delay } from "node:timers/promises";
import { queryUnbound } from "../database/connection/database.ts";
import { enqueue, queryOne } from "../database/query.ts";
import { type InstallationRun, type OrganisationRun, type Run, schedule } from "../jobs/jobs.ts";
import { request } from "../request/context.ts";
import { BY_INDEX, MOST_AT_ONCE, type OldRows, type OldRowsEverywhere } from "../sql/old-rows.ts";

/** How long a turn of one organisation's job lasts, in ms: then the jobs of the others come first. */
const TURN = 15_000;
/** How long an installation's job clears, in ms. */
const LONGEST = 3_000_000;
/** The timeout of an installation's job that clears, in ms: longer than it clears. */
export const CLEARING_TIMEOUT = 3_600_000;

/** What clearing needs of a job's run. */
type Clearing = Pick<Run, "id" | "signal" | "logger">;
/** What clearing needs of the run of an organisation's job. */
export type ClearingRun = Clearing & Pick<OrganisationRun, "name" | "organisation" | "write">;

interface Batch {
  found: number;
  last: string | null;
}

/**
 * Removes old rows, one transaction per batch. It rests after each batch for as long as that took, so that it costs at most half of a
 * connection's time. A crash loses no more than the running batch, whose rows stay.
 * @returns whether none are left
 */
async function inBatches(
  run: Clearing,
  { table, days }: OldRows,
  until: number,
  remove: (values: unknown[]) => Promise<Batch>,
): Promise<boolean> {
  let rows = 0;
  let batches = 0;
  let isOver = false;
  for (let after: string | null = null; !isOver && Date.now() < until && !run.signal.aborted; ) {
    const began = Date.now();
    const { found, last } = await remove([days(), after]);
    rows += found;
    batches += found > 0 ? 1 : 0;
    after = last;
    isOver = found < MOST_AT_ONCE;
    if (!isOver) await delay(Math.min(1_000, Date.now() - began), undefined, { signal: run.signal }).catch(() => undefined);
  }
  if (rows > 0 || !isOver)
    run.logger.info(
      { event: "jobs.rows_cleared", job: run.id, table, rows, batches, is_over: isOver },
      `removed old rows of ${table}`,
    );
  return isOver;
}

/**
 * Removes the running organisation's old rows in batches, within one turn. What is left then has another turn, after the jobs of other
 * organisations that wait.
 * @returns whether none are left
 */
export async function clearOld(run: ClearingRun, ...kinds: readonly OldRows[]): Promise<boolean> {
  const until = Date.now() + TURN;
  const remove = (kind: OldRows) => (values: unknown[]) =>
    run.write(async () => {
      enqueue(BY_INDEX);
      return (await queryOne<Batch>(kind.batch, [run.organisation.id, ...values])) as Batch;
    });
  for (const kind of kinds)
    if (!(await inBatches(run, kind, until, remove(kind)))) {
      // Like a job of the clock it ends where the organisation is suspended or its plan has lapsed.
      if (!run.signal.aborted) await run.write(async () => void schedule(run.name, {}, { dedupe: "rest schedule" }));
      return false;
    }
  return true;
}

/** Removes the old rows of all organisations in batches: each kind has a share of the time. What is left then, the next run removes. */
export async function clearOldEverywhere(run: InstallationRun, ...kinds: readonly OldRowsEverywhere[]): Promise<void> {
  for (const kind of kinds)
    await inBatches(
      run,
      kind,
      Date.now() + LONGEST / kinds.length,
      async (values) => (await queryUnbound<Batch>(kind.batch, values))[0] as Batch,
    );
}

/** Removes one batch of the running organisation's old rows in its transaction, for short-lived rows that other work passes often. */
export const clearSome = ({ batch, days }: OldRows): void => enqueue(batch, [request().organisation.id, days(), null]);
