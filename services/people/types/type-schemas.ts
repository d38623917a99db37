import { namedValues } from "../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  decimal,
  decimalInput,
  flag,
  input,
  instant,
  integer,
  names,
  neverNull,
  nullable,
  optional,
  type TProperties,
  text,
  uuid,
} from "../../../core/schema/schema.ts";
import { TYPE_DEFAULTS } from "../leave-types.ts";
import { flagOfChange } from "../sent.ts";

const TYPE = {
  key: "Key of the type, unique in the organisation; it never changes",
  color: "Colour of the type, as the application draws it",
  paid: "Whether the leave is paid; for display alone",
  tracks_balance: "Whether requests of the type draw from entitlements",
  requires_approval: "Whether requests need approval; otherwise they are approved at once",
  accrues_schedule_gap:
    "Whether it is free time: the entitlement is the gap between full-time and contract hours, and `default_weeks` is not used",
  calendar_display: "How calendars show it: `all_day`, or `timed` with its hours",
  default_weeks:
    "Entitlement per year in weeks of contract hours; null if none. A change recomputes the entitlements of this and later years",
  carry_over_months: "Months after the year of accrual in which the hours can still be drawn; null if they never expire",
  balance_group: "Key of the balance that types share; null for its own balance",
  position: "Position in display order: lower numbers come first, equal ones by key",
  active: "Whether it can be chosen for new requests and has a balance",
};

const slug = () => text(50, { pattern: "^[a-z0-9_]+$" });
const display = (options = {}) => choice(namedValues("CalendarDisplay", ["all_day", "timed"]), options);
const weeks = () => decimalInput({ minimum: 0, maximum: 52, decimalPlaces: null });
const months = () => integer(0, 120);

export const LeaveTypeRead = answer(
  "LeaveTypeRead",
  {
    id: uuid(),
    org_id: uuid(),
    key: text(50, { minLength: 1, pattern: "^[a-z0-9_]+$" }),
    label_i18n: names(),
    color: text(20),
    paid: flag(),
    tracks_balance: flag(),
    requires_approval: flag(),
    accrues_schedule_gap: flag(),
    calendar_display: display(),
    default_weeks: nullable(decimal()),
    carry_over_months: nullable(months()),
    balance_group: nullable(slug()),
    position: integer(),
    active: flag(),
    created_at: instant(),
    updated_at: instant(),
  },
  TYPE,
);
const clearable = {
  default_weeks: optional(nullable(weeks())),
  carry_over_months: optional(nullable(months())),
  balance_group: optional(nullable(slug())),
} satisfies TProperties;
export const LeaveTypeCreate = input(
  "LeaveTypeCreate",
  {
    key: text(50, { minLength: 1, pattern: "^[a-z0-9_]+$" }),
    label_i18n: optional(names({ default: TYPE_DEFAULTS.label_i18n })),
    color: optional(text(20, { default: TYPE_DEFAULTS.color })),
    paid: optional(flag(TYPE_DEFAULTS.paid)),
    tracks_balance: optional(flag(TYPE_DEFAULTS.tracks_balance)),
    requires_approval: optional(flag(TYPE_DEFAULTS.requires_approval)),
    accrues_schedule_gap: optional(flag(TYPE_DEFAULTS.accrues_schedule_gap)),
    calendar_display: optional(display({ default: TYPE_DEFAULTS.calendar_display })),
    ...clearable,
    position: optional(integer(undefined, undefined, { default: TYPE_DEFAULTS.position })),
    active: optional(flag(TYPE_DEFAULTS.active)),
  },
  TYPE,
);
export const LeaveTypeUpdate = input(
  "LeaveTypeUpdate",
  {
    label_i18n: optional(neverNull(nullable(names()))),
    color: optional(neverNull(nullable(text(20)))),
    paid: flagOfChange(),
    tracks_balance: flagOfChange(),
    requires_approval: flagOfChange(),
    accrues_schedule_gap: flagOfChange(),
    calendar_display: optional(neverNull(nullable(display()))),
    ...clearable,
    position: optional(neverNull(nullable(integer()))),
    active: flagOfChange(),
  },
  TYPE,
);
