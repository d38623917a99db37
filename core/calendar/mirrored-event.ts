import type { EventTime } from "./calendar-text.ts";
import type { IsoDate } from "./dates.ts";

/** A repetition by weeks, from the event's own day on. */
export interface WeeklyRepeat {
  /** Every n-th week. */
  readonly interval_weeks: number;
  /** The last date it may fall on, in the event's zone; null: without end. */
  readonly until: IsoDate | null;
}

/**
 * A record as the calendar of its owner shows it. The module of the record answers it to the module that writes calendars; a record that has
 * no event any more is left out of the answer.
 */
export interface MirroredEvent {
  /** The record's id. */
  readonly source_id: string;
  /** Account whose calendar it belongs into. */
  readonly user_id: string;
  readonly title: string;
  readonly description: string | null;
  readonly time: EventTime;
  /** IANA zone of its times and of its repetition. */
  readonly zone: string;
  /** Whether its owner counts as free meanwhile. */
  readonly is_free: boolean;
  readonly weekly: WeeklyRepeat | null;
}
