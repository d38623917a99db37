import {
  answer,
  date,
  decimal,
  decimalInput,
  flag,
  input,
  list,
  names,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";
import { note, year } from "../sent.ts";
import { MAX_POT_HOURS } from "./derivation.ts";

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
