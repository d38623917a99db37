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
import {
  DAYS_OF_SPANS,
  daysBehind,
  dayValue,
  isPeriodMetric,
  keyText,
  metricsJson,
  mostLate,
  periodMetrics,
  spansOf,
} from "./aggregates.ts";
import { missingDays, unreadDays } from "./missing-days.ts";

const all = [...sources.values()];
const LATEST = mostLate(all);

/** Whether a source reports visits by channel. */
export const hasChannels = (source: MarketingSource): boolean => Object.hasOwn(source.drilldowns, "channels");

const summed = (source: MarketingSource): string[] => Object.keys(source.metrics).filter((name) => !isPeriodMetric(source, name));

const totals = (
  source: MarketingSource,
): string => `select l.id as link_id, p.part, ${metricsJson(source, summed(source))} as figures
  from linked l ${DAYS_OF_SPANS} where l.source = ${keyText(source)} group by l.id, p.part`;

const series = (source: MarketingSource): string => `select l.id, 'series', jsonb_build_object(${Object.keys(source.metrics)
  .map((name) => `'${name}', jsonb_agg(${dayValue(source, name)} order by d.day)`)
  .join(", ")})
  from linked l cross join lateral (select g::date as day, y.metrics
    from generate_series($4::date, $5::date, interval '1 day') g left join (select m.day, m.metrics from marketing_days m
      where m.organisation_id = l.organisation_id and m.link_id = l.id and m.day between $4::date and $5::date offset 0) y on y.day = g::date
    offset 0) d
  where l.source = ${keyText(source)} group by l.id`;

const channels = (source: MarketingSource): string => `select n.id, 'channels', jsonb_object_agg(n.name, n.value)
  from (select l.id, e.key as name, round(sum(e.value::numeric), 4) as value
    from linked l ${DAYS_OF_SPANS} cross join lateral jsonb_each_text(d.channels) e
    where l.source = ${keyText(source)} and p.part = 'current' group by l.id, e.key) n group by n.id`;

const LINKED = `linked as materialized (select l.organisation_id, l.id, l.source, l.read_days, ${daysBehind(all, "$6::date")} as behind
  from marketing_links l where l.organisation_id = $1 and l.company_id = $2 and ${feeding("l")})`;

/** The figures of a client's active links: totals of both spans, and the daily series and channels of the current one. */
const FIGURES = statement(`with ${LINKED}, ${spansOf("$3")}
  select l.id as link_id, 'behind' as part, to_jsonb(l.behind) as figures from linked l
  union all select l.id, 'unread', (select jsonb_agg(g::date order by g) from unnest(${unreadDays("$4::date", "$5::date")}) r
    cross join lateral generate_series(lower(r), upper(r) - 1, interval '1 day') g) from linked l
  union all select m.k0, 'missing', jsonb_object_agg(m.part, m.days) from (${missingDays(["l.id"])}) m group by m.k0
  union all ${all.map(totals).join(" union all ")}
  union all ${all.map(series).join(" union all ")}
  ${all
    .filter(hasChannels)
    .map((source) => `union all ${channels(source)}`)
    .join(" ")}`);

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
  series: Record<string, number[]>;
  channels: Record<string, number>;
  /** Days of the requested span that were never read; null if all were. */
  unread: IsoDate[] | null;
  missing: MissingDays;
}
/** The figures of a link without any. A span without a counted day has no missing one. */
export const NO_FIGURES: Readonly<LinkFigures> = {
  ...{ behind: 0, current: {}, previous: {}, series: {}, channels: {} },
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
