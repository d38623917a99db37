import { query } from "../../../core/database/query.ts";
import { schedule, scheduleAll } from "../../../core/jobs/jobs.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { CALENDAR_CONNECTIONS, HAS_CALENDAR } from "./calendar-connections.ts";
import { oneByOne, START_JOB } from "./pull-jobs.ts";
import { spread } from "./spread.ts";

const ALL = statement(`select c.id from ${CALENDAR_CONNECTIONS} where ${HAS_CALENDAR} order by c.id`);

const beginning = (id: string) => ({ payload: { connection_id: id }, ...oneByOne(id) });

/** Schedules the first read of a newly connected person's calendar and the write of waiting events. Runs in a write transaction. */
export function beginCalendar(connectionId: string): void {
  const { payload, ...options } = beginning(connectionId);
  schedule(START_JOB, payload, options);
}

/**
 * Does the same for everyone when the organisation switches calendars on, because records approved or planned until then have no event.
 * Runs in a write transaction.
 */
export async function beginAllCalendars(): Promise<void> {
  const ids = (await query<{ id: string }>(ALL, [request().organisation.id])).map(({ id }) => id);
  scheduleAll(START_JOB, spread(ids, Date.now(), beginning));
}
