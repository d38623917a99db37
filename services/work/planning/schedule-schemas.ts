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
  optional,
  type TSchema,
  Type,
  text,
  time,
  uuid,
} from "../../../core/schema/schema.ts";
import { DURATION, duration as typedDuration } from "../time/durations.ts";

const BLOCK = {
  task_id: "The task the time is planned for",
  user_id: "The person who is planned; null if that account is gone",
  starts_at: "Start, UTC",
  ends_at: "End, UTC",
  note: "Note on the block; null if none",
  time_entry_id: "The time entry logged from the block; null until there is one",
  created_by_user_id: "Who planned it; null if that account is gone",
  created_by_name: "Full name of who planned it; null if unknown",
};

const PLANNED = {
  task_id: "The task the time is planned for",
  day: "Day of the block in the organisation's zone. Moving the day alone keeps the time on the clock",
  start_time: "Start on the organisation's clock",
  duration_minutes: "Length in minutes",
  user_id:
    "The person who is planned. Where it is null or not sent, a new block is for the task's starred person, else for the caller; another person needs `tasks.schedule.write:any`",
  note: "Note on the block; null if none",
};

const duration = () => integer(1, 1440);
const note = () => nullable(multiline(500));
const nameOrNone = () => nullable(Type.String());

/** The fields of every response about a planned block; instants in UTC. */
const block = {
  id: uuid(),
  task_id: uuid(),
  user_id: nullable(uuid()),
  starts_at: instant(),
  ends_at: instant(),
  note: nullable(Type.String()),
  time_entry_id: nullable(uuid()),
  created_by_user_id: nullable(uuid()),
  created_by_name: nameOrNone(),
};

export const ScheduleRead = answer("ScheduleRead", block, BLOCK);

/** A block in a window of the calendar, with its local start and end dates. */
export const ScheduleItem = answer(
  "ScheduleItem",
  {
    ...block,
    start: date(),
    end: date(),
    user_name: nameOrNone(),
    task_title: Type.String(),
    project_id: nullable(uuid()),
    company_id: nullable(uuid()),
    status: Type.String(),
    allocated_minutes: nullable(Type.Integer()),
  },
  {
    ...BLOCK,
    start: "First day of the block in the organisation's zone",
    end: "Last day of the block in the organisation's zone. A block that ends at midnight ends on the day before",
    user_name: "Full name of the person; null if the block has none",
    project_id: "Project of the task; null if none",
    company_id: "Client of the task; null if none",
    status: "Key of the task's status",
    allocated_minutes: "Hour budget of the task in minutes; null without one",
  },
);

export const ScheduleCreate = input(
  "ScheduleCreate",
  {
    task_id: uuid(),
    day: date(),
    start_time: time(),
    duration_minutes: duration(),
    user_id: optional(nullable(uuid())),
    note: optional(note()),
  },
  PLANNED,
);

/** A block always has a time and a person, so null is invalid. */
const given = <T extends TSchema>(schema: T) => optional(neverNull(nullable(schema)));

export const ScheduleUpdate = input(
  "ScheduleUpdate",
  {
    day: given(date()),
    start_time: given(time()),
    duration_minutes: given(duration()),
    user_id: given(uuid()),
    note: optional(note()),
  },
  PLANNED,
);

export const ScheduleLogTime = input(
  "ScheduleLogTime",
  {
    minutes: optional(nullable(integer(0, 1440))),
    duration: optional(typedDuration()),
    break_minutes: optional(integer(0, 1440, { default: 0 })),
    description: optional(nullable(multiline(2000))),
    billable: optional(flag()),
    entry_type_key: optional(nullable(text(50, { minLength: 1, pattern: "^[a-z0-9_]+$" }))),
  },
  {
    minutes: "Minutes worked; where neither they nor `duration` are sent, the length of the block less the break",
    duration: DURATION,
    break_minutes: "Minutes of break",
    description: "Description of the work; the task's title if omitted",
    billable: "Whether the hours are billable; where not sent, as the project has it",
    entry_type_key: "Key of an active type of time entries; null if none",
  },
);
