import { schedule } from "../../../core/jobs/jobs.ts";
import { oneByOne, START_JOB } from "./pull-jobs.ts";

/** Schedules the first read of a newly connected person's calendar and the write of waiting events. Runs in a write transaction. */
export const beginCalendar = (connectionId: string): void =>
  void schedule(START_JOB, { connection_id: connectionId }, oneByOne(connectionId));
