import { column, type RowOf, tenantModel } from "../../../core/database/model.ts";
import { conflict, notFound } from "../../../core/errors/errors.ts";

const { boolean, date, instant, integer, json, text, uuid } = column;

export const TimeEntryType = tenantModel("time_entry_types", {
  key: text(),
  label_i18n: json<Record<string, string>>().withDefault(),
  position: integer().withDefault(),
  active: boolean().withDefault(),
}).whenViolated({
  time_entry_types_key_key: () => conflict("errors.conflict", "key"),
});

export const TimeEntry = tenantModel("time_entries", {
  user_id: uuid(),
  work_date: date(),
  started_at: instant().tracked(),
  ended_at: instant().orNull().tracked(),
  minutes: integer().withDefault().tracked(),
  break_minutes: integer().withDefault().tracked(),
  billable: boolean().withDefault().tracked(),
  company_id: uuid().orNull().tracked(),
  project_id: uuid().orNull().tracked(),
  task_id: uuid().orNull().tracked(),
  entry_type_key: text().orNull().tracked(),
  approved_at: instant().orNull(),
  approved_by_user_id: uuid().orNull(),
  invoiced_at: instant().orNull(),
  interaction_id: uuid().orNull(),
  subscription_id: uuid().orNull(),
  description: text().orNull().blankIsNull(),
}).whenViolated({
  time_entries_type_fkey: () => conflict("errors.time_entry_type_in_use"),
  // A row that is deleted between the check and the write is not found either.
  time_entries_company_fkey: notFound,
  time_entries_project_fkey: notFound,
  time_entries_task_fkey: notFound,
});

export type TimeEntryRow = RowOf<typeof TimeEntry>;
