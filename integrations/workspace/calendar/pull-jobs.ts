import type { ScheduleOptions } from "../../../core/jobs/jobs.ts";

/** Begins with the calendar of a person who has connected; its payload is `{ connection_id }`. */
export const START_JOB = "workspace.calendar.start";
/** Reads the changes of one calendar; its payload is `{ connection_id }`. */
export const PULL_JOB = "workspace.calendar.pull";
/** Opens the push channel of one calendar, or renews it; its payload is `{ connection_id }`. */
export const WATCH_JOB = "workspace.calendar.watch";
/** Writes what waits for one person's calendar; its payload is `{ account_id }`. */
export const WRITE_JOB = "workspace.calendar.write";

/** Milliseconds in which many messages of one calendar become one pull. */
const GATHERED = 1_500;

/** One at a time over all nodes, and no second one while one waits. */
export const oneByOne = (id: string): ScheduleOptions => ({ key: id, dedupe: id });

/** How a pull is queued for a message: a burst of them is one pull. */
export const pullSoon = (connectionId: string): ScheduleOptions => ({
  ...oneByOne(connectionId),
  runAt: new Date(Date.now() + GATHERED),
});
