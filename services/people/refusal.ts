/**
 * Why a rule refuses: code, message key and fields of the error catalogue (people chapter §1, "Errors"). Rules answer it
 * as a value; the actor turns it into the error, the catalogue gives the HTTP status.
 */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** What a rule answers: what was asked for, or the first refusal in the order of the behaviour text. */
export type Ruling<T> = ({ readonly allowed: true } & T) | { readonly allowed: false; readonly refusal: Refusal };

/** Message keys per field; empty when nothing is wrong. */
export type FieldErrors = Readonly<Record<string, string>>;

/** A refusal as an answer. */
export function refuse(refusal: Refusal): { readonly allowed: false; readonly refusal: Refusal } {
  return { allowed: false, refusal };
}

/** 422 `validation` with its fields. */
export function invalid(fields: FieldErrors): Refusal {
  return { code: "validation", message: "errors.validation", fields };
}

export const FORBIDDEN: Refusal = { code: "forbidden", message: "errors.forbidden" };
export const NEEDS_MANAGER: Refusal = { code: "forbidden", message: "errors.leave_recurring_needs_manager" };
export const PAST_LOCKED: Refusal = { code: "past_locked", message: "errors.leave_past_locked" };
export const APPROVED_LOCKED: Refusal = { code: "approved_locked", message: "errors.approved_locked" };
export const SELF_APPROVAL: Refusal = { code: "self_approval", message: "errors.leave_self_approval" };
export const NOT_FOUND: Refusal = { code: "not_found", message: "errors.not_found" };
export const OVERLAP: Refusal = { code: "conflict", message: "errors.leave_overlap" };
export const DECIDED: Refusal = { code: "conflict", message: "errors.leave_decided" };
export const NO_WORKING_HOURS: Refusal = { code: "no_working_hours", message: "errors.leave_no_working_hours" };
export const CONTRACT_OVERLAP: Refusal = { code: "conflict", message: "errors.leave_contract_overlap" };
