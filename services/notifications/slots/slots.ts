import type { Clock } from "./clock.ts";

/** Default times of digests: 08:00, and Monday for weekly ones (platform chapter §5.4). */
export const DIGEST_TIME = "08:00";
export const DIGEST_WEEKDAY = 0;

/** SQL of a delivery rule, without the aliases run, day, cadence and slot; all but the first two can be null. */
export interface SlotRule {
  /** `immediate`, `hourly`, `daily` or `weekly`. */
  readonly digest: string;
  /** Minutes, for `immediate` only. */
  readonly delay: string;
  /** `HH:MM` as `time`; null is 08:00. */
  readonly time: string;
  /** 0 = Monday; null is Monday. */
  readonly weekday: string;
  /** The quiet hours `[start, end)` as `time`. Null or equal means none. */
  readonly quiet?: { readonly start: string; readonly end: string };
}

/** The values of `clockTable`. */
export const clockValues = ({ from_at, from_local, shift }: Clock): unknown[] => [from_at, from_local, shift];

/**
 * A common table `moment` of one row for `slot`: the statement's instant, the organisation's local time at it, and the clock's offsets from
 * three arrays (`clockValues`). PostgreSQL does the arithmetic because the data is there, but we pass the offsets: its zone table may be
 * older than the one that validated the zone.
 * @param slots those of `clockValues`
 * @param now SQL of the instant; by default PostgreSQL's clock, which also decides visibility
 */
export const clockTable = ([at, local, shift]: readonly [string, string, string], now = "statement_timestamp()"): string => `
  moment as materialized (select moment.*, ${localOf("moment.at")} as local from (
    select ${now} as at, ${at}::timestamptz[] as from_at, ${local}::timestamp[] as from_local, ${shift}::int[] as shift) moment)`;

/** The local time at an instant. */
function localOf(at: string): string {
  return `((${at}) at time zone 'UTC' + moment.shift[width_bucket(${at}, moment.from_at)] * interval '1 minute')`;
}

/** The instant of a local time: a skipped time moves on by the gap, a repeated one means its first occurrence. */
const instantOf = (local: string): string =>
  `(((${local}) - moment.shift[width_bucket(${local}, moment.from_local)] * interval '1 minute') at time zone 'UTC')`;

/** When a rule's cadence alone would deliver (platform chapter §5.5); reads `moment`. */
function cadence({ digest, delay, time, weekday }: SlotRule): string {
  const ofDay = `coalesce(${time}, '${DIGEST_TIME}'::time)`;
  const ahead = `case when ${digest} = 'weekly' then (coalesce(${weekday}, ${DIGEST_WEEKDAY}) - extract(isodow from moment.local)::int + 8) % 7 else 0 end`;
  const step = `case when ${digest} = 'weekly' then 7 else 1 end`;
  return `select case ${digest}
      when 'immediate' then moment.at + ${delay} * interval '1 minute'
      when 'hourly' then moment.at + (date_trunc('hour', moment.local) + interval '1 hour' - moment.local)
      else (select case when ${instantOf("day.next")} > moment.at then ${instantOf("day.next")} else ${instantOf(`day.next + ${step} * interval '1 day'`)} end
        from (select moment.local::date + ${ahead} + ${ofDay} as next offset 0) day) end as due`;
}

/**
 * A subquery of one row with `at`: when to deliver an event of this statement (platform chapter §5.5). An immediate one waits for its
 * delay; a digest leaves at the next hour, or at the next occurrence of its time (and day) strictly after now. Quiet hours move a delivery
 * to their end in local time, unshifted by a clock change, and never earlier.
 * `offset 0` makes PostgreSQL compute each step once; otherwise it inlines it at every use, which cost a third of a write.
 */
export function slot(rule: SlotRule): string {
  const due = cadence(rule);
  if (!rule.quiet) return `(select slot.due as at from moment cross join lateral (${due} offset 0) slot)`;
  const { start, end } = rule.quiet;
  const within = `case when ${start} < ${end} then slot.local::time >= ${start} and slot.local::time < ${end}
      else ${start} > ${end} and (slot.local::time >= ${start} or slot.local::time < ${end}) end`;
  const ending = `slot.local::date + case when slot.local::time >= ${end} then 1 else 0 end + ${end}`;
  return `(select case when ${within} then greatest(slot.due, ${instantOf(ending)}) else slot.due end as at
    from moment cross join lateral (select cadence.due, ${localOf("cadence.due")} as local from (${due} offset 0) cadence offset 0) slot)`;
}
