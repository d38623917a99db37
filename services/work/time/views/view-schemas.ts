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
} from "../../../../core/declare/schema.ts";
import { TimeEntryRead } from "../entries/entry-schemas.ts";

/** What of a day's form was typed so far: of any content, within these sizes. The shape is closed (work chapter §4.3). */
export const TimeEntryDraftPayload = Type.Object(
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
  { $id: "TimeEntryDraftPayload", "x-usage": "request", additionalProperties: false },
);

export const TimeEntryDraftRead = answer("TimeEntryDraftRead", { entry_date: date(), payload: json(), updated_at: instant() });

export const DayView = answer("DayView", {
  date: date(),
  total_minutes: Type.Integer(),
  billable_minutes: Type.Integer(),
  entries: list(TimeEntryRead),
  draft: nullable(TimeEntryDraftRead),
});

export const TimeSummary = answer("TimeSummary", { date: date(), minutes: Type.Integer(), running: nullable(TimeEntryRead) });

export const LoggedSummary = answer("LoggedSummary", { minutes: Type.Integer(), billable_minutes: Type.Integer() });

const TimesheetRow = answer("TimesheetRow", {
  company_id: nullable(uuid()),
  project_id: nullable(uuid()),
  task_id: nullable(uuid()),
  minutes: list(Type.Integer()),
  total: Type.Integer(),
});

export const Timesheet = answer("Timesheet", {
  week_start: date(),
  days: list(date()),
  rows: list(TimesheetRow),
  day_totals: list(Type.Integer()),
  total: Type.Integer(),
  draft_days: Type.Array(date(), { default: [] }),
});

export const TimeWorkspace = answer("TimeWorkspace", {
  running: nullable(TimeEntryRead),
  week: Timesheet,
  day: DayView,
  recent: nullable(TimeEntryRead),
});
