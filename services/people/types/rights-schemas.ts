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

const HOLIDAY = {
  date: "The day; an organisation has one holiday a day",
  active: "Whether it is a day off. A deactivated holiday is an ordinary day. Stored requests keep their hours",
  source: "`manual`, or the country whose calendar it was imported from",
  key: "Key of the holiday, the same in every year; null if added by hand",
};

const POT = {
  user_id: "The person",
  leave_type_id: "The leave type",
  year: "Year it is granted for",
  hours: "Hours that are granted",
  source:
    "`generated`: derived from contracts, and derived again when they change; `manual`: set by a person, and then left alone",
  note: "Note; null if none",
};

const BALANCE = {
  leave_type_id: "The leave type",
  balance_group: "Key of the balance that the type shares; null for its own",
  year: "Year the balance is for",
  entitled_hours: "Hours granted for the year, and hours of earlier years that were left at its start",
  approved_hours: "Hours of approved requests that start in the year",
  pending_hours: "Hours of requests that start in the year and wait for a decision",
  remaining_hours: "Hours that can still be drawn, less what requests of the year took beyond them; negative when overdrawn",
};

/** A year in a query or a body. */
export const year = () => integer(YEARS.first, YEARS.last);

const slug = () => text(50, { pattern: "^[a-z0-9_]+$" });
const display = (options = {}) => choice(["all_day", "timed"], options);
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
const kept = <T extends ReturnType<typeof flag>>(schema: T) => optional(neverNull(nullable(schema)));
export const LeaveTypeUpdate = input(
  "LeaveTypeUpdate",
  {
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
  },
  TYPE,
);

export const LeaveHolidayRead = answer(
  "LeaveHolidayRead",
  {
    id: uuid(),
    date: date(),
    name_i18n: names(),
    active: flag(),
    source: Type.String(),
    key: nullable(Type.String()),
  },
  HOLIDAY,
);
export const LeaveHolidayCreate = input(
  "LeaveHolidayCreate",
  {
    date: date(),
    name_i18n: optional(names({ default: {} })),
    active: optional(flag(true)),
  },
  HOLIDAY,
);
export const LeaveHolidayUpdate = input(
  "LeaveHolidayUpdate",
  {
    date: optional(neverNull(nullable(date()))),
    name_i18n: optional(neverNull(nullable(names()))),
    active: kept(flag()),
  },
  HOLIDAY,
);
export const HolidayImport = input(
  "HolidayImport",
  { year: year(), country: optional(nullable(text(2))) },
  {
    year: "Calendar year to import",
    country: "Country, ISO 3166-1 alpha-2; null or absent, that of the settings, else the Netherlands",
  },
);
export const HolidayImportResult = answer(
  "HolidayImportResult",
  {
    created: Type.Integer(),
    updated: Type.Integer(),
    skipped: Type.Integer(),
  },
  {
    created: "Number of holidays that were added",
    updated: "Number of holidays that moved to another date",
    skipped: "Number of holidays that were left as they are",
  },
);

export const LeaveEntitlementRead = answer(
  "LeaveEntitlementRead",
  {
    id: uuid(),
    user_id: uuid(),
    leave_type_id: uuid(),
    year: Type.Integer(),
    hours: decimal(),
    source: Type.String(),
    note: nullable(Type.String()),
  },
  POT,
);
export const LeaveEntitlementUpsert = input(
  "LeaveEntitlementUpsert",
  {
    user_id: uuid(),
    leave_type_id: uuid(),
    year: year(),
    hours: decimalInput({ minimum: 0, maximum: MAX_POT_HOURS, decimalPlaces: 2 }),
    note: optional(note()),
  },
  POT,
);
export const EntitlementGenerate = input(
  "EntitlementGenerate",
  { year: year() },
  { year: "Year to derive missing entitlements for" },
);
export const GenerateResult = answer(
  "GenerateResult",
  { created: Type.Integer() },
  { created: "Number of entitlements that were added" },
);

export const LeaveBalance = answer(
  "LeaveBalance",
  {
    leave_type_id: uuid(),
    balance_group: nullable(Type.String()),
    year: Type.Integer(),
    entitled_hours: decimal(),
    approved_hours: decimal(),
    pending_hours: decimal(),
    remaining_hours: decimal(),
  },
  BALANCE,
);
const LeavePotBreakdown = answer(
  "LeavePotBreakdown",
  {
    leave_type_id: uuid(),
    accrual_year: Type.Integer(),
    entitled_hours: decimal(),
    remaining_hours: decimal(),
    expires_on: nullable(date()),
    expired: flag(),
  },
  {
    leave_type_id: "Leave type of the entitlement",
    accrual_year: "Year it was granted for",
    entitled_hours: "Hours that were granted",
    remaining_hours: "Hours that no request has drawn",
    expires_on: "First day on which it can no longer be drawn; null if it never expires",
    expired: "Whether it can no longer be drawn",
  },
);
export const LeaveGroupBalance = answer(
  "LeaveGroupBalance",
  {
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
  },
  {
    ...BALANCE,
    user_id: "The person; null if the read is about the caller alone",
    group: "Key of the balance group; null for a type on its own",
    label_i18n: "Name of the group by language",
    leave_type_ids: "Leave types of the group",
    lapsed_hours: "Hours that expired in the year without being drawn",
    expiring_soon_hours: "Hours that expire within six months of today unless they are drawn",
    pots: "Entitlements that the group draws from, by expiry",
  },
);

const FreeTimeDay = answer(
  "FreeTimeDay",
  {
    request_id: uuid(),
    date: date(),
    start_time: nullable(Type.String()),
    end_time: nullable(Type.String()),
    hours: decimal(),
    from_pattern: flag(),
  },
  {
    request_id: "The leave request",
    date: "Its first day",
    start_time: "Start on the organisation's clock; null for the start of the working day",
    end_time: "End on the organisation's clock; null for the end of the working day",
    hours: "Hours of the request",
    from_pattern: "Whether a pattern placed it",
  },
);
export const FreeTimeOverview = answer(
  "FreeTimeOverview",
  {
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
  },
  {
    user_id: "The person",
    year: "The calendar year",
    leave_type_ids: "Active free-time types, which are counted together",
    hours_per_day: "Average hours of a working day of the person",
    entitled_hours: "Hours of free time in the year",
    placed_hours: "Hours of pending and approved free time that starts in the year",
    taken_hours: "The part of `placed_hours` that ended before today",
    upcoming_hours: "The part of `placed_hours` that has not ended",
    unplaced_hours: "`entitled_hours` less `placed_hours`, at least 0",
    overhang_hours: "`placed_hours` less `entitled_hours`, at least 0",
    days: "Upcoming days, soonest first",
    next_date: "The next one; null if none",
    overhang: "Latest upcoming days of patterns that together cover `overhang_hours`: candidates to withdraw",
  },
);
export const FreeTimeWithdraw = input(
  "FreeTimeWithdraw",
  {
    request_ids: Type.Array(uuid(), { minItems: 1, maxItems: 200 }),
  },
  { request_ids: "Days of free time to cancel, by the rules of a single cancellation" },
);
export const FreeTimeWithdrawResult = answer(
  "FreeTimeWithdrawResult",
  { cancelled: Type.Integer(), skipped: list(uuid()) },
  { cancelled: "Number of days that were cancelled", skipped: "Days that could not be cancelled" },
);
