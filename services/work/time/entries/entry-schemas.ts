import {
  answer,
  date,
  flag,
  input,
  instant,
  integer,
  multiline,
  neverNull,
  nullable,
  nullClears,
  optional,
  optionalAll,
  type TProperties,
  Type,
  uuid,
} from "../../../../core/declare/schema.ts";
import { typeKey } from "../types/entry-type-schemas.ts";

/** The most minutes that a body may name, as work or as a break: a day. */
const DAY = 1440;

/** What an entry is about. */
const about = {
  company_id: nullClears(nullable(uuid())),
  project_id: nullClears(nullable(uuid())),
  task_id: nullClears(nullable(uuid())),
  description: nullable(multiline()),
  entry_type_key: nullable(typeKey()),
} satisfies TProperties;

export const TimeEntryRead = answer("TimeEntryRead", {
  id: uuid(),
  org_id: uuid(),
  user_id: uuid(),
  ...about,
  work_date: Type.Unsafe<string>({
    ...date(),
    description:
      "The day the entry counts on in every view, report, budget and invoice: the date of `started_at` in the organisation's zone when the start was written. Another zone of the organisation later leaves it.",
  }),
  started_at: instant(),
  ended_at: nullable(instant()),
  minutes: Type.Integer(),
  break_minutes: integer(0, DAY),
  billable: flag(),
  is_running: flag(),
  approved_at: nullable(instant()),
  approved_by_user_id: nullable(uuid()),
  invoiced_at: nullable(instant()),
  interaction_id: nullable(uuid()),
  subscription_id: nullable(uuid()),
  created_at: instant(),
  updated_at: instant(),
});

export const TimeEntryCreate = input("TimeEntryCreate", {
  ...optionalAll(about),
  started_at: instant(),
  ended_at: optional(nullable(instant())),
  minutes: optional(nullable(integer(0, DAY))),
  break_minutes: optional(integer(0, DAY, { default: 0 })),
  billable: optional(nullable(flag())),
});

export const TimeEntryUpdate = input("TimeEntryUpdate", {
  ...optionalAll(about),
  started_at: optional(neverNull(nullable(instant()))),
  ended_at: optional(nullable(instant())),
  minutes: optional(neverNull(nullable(integer(0, DAY)))),
  break_minutes: optional(neverNull(nullable(integer(0, DAY)))),
  billable: optional(neverNull(nullable(flag()))),
});

export const TimerStart = input("TimerStart", {
  ...optionalAll(about),
  break_minutes: optional(integer(0, DAY, { default: 0 })),
  billable: optional(nullable(flag())),
});

const entryIds = () => Type.Array(uuid(), { minItems: 1, maxItems: 1000 });
export const EntryApproval = input("EntryApproval", { entry_ids: entryIds(), approved: optional(flag(true)) });
export const EntryInvoiced = input("EntryInvoiced", { entry_ids: entryIds(), invoiced: optional(flag(true)) });
export const BulkResult = answer("BulkResult", { updated: Type.Integer() });
