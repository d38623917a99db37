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
} from "../../../core/declare/schema.ts";

const duration = () => integer(1, 1440);
const note = () => nullable(multiline(500));
const nameOrNone = () => nullable(Type.String());

/** What every answer about a planned block tells; instants in UTC. */
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

export const ScheduleRead = answer("ScheduleRead", block);

/** A block in a window of the calendar, with the local days it begins and ends on. */
export const ScheduleItem = answer("ScheduleItem", {
  ...block,
  start: date(),
  end: date(),
  user_name: nameOrNone(),
  task_title: Type.String(),
  project_id: nullable(uuid()),
  company_id: nullable(uuid()),
  status: Type.String(),
  allocated_minutes: nullable(Type.Integer()),
});

export const ScheduleCreate = input("ScheduleCreate", {
  task_id: uuid(),
  day: date(),
  start_time: time(),
  duration_minutes: duration(),
  user_id: optional(nullable(uuid())),
  note: optional(note()),
});

/** A block always has a time and a person: null is none. */
const given = <T extends TSchema>(schema: T) => optional(neverNull(nullable(schema)));

export const ScheduleUpdate = input("ScheduleUpdate", {
  day: given(date()),
  start_time: given(time()),
  duration_minutes: given(duration()),
  user_id: given(uuid()),
  note: optional(note()),
});

export const ScheduleLogTime = input("ScheduleLogTime", {
  minutes: optional(nullable(integer(0, 1440))),
  break_minutes: optional(integer(0, 1440, { default: 0 })),
  description: optional(nullable(multiline(2000))),
  billable: optional(flag()),
  entry_type_key: optional(nullable(text(50, { minLength: 1, pattern: "^[a-z0-9_]+$" }))),
});
