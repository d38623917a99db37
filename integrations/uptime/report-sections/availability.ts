import { rangeBounds } from "../../../core/calendar/calendar.ts";
import { LANGUAGE_TAGS } from "../../../core/calendar/in-words.ts";
import type { Locale } from "../../../core/config/defaults.ts";
import { queryAll } from "../../../core/database/query.ts";
import {
  cutRows,
  type GatherSection,
  MOST_ROWS,
  type ReportColumn,
  type ReportTotal,
  type ReportValueKind,
} from "../../../core/declare/report-sections.ts";
import { request } from "../../../core/request/context.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";

/**
 * The monitors of client `$2` with what was observed of them between `$3` and `$4`: from the first trace of a monitor, to now at the latest.
 * With `$5` only monitors of websites, under the website's name: client logins see no others (workspace-reporting §5).
 */
const OBSERVED = `select m.id, case when $5::boolean then d.name else m.name end as name, o.since, o.until
  from uptime_monitors m
    left join websites w on w.organisation_id = m.organisation_id and w.id = m.website_id
    left join domains d on d.organisation_id = w.organisation_id and d.id = w.domain_id
    cross join lateral (select least(m.created_at,
        (select min(h.at) from uptime_heartbeats h where h.organisation_id = m.organisation_id and h.monitor_id = m.id),
        (select min(i.started_at) from uptime_incidents i where i.organisation_id = m.organisation_id and i.monitor_id = m.id)) as at) first
    cross join lateral (select greatest($3::timestamptz, first.at) as since, least($4::timestamptz, now()) as until) o
  where m.organisation_id = $1 and m.company_id = $2 and m.active and m.monitor_type <> 'group' and m.last_heartbeat_at is not null
    and o.since < o.until and (d.name is not null or not $5::boolean)`;
/** The outages of those monitors, each with the part of it that was observed. */
const OUTAGES = `select o.id as monitor_id, o.name, i.id, i.started_at, greatest(i.started_at, o.since) as from_at,
    least(coalesce(i.ended_at, now()), o.until) as to_at
  from observed o join uptime_incidents i on i.organisation_id = $1 and i.monitor_id = o.id
    and i.started_at < o.until and coalesce(i.ended_at, 'infinity') > o.since`;
const MINUTES = "extract(epoch from x.to_at - x.from_at) / 60";
const MONITORS = statement(`with observed as (${OBSERVED}), outages as (${OUTAGES})
  select o.name, (extract(epoch from o.until - o.since) / 60)::float8 as observed, count(x.id)::float8 as outages,
      coalesce(sum(${MINUTES}), 0)::float8 as down
    from observed o left join outages x on x.monitor_id = o.id group by o.id, o.name, o.since, o.until order by o.name, o.id`);
const INCIDENTS = statement(`with observed as (${OBSERVED}), outages as (${OUTAGES})
  select x.name, to_char(x.started_at at time zone $6, 'YYYY-MM-DD"T"HH24:MI') as started_at, (${MINUTES})::float8 as minutes,
      (count(*) over ())::float8 as total
    from outages x order by x.started_at, x.name, x.id limit ${MOST_ROWS}`);

interface MonitorRow {
  name: string;
  /** Minutes. */
  observed: number;
  outages: number;
  /** Minutes. */
  down: number;
}
interface IncidentRow {
  name: string;
  started_at: string;
  minutes: number;
  total: number;
}

const WORDS = {
  availability: { nl: "Bereikbaar", en: "Available" },
  outages: { nl: "Storingen", en: "Outages" },
  minutes: { nl: "Minuten storing", en: "Minutes of outage" },
  monitor: { nl: "Website", en: "Website" },
  start: { nl: "Begin", en: "Start" },
  length: { nl: "Duur in minuten", en: "Length in minutes" },
} satisfies Record<string, Readonly<Record<Locale, string>>>;
type Word = keyof typeof WORDS;

const column = (key: Word, kind: ReportValueKind): ReportColumn => ({ key, label: WORDS[key], kind });
/** The earlier values are missing: outages are stored only from some day on, and none before it would be read as none at all. */
const total = (key: Word, kind: ReportValueKind, value: number): ReportTotal => ({
  key,
  label: WORDS[key],
  kind,
  value,
  before: null,
});

/** The availability in percent, rounded down to one decimal: with an outage it is never 100 %. */
const percentOf = (observed: number, down: number): number => Math.floor((1 - down / observed) * 1000 + 1e-9) / 10;
/** Whole minutes; an outage of less than a minute counts as one. */
const wholeMinutes = (minutes: number): number => (minutes > 0 ? Math.max(1, Math.round(minutes)) : 0);

/**
 * The availability of a client's monitors in the period's days of the organisation's zone, with the outages that overlap it, from stored
 * outages alone and in a fixed number of statements. A monitor counts from its first trace, an open outage up to now. Null if nothing was
 * observed. Paused monitors, groups and monitors that never reported are left out.
 */
export const gatherAvailability: GatherSection = async ({ company_id: companyId, audience, span, locale }) => {
  const zone = organisationZone();
  const { from, until } = rangeBounds(span.start, span.end, zone);
  const place = [request().organisation.id, companyId, from, until, audience === "client"];
  const [monitors, incidents] = (await queryAll([MONITORS, place], [INCIDENTS, [...place, zone]])) as unknown as [
    MonitorRow[],
    IncidentRow[],
  ];
  if (monitors.length === 0) return null;
  const sum = (of: "observed" | "outages" | "down") => monitors.reduce((whole, row) => whole + row[of], 0);
  const time = new Intl.DateTimeFormat(LANGUAGE_TAGS[locale], { timeZone: "UTC", dateStyle: "medium", timeStyle: "short" });
  const table = {
    columns: [
      column("monitor", "text"),
      column("availability", "percent"),
      column("outages", "count"),
      column("minutes", "count"),
    ],
    rows: monitors
      .slice(0, MOST_ROWS)
      .map(({ name, observed, outages, down }) => [name, percentOf(observed, down), outages, wholeMinutes(down)]),
    ...cutRows(MOST_ROWS, monitors.length),
  };
  const listed = {
    columns: [column("monitor", "text"), column("start", "text"), column("length", "count")],
    rows: incidents.map(({ name, started_at, minutes }) => [
      name,
      time.format(new Date(`${started_at}Z`)),
      wholeMinutes(minutes),
    ]),
    ...cutRows(incidents.length, incidents[0]?.total ?? 0),
  };
  return {
    totals: [
      total("availability", "percent", percentOf(sum("observed"), sum("down"))),
      total("outages", "count", sum("outages")),
      total("minutes", "count", wholeMinutes(sum("down"))),
    ],
    table,
    ...(incidents.length > 0 && { parts: [{ name: WORDS.outages[locale], totals: [], table: listed }] }),
  };
};
