import { namedValues } from "../../../core/naming/named-values.ts";
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
} from "../../../core/schema/schema.ts";
import { CADENCE_WEEKS } from "../recurring/recurrence.ts";
import { note, sentWindow } from "../sent.ts";

const ROW = {
  user_id: "The person. Null or absent in a body, the caller; another person requires `leave.availability.write:any`",
  kind: "`extra`: works in addition to the working week; `unavailable`: does not work",
  date: "First day it applies to",
  start_time: "Start on the organisation's clock; null for the start of the day",
  end_time: "End on the organisation's clock; null for the end of the day",
  repeat_weeks: "Number of weeks between two days it applies to; null for `date` alone",
  repeat_until: "Last day of the repetition; null for no end. Needs `repeat_weeks`",
  pair_id: "Id that the two halves of a move share: deleting one deletes the other. Null for other rows",
  note: "Note; null if none",
};

const KINDS = namedValues("AvailabilityKind", ["extra", "unavailable"]);
const CHANGES = ["added", "removed", "changed"] as const;
const repeat = {
  repeat_weeks: optional(nullable(integer(CADENCE_WEEKS.shortest, CADENCE_WEEKS.longest))),
  repeat_until: optional(nullable(date())),
} satisfies TProperties;

export const AvailabilityRead = answer(
  "AvailabilityRead",
  {
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
  },
  ROW,
);

export const AvailabilityCreate = input(
  "AvailabilityCreate",
  {
    kind: choice(KINDS),
    date: date(),
    ...sentWindow,
    ...repeat,
    note: optional(note()),
    user_id: optional(nullable(uuid())),
  },
  ROW,
);

export const AvailabilityUpdate = input(
  "AvailabilityUpdate",
  {
    kind: optional(neverNull(nullable(choice(KINDS)))),
    date: optional(neverNull(nullable(date()))),
    ...sentWindow,
    ...repeat,
    note: optional(note()),
  },
  ROW,
);

export const AvailabilityMove = input(
  "AvailabilityMove",
  {
    from_date: date(),
    to_date: date(),
    ...sentWindow,
    ...repeat,
    note: optional(note()),
    user_id: optional(nullable(uuid())),
  },
  {
    ...ROW,
    from_date: "Day off that is given up",
    to_date: "Day that is worked in its place",
    start_time: "Start on `to_date`, on the organisation's clock; null from the start of the day",
    end_time: "End on `to_date`, on the organisation's clock; null to the end of the day",
    repeat_until: "Last day of the repetition, not before the later of the two days; null for no end",
  },
);

const AvailabilityWindow = answer(
  "AvailabilityWindow",
  { start: Type.String(), end: Type.String() },
  {
    start: "Start on the organisation's clock, `HH:MM`",
    end: "End on the organisation's clock, `HH:MM`; `23:59` means midnight",
  },
);

export const AvailabilityDay = answer(
  "AvailabilityDay",
  {
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
  },
  {
    date: "The day",
    hours: "Hours of the day with every exception applied",
    base_hours: "Hours of the day in the working week, without exceptions",
    windows: "Stretches in which the person works, in order",
    change:
      "`added`: a free day became a working day; `removed`: a working day became free; `changed`: other hours. Null if `hours` and `base_hours` are equal",
    deviates: "Whether an exception applies to the day, even without a change",
    entry_ids: "Exceptions that apply to the day",
    starts_at: "Start of the first stretch, with the offset of the organisation's zone; null on a free day",
    ends_at: "End of the last stretch, with the offset of the organisation's zone; null on a free day",
  },
);
