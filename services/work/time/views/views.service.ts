import type { IsoDate } from "../../../../core/calendar/calendar.ts";
import { queryAll } from "../../../../core/database/query.ts";
import { action } from "../../../../core/declare/action.ts";
import { organisationToday } from "../../../../core/request/today.ts";
import { date, optional, uuid } from "../../../../core/schema/schema.ts";
import type { Row } from "../../../../core/sql/statement.ts";
import { service } from "../../../../mixins/resource.ts";
import { checkDayInWeek, minuteTotals, timesheetWeek } from "../../days.ts";
import { readHours } from "../../hour-callers.ts";
import { entryFilters, entryListing } from "../entries/entry.list.ts";
import { entriesIn, entryIn, loggedIn, reads } from "../entries/person-entries.ts";
import { figures } from "../figures.ts";
import { DayView, LoggedSummary, TimeSummary, Timesheet, TimeWorkspace } from "./view-schemas.ts";

const LOGGED = figures(
  entryListing.spec,
  "coalesce(sum(t.minutes), 0)::float8 as minutes, coalesce(sum(t.minutes) filter (where t.billable), 0)::float8 as billable_minutes",
);

/** The response for a day, from its entries and draft. */
function dayView(day: IsoDate, entryRows: readonly Row[] | undefined, draftRows: readonly Row[] | undefined) {
  const entries = entriesIn(entryRows);
  const { minutes, billable_minutes } = minuteTotals(entries);
  return { date: day, total_minutes: minutes, billable_minutes, entries, draft: draftRows?.[0] ?? null };
}

/** The response for a week, from its entries and the days with a draft. */
const timesheet = (date: IsoDate, entryRows: readonly Row[] | undefined, draftRows: readonly Row[] | undefined) => ({
  ...timesheetWeek(date, loggedIn(entryRows)),
  draft_days: (draftRows ?? []).map(({ entry_date }) => entry_date),
});

export default service("time.views", {
  actions: {
    day: action({
      rest: "GET /time/day",
      summary: "One day of a person: entries by start, and the caller's own draft",
      description: "Your own; another person's with `time.entry.read:any`. Entries are on their `work_date`.",
      permission: "time.entry.read",
      query: { date: date(), user_id: optional(uuid()) },
      returns: DayView,
      async handler(ctx) {
        const { date: day, user_id } = ctx.params;
        const person = readHours(user_id);
        const [entries, draft] = await queryAll(reads.day(person, day), reads.draft(person, day));
        return dayView(day, entries, draft);
      },
    }),

    summary: action({
      rest: "GET /time/summary",
      summary: "Minutes of a person's day, and the timer that runs",
      description: "Your own; another person's with `time.entry.read:any`. Without a date it is today where the organisation is.",
      permission: "time.entry.read",
      query: { date: optional(date()), user_id: optional(uuid()) },
      returns: TimeSummary,
      async handler(ctx) {
        const { date: day = organisationToday(), user_id } = ctx.params;
        const person = readHours(user_id);
        const [entries, running] = await queryAll(reads.day(person, day), reads.running(person));
        return { date: day, minutes: minuteTotals(entriesIn(entries)).minutes, running: entryIn(running) };
      },
    }),

    timesheet: action({
      rest: "GET /time/timesheet",
      summary: "Minutes of a person's week, a row per client, project and task",
      description:
        "The Monday–Sunday week that contains `week_start`. Your own; another person's with `time.entry.read:any`, without drafts.",
      permission: "time.entry.read",
      query: { week_start: date(), user_id: optional(uuid()) },
      returns: Timesheet,
      async handler(ctx) {
        const { week_start: week, user_id } = ctx.params;
        const person = readHours(user_id);
        const [entries, drafts] = await queryAll(reads.week(person, week), reads.draftDays(person, week));
        return timesheet(week, entries, drafts);
      },
    }),

    workspace: action({
      rest: "GET /time/workspace",
      summary: "All that the caller's own time page shows: timer, week, day, and the entry that was started last",
      permission: "time.entry.read",
      query: { week_start: date(), day: date() },
      returns: TimeWorkspace,
      async handler(ctx) {
        const { week_start: week, day } = ctx.params;
        checkDayInWeek(day, week);
        const own = readHours(undefined);
        const [running, entries, weekDrafts, dayEntries, draft, recent] = await queryAll(
          reads.running(own),
          reads.week(own, week),
          reads.draftDays(own, week),
          reads.day(own, day),
          reads.draft(own, day),
          reads.recent(own),
        );
        return {
          running: entryIn(running),
          week: timesheet(week, entries, weekDrafts),
          day: dayView(day, dayEntries, draft),
          recent: entryIn(recent),
        };
      },
    }),

    logged: action({
      rest: "GET /time/logged",
      summary: "Minutes that the whole team logged on a client, project or task",
      description: "Open to every reader of time entries, also for entries of others. Running timers do not count.",
      permission: "time.entry.read",
      query: {
        company_id: optional(uuid()),
        project_id: optional(uuid()),
        task_id: optional(uuid()),
        date_from: optional(date()),
        date_to: optional(date()),
      },
      returns: LoggedSummary,
      async handler(ctx) {
        const [rows] = await queryAll(LOGGED({ ...entryFilters(ctx.params), running: false }));
        return rows?.[0];
      },
    }),
  },
});
