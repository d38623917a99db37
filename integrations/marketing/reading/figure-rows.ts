import { eachDay, type IsoDate } from "../../../core/calendar/dates.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday, organisationZone } from "../../../core/request/today.ts";
import { type Bound, statement } from "../../../core/sql/statement.ts";
import { feeding } from "../feeding.ts";
import type { AskedSpan, compareWindow } from "../periods/asked-span.ts";
import { spanRows } from "../periods/counted-spans.ts";
import type { MissingDays } from "../periods/kpi.ts";
import { sources } from "../sources/registry.ts";
import type { MarketingSource } from "../sources/source.ts";
import { daysBehind, isPeriodMetric, keyText, mostLate, periodMetrics, spansOf } from "./aggregates.ts";
import { missingDays, unreadDays } from "./missing-days.ts";
import type { StoredDays } from "./stored-days.ts";
import { metricsOfLinks } from "./totals-of-all.ts";

const all = [...sources.values()];
const LATEST = mostLate(all);

/** Whether a source reports visits by channel. */
export const hasChannels = (source: MarketingSource): boolean => Object.hasOwn(source.drilldowns, "channels");

const summed = (source: MarketingSource): string[] => Object.keys(source.metrics).filter((name) => !isPeriodMetric(source, name));

const withChannels = all.filter(hasChannels).map(keyText);

/** The stored days of a span (`StoredDays`). Metrics leave as stored: to build series of numbers here took three times as long as in Node. */
const DAYS = `select l.id, 'days', e.days from linked l cross join lateral (select json_build_object(
      'at', json_agg(m.day - $4::date), 'metrics', json_agg(m.metrics),
      'channels', ${withChannels.length > 0 ? `json_agg(m.channels) filter (where l.source in (${withChannels.join(", ")}))` : "null"}) as days
    from marketing_days m
    where m.organisation_id = l.organisation_id and m.link_id = l.id and m.day between $4::date and $5::date offset 0) e`;

const LINKED = `linked as materialized (select l.organisation_id, l.id, l.source, l.read_days, ${daysBehind(all, "$6::date")} as behind
  from marketing_links l where l.organisation_id = $1 and l.company_id = $2 and ${feeding("l")})`;

/** The figures of a client's active links: totals of both spans, and the stored days of the current one. */
export const FIGURES = statement(`with ${LINKED}, ${spansOf("$3")}
  select l.id as link_id, 'behind' as part, to_json(l.behind) as figures from linked l
  union all select l.id, 'unread', (select json_agg(g::date order by g) from unnest(${unreadDays("$4::date", "$5::date")}) r
    cross join lateral generate_series(lower(r), upper(r) - 1, interval '1 day') g) from linked l
  union all select m.k0, 'missing', json_object_agg(m.part, m.days) from (${missingDays(["l.id"])}) m group by m.k0
  union all select t.id, t.part, t.figures::json from (${all.map((source) => metricsOfLinks(source, summed(source))).join(" union all ")}) t
  union all ${DAYS}`);

/** A value that was fetched before its span ended lacks the days since, so it only counts on the day it was fetched. */
const VALUES =
  statement(`select l.id as link_id, m.name as metric, v.start_on::text as "from", v.end_on::text as "to", v.value::float8 as value
  from marketing_links l cross join unnest($3::text[]) m (name) cross join unnest($4::date[], $5::date[]) p (start_on, end_on)
  join marketing_period_values v on v.organisation_id = l.organisation_id and v.link_id = l.id and v.metric = m.name
    and v.start_on = p.start_on and v.end_on = p.end_on
    and (v.stored_at at time zone $7)::date > least(v.end_on, $6::date - 1)
  where l.organisation_id = $1 and l.company_id = $2 and ${feeding("l")}`);

type Window = ReturnType<typeof compareWindow>;

/** The figures of a link in both spans. */
export interface LinkFigures {
  behind: number;
  current: Record<string, number>;
  previous: Record<string, number>;
  days: StoredDays;
  /** Days of the requested span that were never read; null if all were. */
  unread: IsoDate[] | null;
  missing: MissingDays;
}
/** The figures of a link without any. A span without a counted day has no missing one. */
export const NO_FIGURES: Readonly<LinkFigures> = {
  ...{ behind: 0, current: {}, previous: {}, days: { at: null, metrics: null, channels: null } },
  ...{ unread: null, missing: { current: 0, previous: 0 } },
};
interface FigureRow {
  link_id: string;
  part: keyof LinkFigures;
  figures: never;
}
interface ValueRow {
  link_id: string;
  metric: string;
  from: IsoDate;
  to: IsoDate;
  value: number;
}

/** The statement that reads the whole-span values of a client's links. */
export function valueStatement(companyId: string, window: Window): Bound {
  const wanted = [...new Set(all.flatMap(periodMetrics))];
  const [starts, ends] = [
    [window.current_start, window.start],
    [window.current_end, window.end],
  ];
  const { id } = request().organisation;
  return [VALUES, [id, companyId, wanted, starts, ends, organisationToday(), organisationZone()]];
}

/** The two statements that read the figures of a client's links, for one round trip. */
export function figureStatements(companyId: string, span: AskedSpan, window: Window, today: IsoDate): readonly [Bound, Bound] {
  const { id } = request().organisation;
  const spans = JSON.stringify(spanRows(span, window.mode, today, LATEST));
  return [[FIGURES, [id, companyId, spans, span.from, span.to, today]], valueStatement(companyId, window)];
}

export function figuresByLink(rows: readonly unknown[]): ReadonlyMap<string, LinkFigures> {
  const found = new Map<string, LinkFigures>();
  for (const { link_id, part, figures } of rows as FigureRow[]) {
    const own = found.get(link_id) ?? { ...NO_FIGURES };
    found.set(link_id, Object.assign(own, { [part]: figures }));
  }
  return found;
}

/** The whole-span values that sources reported. */
export class PeriodValues {
  readonly #values: ReadonlyMap<string, number>;

  constructor(rows: readonly unknown[]) {
    this.#values = new Map(
      (rows as ValueRow[]).map(({ link_id, metric, from, to, value }) => [[link_id, metric, from, to].join(), value]),
    );
  }

  /** Undefined if not fetched from the source yet. */
  of(linkId: string, metric: string, from: IsoDate, to: IsoDate): number | undefined {
    return this.#values.get([linkId, metric, from, to].join());
  }
}

export const seriesDates = ({ from, to }: AskedSpan): IsoDate[] => eachDay(from, to);
