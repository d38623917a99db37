/**
 * Why a rule refuses: code, message key and fields of the error catalogue (people chapter §1, "Errors"). Rules return it as a value; the
 * actor throws the error, and the catalogue sets the HTTP status.
 */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** Machine-readable facts, such as the conflicting row. */
  readonly details?: Readonly<Record<string, string>>;
}

/** The result of a rule: the decided value, or the first refusal in the order of the rules. */
export type Decision<T> = ({ readonly allowed: true } & T) | { readonly allowed: false; readonly refusal: Refusal };

/** Message keys per field; empty when valid. */
export type FieldErrors = Readonly<Record<string, string>>;

export function refuse(refusal: Refusal): { readonly allowed: false; readonly refusal: Refusal } {
  return { allowed: false, refusal };
}

/** 422 `validation` with its fields. */
export function invalid(fields: FieldErrors): Refusal {
  return { code: "validation", message: "errors.validation", fields };
}

/** Permission or scope missing. */
export const FORBIDDEN: Refusal = { code: "forbidden", message: "errors.forbidden" };
/** Only a manager may plan this pattern. */
export const NEEDS_MANAGER: Refusal = { code: "forbidden", message: "errors.leave_recurring_needs_manager" };
/** Leave in the past, and the caller may not backdate. */
export const PAST_LOCKED: Refusal = { code: "past_locked", message: "errors.leave_past_locked" };
/** An owner cancels approved leave of a type that requires approval. */
export const APPROVED_LOCKED: Refusal = { code: "approved_locked", message: "errors.approved_locked" };
/** An approver acts on their own leave. */
export const SELF_APPROVAL: Refusal = { code: "self_approval", message: "errors.leave_self_approval" };
/** Absent, or hidden from the caller. */
export const NOT_FOUND: Refusal = { code: "not_found", message: "errors.not_found" };
/** Other occupying leave of the person shares a day. */
export const OVERLAP: Refusal = { code: "conflict", message: "errors.leave_overlap" };
/** The request is no longer pending, or no longer live. */
export const DECIDED: Refusal = { code: "conflict", message: "errors.leave_decided" };
/** The span is worth 0 hours. */
export const NO_WORKING_HOURS: Refusal = { code: "no_working_hours", message: "errors.leave_no_working_hours" };
/** Two employment periods of one person share a day. */
export const CONTRACT_OVERLAP: Refusal = { code: "conflict", message: "errors.leave_contract_overlap" };
