/** Minutes within which a monitor flaps, and without a change after which it no longer does (workspace-reporting §5). */
const SPAN = "interval '15 minutes'";
/** The most changes within that time before a monitor flaps. */
const MOST = 5;

/** SQL of a `with` clause: `silent`, the ids of monitors that are paused or in a group that is, however deep. */
export const SILENT = `recursive silent as (
    select m.id from uptime_monitors m where m.organisation_id = $1 and not m.active
    union select m.id from silent s join uptime_monitors m on m.organisation_id = $1 and m.parent_id = s.id)`;

/**
 * SQL of the next states of the monitors of `known`: `judged` and `decided`. An outage lasts from a down to the next up; pending and
 * maintenance neither begin nor end one. A monitor flaps once more than five changes between down and up lie within 15 minutes, until 15
 * minutes pass without one. What is announced is the state that was not announced last.
 *
 * `known` has the columns of the monitor, `status` (null if there is no heartbeat), `at` and `is_newer`: whether the state is to be judged.
 * `decided` adds `outage_now`, `turns_now`, `flaps`, `announces` (`up`, `down`, `flapping` or null), `turned_at` and, of an outage that
 * begins or ends, `incident_start` and `incident_end`.
 */
export const DECIDED = `judged as (
    select k.*, k.is_newer and k.status = 'down' and k.outage_since is null as begins,
        k.is_newer and k.status = 'up' and k.outage_since is not null as ends,
        k.turns[cardinality(k.turns)] as last_turn
      from known k),
  turned as (
    select j.*, (j.begins or j.ends) is true as turned,
        case when (j.begins or j.ends) is true
          then (j.turns || j.at)[greatest(1, cardinality(j.turns) + 2 - ${MOST + 1}):] else j.turns end as turns_now,
        case when j.begins then j.at when j.ends then null else j.outage_since end as outage_now
      from judged j),
  flapped as (
    select t.*, case when not t.is_newer then t.flapping
        else (t.turned and cardinality(t.turns_now) = ${MOST + 1} and t.at - t.turns_now[1] <= ${SPAN})
          or (t.flapping and t.at - t.last_turn < ${SPAN}) end as flaps
      from turned t),
  decided as (
    select f.*, case when f.begins then f.at when f.ends then f.outage_since end as incident_start,
        case when f.ends then f.at end as incident_end,
        case when not f.is_newer or f.id in (select id from silent) then null
          when f.flaps then nullif('flapping', f.announced)
          else nullif(case when f.outage_now is null then 'up' else 'down' end, f.announced) end as announces
      from flapped f)`;

/** SQL of a `with` clause: stores the outages of `decided` that begin or end. */
export const STORE_INCIDENTS = `incidents as (
    insert into uptime_incidents (organisation_id, monitor_id, started_at, ended_at)
    select $1, d.id, d.incident_start, d.incident_end from decided d where d.incident_start is not null
    on conflict on constraint uptime_incidents_key do update set ended_at = excluded.ended_at,
      version = uptime_incidents.version + 1, updated_at = statement_timestamp())`;

/** SQL: what of `decided` is stored on monitor `m`. */
export const STATE = `outage_since = d.outage_now, turns = d.turns_now, flapping = d.flaps, announced = coalesce(d.announces, m.announced)`;

/** SQL: the whole minutes between two instants, rounded. */
export const minutesBetween = (start: string, end: string): string => `round(extract(epoch from ${end} - ${start}) / 60)::int`;

/** SQL: the announcements of `decided`. An `up` that is announced later than it happened is about the monitor's last outage. */
export const ANNOUNCEMENTS = `select a.*, ${minutesBetween("a.started_at", "a.ended_at")} as minutes from (
    select d.id, d.name, d.target, d.company_id, d.website_id, d.at, d.message, d.announces,
        case d.announces when 'down' then d.outage_now when 'up' then coalesce(d.incident_start, last.started_at) end as started_at,
        case d.announces when 'up' then coalesce(d.incident_end, last.ended_at) end as ended_at
      from decided d left join lateral (select i.started_at, i.ended_at from uptime_incidents i
        where d.announces = 'up' and d.incident_start is null and i.organisation_id = $1 and i.monitor_id = d.id
          and i.ended_at is not null
        order by i.started_at desc limit 1) last on true) a`;
