import type { ScheduleOptions } from "../../../core/jobs/jobs.ts";

/** Starts the calendar of a newly connected person; the payload is `{ connection_id }`. */
export const START_JOB = "workspace.calendar.start";
/** Reads the changes of one calendar; the payload is `{ connection_id }`. */
export const PULL_JOB = "workspace.calendar.pull";
/** Opens or renews the push channel of one calendar; the payload is `{ connection_id }`. */
export const WATCH_JOB = "workspace.calendar.watch";
/** Writes the waiting events of one person's calendar; the payload is `{ account_id }`. */
export const WRITE_JOB = "workspace.calendar.write";

/** Milliseconds in which several messages of one calendar are merged into one pull. */
const GATHERED = 1_500;

/** One job at a time over all nodes, with at most one more waiting. */
export const oneByOne = (id: string): ScheduleOptions => ({ key: id, dedupe: id });

/** Schedules a pull for a message; a burst of messages becomes one pull. */
export const pullSoon = (connectionId: string): ScheduleOptions => ({
  ...oneByOne(connectionId),
  runAt: new Date(Date.now() + GATHERED),
});
