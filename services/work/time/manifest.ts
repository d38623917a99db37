import { defineModule } from "../../../core/declare/module.ts";
import { CLIENT_THROUGH_TASK } from "../clients-of-work.ts";
import { timeEvents } from "../events.ts";
import { timeFieldTexts } from "./key-texts.ts";

export const time = defineModule({
  key: "time",
  kind: "module",
  licence: "time",
  permissions: {
    "time.entry.read": { position: 10, grants: { admin: "any", member: "own" } },
    "time.entry.write": { position: 20, grants: { admin: "any", member: "own" } },
    "time.entry.approve": { position: 30, grants: ["admin"] },
    "time.entry.invoice": { position: 40, grants: ["admin"] },
    "time.report.read": { position: 50, grants: ["admin"] },
    "time.entry_type.read": { position: 60, grants: ["admin", "member"] },
    "time.entry_type.manage": { position: 70, grants: ["admin"] },
  },
  errors: {
    409: ["conflict errors.time_entry_invoiced", "conflict errors.time_entry_type_in_use"],
  },
  errorTexts: {
    "conflict errors.time_entry_invoiced": [
      "An issued invoice bills the hours: the billed fields are fixed, and the entry cannot be deleted.",
      "Credit the invoice first, or write new hours.",
    ],
    "conflict errors.time_entry_type_in_use": [
      "Time entries have this type, so it cannot be deleted.",
      "Set `active` of the type to false instead.",
    ],
  },
  fieldTexts: timeFieldTexts,
  events: timeEvents,
  records: {
    time_entry_type: { copied: { list: "time.entry-types.list", table: "time_entry_types", permission: "time.entry_type.read" } },
    time_entry: {
      copied: { list: "time.entries.list", table: "time_entries", needs: "time.entry.read:any" },
      seen: ["time.entries.get", "entry_id"],
      readers: { permission: "time.entry.read", own: "row" },
      client: { table: "time_entries", of: CLIENT_THROUGH_TASK },
      trail: true,
      changes: {
        approved: ["approved_at", "approved_by_user_id"],
        unapproved: ["approved_at", "approved_by_user_id", "invoiced_at"],
        // Invoicing also approves.
        invoiced: ["invoiced_at", "approved_at", "approved_by_user_id"],
        uninvoiced: ["invoiced_at"],
      },
      loses: [
        { field: "company_id", to: "companies", table: "time_entries" },
        { field: "project_id", to: "projects", table: "time_entries" },
        { field: "task_id", to: "tasks", table: "time_entries" },
        { field: "interaction_id", to: "interactions", table: "time_entries" },
      ],
      sheet: async () => (await import("./entry-sheets/time-entry.impex.ts")).timeEntry,
    },
    // The id of a timesheet is the person's.
    timesheet: { readers: { permission: "time.entry.read", own: "person" }, client: null },
  },
  hooks: {
    "invoice.hours_claimed": async () => (await import("./entries/billed-entries.ts")).stampBilled,
    "invoice.hours_released": async () => (await import("./entries/billed-entries.ts")).unstampReleased,
  },
  tables: ["time_drafts", "time_entries", "time_entry_types", "time_entry_types_seeded", "timesheet_reminders"],
  shows: {
    // The entries to invoice, and their client.
    time_entries: [
      "id",
      "user_id",
      "company_id",
      "project_id",
      "task_id",
      "work_date",
      "started_at",
      "ended_at",
      "minutes",
      "billable",
      "approved_at",
      "invoiced_at",
      "description",
    ],
  },
  tags: { time: "Hours written on projects and tasks." },
  parameters: {
    ":entry_date": "Day of the draft",
    ":entry_id": "The time entry",
    ":type_id": "The type of work",
    entry_type: "Only entries with the type of this key",
    running: "Only running timers, or only finished entries; absent for both",
    billable: "Only billable entries, or only others; absent for both",
    approved: "Only approved entries, or only others; absent for both",
    invoiced: "Only entries marked as invoiced, or only others; absent for both",
    date: "The day, in the organisation's zone",
    week_start: "A day of the week to show",
    day: "The day to show, one of that week",
  },
});
