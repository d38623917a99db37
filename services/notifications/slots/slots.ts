import type { Clock } from "./clock.ts";

/** When digests leave that say no time of their own: 08:00, and the weekly one on Monday (platform chapter §5.4). */
export const DIGEST_TIME = "08:00";
export const DIGEST_WEEKDAY = 0;

/** SQL of what decides when something is told, under other aliases than run, day, cadence and told; each may be null but the first two. */
export interface SlotRule {
  /** `immediate`, `hourly`, `daily` or `weekly`. */
  readonly digest: string;
  /** Minutes, for `immediate` alone. */
  readonly delay: string;
  /** `HH:MM` as `time`; null is 08:00. */
  readonly time: string;
  /** 0 = Monday; null is Monday. */
  readonly weekday: string;
  /** The quiet hours `[start, end)` as `time`. Null, or equal, is none. */
  readonly quiet?: { readonly start: string; readonly end: string };
}

/** The values of `clockTable`. */
export const clockValues = ({ from_at, from_local, shift }: Clock): unknown[] => [from_at, from_local, shift];

/**
 * A common table `moment` of one row that `slot` reads: the instant of the statement, what the organisation's clock shows at it, and how that
 * clock runs, from three arrays (`clockValues`). PostgreSQL does the arithmetic, because what it is about is only there; which offset holds
 * when, it is told: its own table of zones may be older than the one by which the zone was accepted.
 * @param slots those of `clockValues`
 * @param now SQL of the instant; PostgreSQL's own clock, which is also the one that says what has become visible
 */
export const clockTable = ([at, local, shift]: readonly [string, string, string], now = "statement_timestamp()"): string => `
  moment as materialized (select moment.*, ${localOf("moment.at")} as local from (
    select ${now} as at, ${at}::timestamptz[] as from_at, ${local}::timestamp[] as from_local, ${shift}::int[] as shift) moment)`;

/** What the clock shows at an instant. */
function localOf(at: string): string {
  return `((${at}) at time zone 'UTC' + moment.shift[width_bucket(${at}, moment.from_at)] * interval '1 minute')`;
}

/** The instant at which the clock shows a time: one it skips moves on by the gap, of one it shows twice the first. */
const instantOf = (local: string): string =>
  `(((${local}) - moment.shift[width_bucket(${local}, moment.from_local)] * interval '1 minute') at time zone 'UTC')`;

/** When something is told by its cadence alone (platform chapter §5.5), in sight of `moment`. */
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
 * A subquery of one row with `at`: the instant at which something is told that comes up in this statement (platform chapter §5.5). An
 * immediate one has its delay, a digest leaves at the next hour, or at the next occurrence of its time (and day) strictly later than now.
 * What falls into quiet hours moves to their end, on the wall: a clock change does not shift it. It is never earlier than without them.
 * `offset 0` has each step be computed once; PostgreSQL would else write it out wherever it is used, which cost a third of a write.
 */
export function slot(rule: SlotRule): string {
  const due = cadence(rule);
  if (!rule.quiet) return `(select told.due as at from moment cross join lateral (${due} offset 0) told)`;
  const { start, end } = rule.quiet;
  const within = `case when ${start} < ${end} then told.local::time >= ${start} and told.local::time < ${end}
      else ${start} > ${end} and (told.local::time >= ${start} or told.local::time < ${end}) end`;
  const ending = `told.local::date + case when told.local::time >= ${end} then 1 else 0 end + ${end}`;
  return `(select case when ${within} then greatest(told.due, ${instantOf(ending)}) else told.due end as at
    from moment cross join lateral (select cadence.due, ${localOf("cadence.due")} as local from (${due} offset 0) cadence offset 0) told)`;
}
