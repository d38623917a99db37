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
  /** The records whose names are in the text, as `namedRecordKey`: a rename of one rewrites the event. */
  readonly names: readonly string[];
  readonly description: string | null;
  readonly time: EventTime;
  /** IANA zone of its times and repetition. */
  readonly zone: string;
  /** Whether its owner is free during the event. */
  readonly is_free: boolean;
  readonly weekly: WeeklyRepeat | null;
}

/** The field with the name of each kind of record that texts in calendars name: a rename of another kind costs no look at them. */
export const NAMING_FIELDS: Readonly<Record<string, string>> = {
  leave_type: "label_i18n",
  task: "title",
};

/** A record that a text names. @param kind a key of `NAMING_FIELDS` */
export const namedRecordKey = (kind: string, id: string): string => `${kind}:${id}`;
