import type { EventTime } from "./calendar-text.ts";
import type { IsoDate } from "./dates.ts";

/** A weekly repetition, from the event's own day on. */
export interface WeeklyRepeat {
  /** Every n-th week. */
  readonly interval_weeks: number;
  /** The last possible date, in the event's zone; null for no end. */
  readonly until: IsoDate | null;
}

/**
 * A record as an event in its owner's calendar. The record's module returns it to the module that writes calendars, and omits records
 * without an event.
 */
export interface MirroredEvent {
  /** The record's id. */
  readonly source_id: string;
  /** The owner's account. */
  readonly user_id: string;
  readonly title: string;
  readonly description: string | null;
  readonly time: EventTime;
  /** IANA zone of its times and repetition. */
  readonly zone: string;
  /** Whether its owner is free during the event. */
  readonly is_free: boolean;
  readonly weekly: WeeklyRepeat | null;
}
