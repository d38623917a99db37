import {
  answer,
  choice,
  date,
  decimal,
  flag,
  input,
  instant,
  integer,
  list,
  neverNull,
  nullable,
  optional,
  type TProperties,
  Type,
  uuid,
} from "../../../core/declare/schema.ts";
import { CADENCE_WEEKS } from "../recurring/recurrence.ts";
import { note, sentWindow } from "../sent.ts";

const KINDS = ["extra", "unavailable"] as const;
const CHANGES = ["added", "removed", "changed"] as const;
const repeat = {
  repeat_weeks: optional(nullable(integer(CADENCE_WEEKS.shortest, CADENCE_WEEKS.longest))),
  repeat_until: optional(nullable(date())),
} satisfies TProperties;

export const AvailabilityRead = answer("AvailabilityRead", {
  id: uuid(),
  org_id: uuid(),
  user_id: uuid(),
  user_name: Type.String({ default: "" }),
  kind: choice(KINDS),
  date: date(),
  start_time: nullable(Type.String()),
  end_time: nullable(Type.String()),
  repeat_weeks: nullable(Type.Integer()),
  repeat_until: nullable(date()),
  pair_id: nullable(uuid()),
  note: note(),
  created_at: instant(),
  updated_at: instant(),
});

export const AvailabilityCreate = input("AvailabilityCreate", {
  kind: choice(KINDS),
  date: date(),
  ...sentWindow,
  ...repeat,
  note: optional(note()),
  user_id: optional(nullable(uuid())),
});

export const AvailabilityUpdate = input("AvailabilityUpdate", {
  kind: optional(neverNull(nullable(choice(KINDS)))),
  date: optional(neverNull(nullable(date()))),
  ...sentWindow,
  ...repeat,
  note: optional(note()),
});

export const AvailabilityMove = input("AvailabilityMove", {
  from_date: date(),
  to_date: date(),
  ...sentWindow,
  ...repeat,
  note: optional(note()),
  user_id: optional(nullable(uuid())),
});

const AvailabilityWindow = answer("AvailabilityWindow", { start: Type.String(), end: Type.String() });

export const AvailabilityDay = answer("AvailabilityDay", {
  user_id: uuid(),
  user_name: Type.String({ default: "" }),
  date: date(),
  hours: decimal(),
  base_hours: Type.Unsafe<string>({ ...decimal(), default: "0" }),
  windows: list(AvailabilityWindow),
  change: nullable(choice(CHANGES)),
  deviates: flag(false),
  entry_ids: Type.Array(uuid(), { default: [] }),
  starts_at: nullable(instant()),
  ends_at: nullable(instant()),
});
