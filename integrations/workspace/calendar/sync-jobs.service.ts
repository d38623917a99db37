import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { job, type OrganisationRun, schedule, scheduleAll } from "../../../core/jobs/jobs.ts";
import { statement } from "../../../core/sql/statement.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { service } from "../../../mixins/resource.ts";
import { CALENDAR_CONNECTIONS, calendarConnection, HAS_CALENDAR } from "./calendar-connections.ts";
import { endingChannels, LONGEST_SILENCE, RENEWED_HOURS, silentCalendars } from "./calendars.due.ts";
import { queueNewMirrors, reviveMirrors } from "./mirror/mirror-rows.ts";
import { comingRecords } from "./mirror/mirroring.ts";
import { oneByOne, PULL_JOB, pullSoon, START_JOB, WATCH_JOB, WRITE_JOB } from "./pull-jobs.ts";
import { pullCalendar } from "./pulling.ts";
import { spread } from "./spread.ts";
import { forgetOldChannels } from "./watching/channel-rows.ts";
import { watchCalendar } from "./watching/watching.ts";

const CALENDAR = "left join workspace_calendars k on k.organisation_id = c.organisation_id and k.connection_id = c.id";
const activeUntil = (
  moment: string,
) => `exists (select from workspace_calendar_channels h where h.organisation_id = c.organisation_id
  and h.connection_id = c.id and h.status = 'active' and h.expires_at > ${moment})`;
/** The connections to poll, longest unread first. */
const TO_POLL = statement(`select c.id from ${CALENDAR_CONNECTIONS} ${CALENDAR} where ${HAS_CALENDAR}
    and (not ${activeUntil("statement_timestamp()")} or k.last_synced_at is null
      or k.last_synced_at < statement_timestamp() - interval '${LONGEST_SILENCE} minutes')
  order by k.last_synced_at nulls first, c.id`);
/** The connections without a lasting channel whose calendar was read at least once. */
const TO_WATCH =
  statement(`select c.id from ${CALENDAR_CONNECTIONS} ${CALENDAR} where ${HAS_CALENDAR} and k.last_synced_at is not null
    and not ${activeUntil(`statement_timestamp() + interval '${RENEWED_HOURS} hours'`)}
  order by c.id`);
/** Whether a push channel was never tried; failed attempts are retried hourly. */
const UNWATCHED = statement(
  `select 1 from workspace_calendars k where k.organisation_id = $1 and k.connection_id = $2 and k.watched_at is null`,
);
const TRIED = statement(
  `update workspace_calendars set watched_at = statement_timestamp() where organisation_id = $1 and connection_id = $2`,
);

type ConnectionRun = OrganisationRun<{ connection_id: string }>;

/** Schedules one job per connection found, spread over time. */
const queueFor = (run: OrganisationRun, found: ReturnType<typeof statement>, jobName: string): Promise<void> =>
  run.write(async () => {
    const ids = (await query<{ id: string }>(found, [run.organisation.id])).map(({ id }) => id);
    scheduleAll(
      jobName,
      spread(ids, Date.now(), (id) => ({ payload: { connection_id: id }, ...oneByOne(id) })),
    );
  });

async function pull(run: ConnectionRun): Promise<void> {
  const { connection_id: id } = run.payload;
  try {
    await pullCalendar(run, id);
  } catch (error) {
    throw error instanceof GoogleFailure ? error.forJob() : error;
  }
  if (await run.read(() => queryOne(UNWATCHED, [run.organisation.id, id])))
    await run.write(async () => void schedule(WATCH_JOB, { connection_id: id }, oneByOne(id)));
}

async function watch(run: ConnectionRun): Promise<void> {
  const { connection_id: id } = run.payload;
  const isOpened = await watchCalendar(run, id);
  await run.write(async () => {
    if (isOpened) schedule(PULL_JOB, { connection_id: id }, pullSoon(id));
    enqueue(TRIED, [run.organisation.id, id]);
  });
}

/** Reads the calendars of connected people, triggered by push messages or else by polling (workspace §2.3). */
export default service("workspace.calendar-sync", {
  actions: {},
  jobs: {
    [START_JOB]: job<{ connection_id: string }>({
      about: "Starts reading the calendar of a newly connected person",
      module: "workspace",
      async handler(run) {
        const { connection_id: id } = run.payload;
        const connection = await run.read(() => calendarConnection(id));
        if (!connection) return;
        const { account_id: owner, subject } = connection;
        const coming = await comingRecords(run, owner);
        await run.write(async () => {
          reviveMirrors(owner, subject);
          for (const [kind, sourceIds] of coming) queueNewMirrors(kind, owner, sourceIds);
          schedule(PULL_JOB, { connection_id: id }, oneByOne(id));
          schedule(WRITE_JOB, { account_id: owner }, oneByOne(owner));
        });
      },
    }),
    [PULL_JOB]: job<{ connection_id: string }>({
      about: "Reads the changes of one calendar",
      module: "workspace",
      timeout: 300_000,
      handler: pull,
    }),
    [WATCH_JOB]: job<{ connection_id: string }>({
      about: "Requests push notifications for the changes of one calendar",
      module: "workspace",
      handler: watch,
    }),
    "workspace.calendar.poll": {
      about: "Reads calendars without push notifications, or without one for half an hour",
      module: "workspace",
      schedule: "*/15 * * * *",
      due: silentCalendars,
      handler: (run) => queueFor(run, TO_POLL, PULL_JOB),
    },
    "workspace.calendar.renew": {
      about: "Renews push channels that end within a day",
      module: "workspace",
      schedule: "20 * * * *",
      due: endingChannels,
      spread: 20,
      async handler(run) {
        await queueFor(run, TO_WATCH, WATCH_JOB);
        await run.write(async () => forgetOldChannels());
      },
    },
  },
});
