import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  flag,
  input,
  instant,
  integer,
  list,
  names,
  neverNull,
  nullable,
  optional,
  type TProperties,
  Type,
  text,
  uuid,
} from "../../../core/declare/schema.ts";
import { YEARS } from "../limits.ts";
import { MAX_POT_HOURS } from "../pots/derivation.ts";
import { note } from "../sent.ts";
import { TYPE_DEFAULTS } from "./leave-types.ts";

/** A year that a query or a body names. */
export const year = () => integer(YEARS.first, YEARS.last);

const slug = () => text(50, { pattern: "^[a-z0-9_]+$" });
const display = (options = {}) => choice(["all_day", "timed"], options);
const weeks = () => decimalInput({ minimum: 0, maximum: 52 });
const months = () => integer(0, 120);

export const LeaveTypeRead = answer("LeaveTypeRead", {
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
});
const clearable = {
  default_weeks: optional(nullable(weeks())),
  carry_over_months: optional(nullable(months())),
  balance_group: optional(nullable(slug())),
} satisfies TProperties;
export const LeaveTypeCreate = input("LeaveTypeCreate", {
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
});
const kept = <T extends ReturnType<typeof flag>>(schema: T) => optional(neverNull(nullable(schema)));
export const LeaveTypeUpdate = input("LeaveTypeUpdate", {
  label_i18n: optional(neverNull(nullable(names()))),
  color: optional(neverNull(nullable(text(20)))),
  paid: kept(flag()),
  tracks_balance: kept(flag()),
  requires_approval: kept(flag()),
  accrues_schedule_gap: kept(flag()),
  calendar_display: optional(neverNull(nullable(display()))),
  ...clearable,
  position: optional(neverNull(nullable(integer()))),
  active: kept(flag()),
});

export const LeaveHolidayRead = answer("LeaveHolidayRead", {
  id: uuid(),
  date: date(),
  name_i18n: names(),
  active: flag(),
  source: Type.String(),
  key: nullable(Type.String()),
});
export const LeaveHolidayCreate = input("LeaveHolidayCreate", {
  date: date(),
  name_i18n: optional(names({ default: {} })),
  active: optional(flag(true)),
});
export const LeaveHolidayUpdate = input("LeaveHolidayUpdate", {
  date: optional(neverNull(nullable(date()))),
  name_i18n: optional(neverNull(nullable(names()))),
  active: kept(flag()),
});
export const HolidayImport = input("HolidayImport", { year: year(), country: optional(nullable(text(2))) });
export const HolidayImportResult = answer("HolidayImportResult", {
  created: Type.Integer(),
  updated: Type.Integer(),
  skipped: Type.Integer(),
});

export const LeaveEntitlementRead = answer("LeaveEntitlementRead", {
  id: uuid(),
  user_id: uuid(),
  leave_type_id: uuid(),
  year: Type.Integer(),
  hours: decimal(),
  source: Type.String(),
  note: nullable(Type.String()),
});
export const LeaveEntitlementUpsert = input("LeaveEntitlementUpsert", {
  user_id: uuid(),
  leave_type_id: uuid(),
  year: year(),
  hours: decimalInput({ minimum: 0, maximum: MAX_POT_HOURS }),
  note: optional(note()),
});
export const EntitlementGenerate = input("EntitlementGenerate", { year: year() });
export const GenerateResult = answer("GenerateResult", { created: Type.Integer() });

export const LeaveBalance = answer("LeaveBalance", {
  leave_type_id: uuid(),
  balance_group: nullable(Type.String()),
  year: Type.Integer(),
  entitled_hours: decimal(),
  approved_hours: decimal(),
  pending_hours: decimal(),
  remaining_hours: decimal(),
});
const LeavePotBreakdown = answer("LeavePotBreakdown", {
  leave_type_id: uuid(),
  accrual_year: Type.Integer(),
  entitled_hours: decimal(),
  remaining_hours: decimal(),
  expires_on: nullable(date()),
  expired: flag(),
});
export const LeaveGroupBalance = answer("LeaveGroupBalance", {
  user_id: nullable(uuid()),
  group: nullable(Type.String()),
  label_i18n: names(),
  leave_type_ids: list(uuid()),
  year: Type.Integer(),
  entitled_hours: decimal(),
  approved_hours: decimal(),
  pending_hours: decimal(),
  remaining_hours: decimal(),
  lapsed_hours: decimal(),
  expiring_soon_hours: decimal(),
  pots: list(LeavePotBreakdown),
});

const FreeTimeDay = answer("FreeTimeDay", {
  request_id: uuid(),
  date: date(),
  start_time: nullable(Type.String()),
  end_time: nullable(Type.String()),
  hours: decimal(),
  from_pattern: flag(),
});
export const FreeTimeOverview = answer("FreeTimeOverview", {
  user_id: uuid(),
  year: Type.Integer(),
  leave_type_ids: list(uuid()),
  hours_per_day: decimal(),
  entitled_hours: decimal(),
  placed_hours: decimal(),
  taken_hours: decimal(),
  upcoming_hours: decimal(),
  unplaced_hours: decimal(),
  overhang_hours: decimal(),
  days: list(FreeTimeDay),
  next_date: nullable(date()),
  overhang: list(FreeTimeDay),
});
export const FreeTimeWithdraw = input("FreeTimeWithdraw", {
  request_ids: Type.Array(uuid(), { minItems: 1, maxItems: 200 }),
});
export const FreeTimeWithdrawResult = answer("FreeTimeWithdrawResult", { cancelled: Type.Integer(), skipped: list(uuid()) });
