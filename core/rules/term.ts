import type { IsoDate } from "../calendar/calendar.ts";
import { invalid } from "../errors/errors.ts";

/** A first and a last day; either can be open. */
export interface Term {
  readonly start_date?: IsoDate | null | undefined;
  readonly end_date?: IsoDate | null | undefined;
}

/**
 * Rejects a record that ends before it starts. A write that changes neither day passes, so that older rows stay editable.
 * @param changed the write's values, which override `before`
 * @throws 422 `end_date: errors.validation`
 */
export function requireTerm(before: Term, changed: Term): void {
  if (changed.start_date === undefined && changed.end_date === undefined) return;
  const start = changed.start_date === undefined ? before.start_date : changed.start_date;
  const end = changed.end_date === undefined ? before.end_date : changed.end_date;
  if (start && end && end < start) throw invalid({ end_date: "errors.validation" });
}
