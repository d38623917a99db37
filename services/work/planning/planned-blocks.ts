import {
  dateIn,
  type IsoDate,
  instantIn,
  rangeBounds,
  timeIn,
  utcInstant,
  type WallTime,
} from "../../../core/calendar/calendar.ts";

/** The block booked on each occurrence's due date: local start, minutes, and the person (null: the starred assignee). */
export interface RecurrencePlan {
  readonly user_id: string | null;
  readonly start_time: WallTime;
  readonly duration_minutes: number;
}

const MINUTE = 60_000;

/** A planned period of work in UTC instants, the end exclusive (work chapter §3.10). */
export interface BlockInstants {
  readonly starts_at: string;
  readonly ends_at: string;
}

/** A block as the caller sends it: a local day, the local start time, and the length in minutes, 1–1440. */
export interface LocalBlock {
  readonly day: IsoDate;
  readonly start_time: WallTime;
  readonly duration_minutes: number;
}

const after = (instant: string, minutes: number): string => utcInstant(Date.parse(instant) + minutes * MINUTE);

/** The instants of a block in the organisation's zone. The length is elapsed time, so a clock change does not alter it. */
export function blockInstants({ day, start_time, duration_minutes }: LocalBlock, zone: string): BlockInstants {
  const starts_at = utcInstant(instantIn(zone, day, start_time.slice(0, 5)));
  return { starts_at, ends_at: after(starts_at, duration_minutes) };
}

/** The length of a block in whole minutes. */
export function blockMinutes({ starts_at, ends_at }: BlockInstants): number {
  return Math.round((Date.parse(ends_at) - Date.parse(starts_at)) / MINUTE);
}

/** The local dates on which a block starts and ends; one that ends at midnight belongs to the day before (work chapter §3.10). */
export function blockDays({ starts_at, ends_at }: BlockInstants, zone: string): { start: IsoDate; end: IsoDate } {
  return { start: dateIn(zone, starts_at), end: dateIn(zone, Date.parse(ends_at) - 1) };
}

/** The local times of a block's start and end, `HH:MM`. */
export function blockTimes({ starts_at, ends_at }: BlockInstants, zone: string): { start: WallTime; end: WallTime } {
  return { start: timeIn(zone, starts_at), end: timeIn(zone, ends_at) };
}

/**
 * A block after an update; omitted and null fields stay. Moving only the day keeps the local time, even across a clock change, and the
 * length (work chapter §3.10).
 */
export function movedBlock(
  block: BlockInstants,
  patch: { readonly [Key in keyof LocalBlock]?: LocalBlock[Key] | null | undefined },
  zone: string,
): BlockInstants {
  const day = dateIn(zone, block.starts_at);
  const start_time = timeIn(zone, block.starts_at);
  const wanted = { day: patch.day ?? day, start_time: patch.start_time?.slice(0, 5) ?? start_time };
  const duration_minutes = patch.duration_minutes ?? blockMinutes(block);
  // A local time that occurs twice names two instants: an unmoved start keeps its own.
  const stays = wanted.day === day && wanted.start_time === start_time;
  const starts_at = stays ? utcInstant(block.starts_at) : blockInstants({ ...wanted, duration_minutes }, zone).starts_at;
  return { starts_at, ends_at: after(starts_at, duration_minutes) };
}

/**
 * The instants of an inclusive window of local dates, the end exclusive: an overlapping block starts before `end` and ends after `start`.
 */
export function windowInstants(from: IsoDate, to: IsoDate, zone: string): { start: string; end: string } {
  const { from: start, until: end } = rangeBounds(from, to, zone);
  return { start, end };
}

/**
 * The block that a rule's plan books for an occurrence: on its due date, for the plan's person or else the occurrence's starred assignee.
 * Null without a plan or a person, or if the date is past (work chapter §3.9, "plan").
 */
export function plannedBlock(
  { plan }: { readonly plan: RecurrencePlan | null },
  occurrence: { readonly due_date: IsoDate; readonly assignee_user_id: string | null },
  today: IsoDate,
  zone: string,
): (BlockInstants & { readonly user_id: string }) | null {
  const user_id = plan?.user_id ?? occurrence.assignee_user_id;
  if (!plan || !user_id || occurrence.due_date < today) return null;
  return { user_id, ...blockInstants({ ...plan, day: occurrence.due_date }, zone) };
}

/** The preview's `planned_start` and `planned_end` in local time on that date; null without a plan. */
export function plannedTimes(
  { plan }: { readonly plan: RecurrencePlan | null },
  date: IsoDate,
  zone: string,
): { planned_start: WallTime | null; planned_end: WallTime | null } {
  if (!plan) return { planned_start: null, planned_end: null };
  const { start, end } = blockTimes(blockInstants({ ...plan, day: date }, zone), zone);
  return { planned_start: start, planned_end: end };
}
