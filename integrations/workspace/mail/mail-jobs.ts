import { clearOld } from "../../../core/clearing/clear.ts";
import { type Jobs, job, type OrganisationRun, schedule, scheduleAll } from "../../../core/jobs/jobs.ts";
import { sweepBodies } from "./bodies.ts";
import { poll } from "./feed.ts";
import type { Tally } from "./feed-page.ts";
import { expiredSkips, mailboxes, oldSkips, polledMailboxes } from "./mail.due.ts";
import { dueMailboxes, mailboxOf, type PollResult, storeMailbox } from "./mailbox-rows.ts";

/** Reads one mailbox. Jobs of one connection run one after another, on any node. */
export const POLL = "workspace.mail.poll";
const DUE = "workspace.mail.due";
/** Milliseconds between regular polls of a mailbox. */
const PERIOD = 300_000;

type PollPayload = { connection_id: string; number: number | null };

/** The time within each period when a mailbox is polled, derived from its id to spread the polls of many. */
export const offsetOf = (connectionId: string): number => Number.parseInt(connectionId.slice(-8), 16) % PERIOD;

/** Schedules the polls of the next five minutes. */
async function look(run: OrganisationRun): Promise<void> {
  const due = await run.read(dueMailboxes);
  if (due.length === 0) return;
  const from = Date.now();
  await run.write(async () => {
    scheduleAll(
      DUE,
      due.map(({ id }) => ({ payload: { connection_id: id }, runAt: new Date(from + offsetOf(id)), dedupe: id })),
    );
  });
}

async function pollOnce(run: OrganisationRun<PollPayload>): Promise<void> {
  const { connection_id: id, number } = run.payload;
  const store = (values: { ended?: number; result: PollResult }) =>
    number === null ? Promise.resolve() : run.write(() => storeMailbox(id, values));
  // An attempt that failed before has stored what it created.
  const before = number === null ? undefined : await run.read(() => mailboxOf(id));
  const tally: Tally = { logged: before?.result?.logged ?? 0 };
  try {
    const { isCut, ...result } = await poll(run, id, tally);
    if (isCut) await run.write(async () => schedule(POLL, { connection_id: id, number: null }, { key: id }));
    await store({ ...(number !== null && { ended: number }), result });
  } catch (error) {
    const result = { status: "error", ...tally } as const;
    await store(run.lastAttempt && number !== null ? { ended: number, result } : { result }).catch(() => {});
    throw error;
  }
}

/** Background jobs of the mail feed (workspace §2.5). */
export const mailJobs: Jobs = {
  "workspace.mail.look": {
    about: "Schedules the polls of connected mailboxes",
    module: "workspace",
    schedule: "*/5 * * * *",
    due: polledMailboxes,
    handler: look,
  },
  [DUE]: job<{ connection_id: string }>({
    about: "Has a mailbox polled at its moment",
    module: "workspace",
    handler: (run) =>
      run.write(async () => {
        const { connection_id } = run.payload;
        schedule(POLL, { connection_id, number: null }, { key: connection_id });
      }),
  }),
  [POLL]: job<PollPayload>({
    about: "Reads new mail in a mailbox",
    module: "workspace",
    concurrency: 4,
    timeout: 240_000,
    lock: 10_000,
    retry: { attempts: 3, backoff: { first: 2_000, factor: 3 } },
    handler: pollOnce,
  }),
  "workspace.mail.bodies": {
    about: "Reads bodies and files of messages that have been logged",
    module: "workspace",
    schedule: "2-59/5 * * * *",
    due: mailboxes,
    concurrency: 2,
    timeout: 240_000,
    handler: sweepBodies,
  },
  "workspace.mail.reap": {
    about: "Deletes the records of skipped messages after 60 days",
    module: "workspace",
    licenceExempt: "it only removes obsolete data",
    schedule: "40 3 * * *",
    due: oldSkips,
    spread: 20,
    handler: (run) => clearOld(run, expiredSkips),
  },
};
