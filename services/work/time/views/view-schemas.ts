import { described } from "../../../../core/schema/fields.ts";
import {
  answer,
  date,
  flag,
  instant,
  integer,
  json,
  list,
  multiline,
  nullable,
  optionalAll,
  Type,
  text,
  uuid,
} from "../../../../core/schema/schema.ts";
import { TimeEntryRead } from "../entries/entry-schemas.ts";

const DRAFT = {
  date: "Day, as typed",
  start: "Start on the clock, as typed",
  end: "End on the clock, as typed",
  break_minutes: "Minutes of break",
  duration_text: "Duration, as typed",
  billable: "Whether a client is billed for it",
  entry_type_key: "Key of the type of work, as chosen",
  description: "Description of the work",
};

/** What a member has typed into a day's form so far: unchecked, within these sizes. The shape is closed (work chapter §4.3). */
export const TimeEntryDraftPayload = Type.Object(
  described(
    optionalAll({
      date: nullable(text(10)),
      start: nullable(text(5)),
      end: nullable(text(5)),
      break_minutes: nullable(integer(0, 1440)),
      duration_text: nullable(text(40)),
      billable: nullable(flag()),
      company_id: nullable(uuid()),
      project_id: nullable(uuid()),
      task_id: nullable(uuid()),
      entry_type_key: nullable(text(50)),
      description: nullable(multiline(4000)),
    }),
    DRAFT,
  ),
  { $id: "TimeEntryDraftPayload", "x-usage": "request", additionalProperties: false },
);

export const TimeEntryDraftRead = answer(
  "TimeEntryDraftRead",
  { entry_date: date(), payload: json(), updated_at: instant() },
  {
    entry_date: "Day of the draft",
    payload: "The input as sent; null values are omitted",
    updated_at: "When it was last saved, UTC. The service removes drafts 30 days later",
  },
);

export const DayView = answer(
  "DayView",
  {
    date: date(),
    total_minutes: Type.Integer(),
    billable_minutes: Type.Integer(),
    entries: list(TimeEntryRead),
    draft: nullable(TimeEntryDraftRead),
  },
  {
    date: "The day, in the organisation's zone",
    total_minutes: "Minutes of finished entries",
    billable_minutes: "The part of `total_minutes` that is billable",
    entries: "Entries of the day by start, a running timer included",
    draft: "The caller's own draft for the day; null without one, and on another person's day",
  },
);

export const TimeSummary = answer(
  "TimeSummary",
  { date: date(), minutes: Type.Integer(), running: nullable(TimeEntryRead) },
  {
    date: "The day, in the organisation's zone",
    minutes: "Minutes of finished entries",
    running: "The running timer; null if none runs",
  },
);

export const LoggedSummary = answer(
  "LoggedSummary",
  { minutes: Type.Integer(), billable_minutes: Type.Integer() },
  { minutes: "Minutes of finished entries of the whole team", billable_minutes: "The part of `minutes` that is billable" },
);

const TimesheetRow = answer(
  "TimesheetRow",
  {
    company_id: nullable(uuid()),
    project_id: nullable(uuid()),
    task_id: nullable(uuid()),
    minutes: list(Type.Integer()),
    total: Type.Integer(),
  },
  { minutes: "Minutes by day, Monday first", total: "Sum of `minutes`" },
);

export const Timesheet = answer(
  "Timesheet",
  {
    week_start: date(),
    days: list(date()),
    rows: list(TimesheetRow),
    day_totals: list(Type.Integer()),
    total: Type.Integer(),
    draft_days: Type.Array(date(), { default: [] }),
  },
  {
    week_start: "Monday of the week",
    days: "The seven days, Monday first",
    rows: "One row for each client, project and task with entries, in the order of the first entry",
    day_totals: "Minutes by day, Monday first",
    total: "Minutes of the week",
    draft_days: "Days of the caller's own week with a draft",
  },
);

export const TimeWorkspace = answer(
  "TimeWorkspace",
  {
    running: nullable(TimeEntryRead),
    week: Timesheet,
    day: DayView,
    recent: nullable(TimeEntryRead),
  },
  {
    running: "The caller's running timer; null if none runs",
    week: "The caller's week",
    day: "The caller's chosen day",
    recent: "The caller's entry with the latest start; null without any",
  },
);
