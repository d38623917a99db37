import { schedule } from "../../../core/jobs/jobs.ts";
import { oneByOne, START_JOB } from "./pull-jobs.ts";

/** Has the calendar of a person who has connected read, and what waits for it written, as far as the grant allows. In a write. */
export const beginCalendar = (connectionId: string): void =>
  void schedule(START_JOB, { connection_id: connectionId }, oneByOne(connectionId));
