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
} from "../../../../core/schema/schema.ts";
import { DURATION, duration } from "../durations.ts";
import { typeKey } from "../types/entry-type-schemas.ts";

const ENTRY = {
  user_id: "The person who worked",
  description: "Description of the work; null if none",
  entry_type_key: "Key of the type of work; null if none",
  started_at: "Start, UTC",
  ended_at: "End, UTC; null while the timer runs",
  minutes: "Minutes worked, without the break; 0 while the timer runs",
  break_minutes: "Minutes of break between start and end",
  billable: "Whether a client is billed for it",
  is_running: "Whether it is a running timer",
  approved_at: "When it was approved, UTC; null while it is not. Changing an approved entry needs `time.entry.approve`",
  approved_by_user_id: "Who approved it; null while it is not approved",
  invoiced_at: "When it was marked as invoiced, UTC; null while it is not",
  interaction_id: "Contact moment that the entry was logged with; null if none",
  subscription_id: "Agreement of entries from an older system; null for every other entry, and not written",
};

const WRITTEN = {
  ...ENTRY,
  company_id: "The client. Where it is not sent, the project's, else the task's; null sent on purpose stays null",
  project_id: "The project. Where it is not sent, the task's; null sent on purpose stays null",
  entry_type_key: "Key of an active type of work; null if none",
  started_at: "Start. Without an offset: the organisation's local time",
  ended_at:
    "End, at most 24 hours after the start; on a new entry an end before the start is on the next day. Without an offset: the organisation's local time",
  minutes: "Minutes worked, without the break. It sets the end where `ended_at` is not sent",
  duration: DURATION,
  billable:
    "Whether a client is billed for it. Where it is null or not sent, a new entry follows the project, and is billable without one",
};

/** Maximum minutes of work, and of a break, in a body: a day. */
const DAY = 1440;

/** The references and description of an entry. */
const about = {
  company_id: nullClears(nullable(uuid())),
  project_id: nullClears(nullable(uuid())),
  task_id: nullClears(nullable(uuid())),
  description: nullable(multiline()),
  entry_type_key: nullable(typeKey()),
} satisfies TProperties;

export const TimeEntryRead = answer(
  "TimeEntryRead",
  {
    id: uuid(),
    org_id: uuid(),
    user_id: uuid(),
    ...about,
    work_date: Type.Unsafe<string>({
      ...date(),
      description:
        "The day the entry counts on in every view, report, budget and invoice: the date of `started_at` in the organisation's zone when the start was written. A later change of the organisation's zone does not move it.",
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
  },
  ENTRY,
);

export const TimeEntryCreate = input(
  "TimeEntryCreate",
  {
    ...optionalAll(about),
    started_at: instant(),
    ended_at: optional(nullable(instant())),
    minutes: optional(nullable(integer(0, DAY))),
    duration: optional(duration()),
    break_minutes: optional(integer(0, DAY, { default: 0 })),
    billable: optional(nullable(flag())),
  },
  WRITTEN,
);

export const TimeEntryUpdate = input(
  "TimeEntryUpdate",
  {
    ...optionalAll(about),
    started_at: optional(neverNull(nullable(instant()))),
    ended_at: optional(nullable(instant())),
    minutes: optional(neverNull(nullable(integer(0, DAY)))),
    duration: optional(duration()),
    break_minutes: optional(neverNull(nullable(integer(0, DAY)))),
    billable: optional(neverNull(nullable(flag()))),
  },
  WRITTEN,
);

export const TimerStart = input(
  "TimerStart",
  {
    ...optionalAll(about),
    break_minutes: optional(integer(0, DAY, { default: 0 })),
    billable: optional(nullable(flag())),
  },
  WRITTEN,
);

const entryIds = () => Type.Array(uuid(), { minItems: 1, maxItems: 1000 });
export const EntryApproval = input(
  "EntryApproval",
  { entry_ids: entryIds(), approved: optional(flag(true)) },
  {
    entry_ids: "Time entries. Running ones and those the caller cannot see are skipped",
    approved: "`true` approves; `false` withdraws the approval and the invoiced mark",
  },
);
export const EntryInvoiced = input(
  "EntryInvoiced",
  { entry_ids: entryIds(), invoiced: optional(flag(true)) },
  {
    entry_ids: "Time entries. Running ones and those the caller cannot see are skipped",
    invoiced: "`true` marks as invoiced, and also approves; `false` removes the mark",
  },
);
export const BulkResult = answer(
  "BulkResult",
  { updated: Type.Integer() },
  { updated: "Number of time entries that were written" },
);
