import { addDays, earlier, type IsoDate } from "../../../core/calendar/dates.ts";
import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { type Statement, statement } from "../../../core/sql/statement.ts";
import { spanRows } from "../periods/counted-spans.ts";
import { DAYS_OF_SPANS, daysBehind, isPeriodMetric, metricsJson, spansOf } from "../reading/aggregates.ts";
import { hasChannels } from "../reading/figure-rows.ts";
import { sources } from "../sources/registry.ts";
import type { MarketingSource } from "../sources/source.ts";
import { type ChosenLinks, groupOf, type LinkGroup } from "./chosen-links.ts";

type Part = "current" | "previous";
type Figures = Record<string, number>;

const summed = (source: MarketingSource): string[] => Object.keys(source.metrics).filter((name) => !isPeriodMetric(source, name));

/** Totals per group of links and over all of them. */
const BY_GROUP = "group by grouping sets ((l.grp, p.part), (p.part))";

const channels = `select 'channels', n.grp, n.part, jsonb_object_agg(n.name, n.value)
  from (select l.grp, p.part, e.key as name, round(sum(e.value::numeric), 4) as value
    from linked l ${DAYS_OF_SPANS} cross join lateral jsonb_each_text(d.channels) e
    group by grouping sets ((l.grp, p.part, e.key), (p.part, e.key))) n group by n.grp, n.part`;

/**
 * The statement that reads the figures of some links of one source, by group and span and by day; the same rules as for a client's metrics.
 */
const statementOf = (source: MarketingSource): Statement =>
  statement(`with chosen as materialized (select * from jsonb_to_recordset($2::jsonb) x (id uuid, grp text)),
    linked as materialized (select l.organisation_id, l.id, c.grp, ${daysBehind(sources.values(), "$4::date")} as behind
      from chosen c join marketing_links l on l.organisation_id = $1 and l.id = c.id and l.active),
    ${spansOf("$3")}
  select 'behind' as kind, null::text as grp, null::text as part, to_jsonb(coalesce(max(l.behind), 0)) as figures from linked l
  union all select 'totals', l.grp, p.part, ${metricsJson(source, summed(source))} from linked l ${DAYS_OF_SPANS} ${BY_GROUP}
  union all select 'day', null, d.day::text, ${metricsJson(source, summed(source))}
    from linked l cross join lateral (select m.day, m.metrics from marketing_days m where m.organisation_id = l.organisation_id
      and m.link_id = l.id and (m.day between $5::date and $6::date or m.day between $7::date and $8::date) offset 0) d
    group by d.day
  ${hasChannels(source) ? `union all ${channels}` : ""}`);

const STATEMENTS: ReadonlyMap<string, Statement> = new Map([...sources].map(([key, source]) => [key, statementOf(source)]));

interface FigureRow {
  kind: "behind" | "totals" | "day" | "channels";
  grp: string | null;
  part: string | null;
  figures: never;
}

/** The stored figures behind a section. */
export class SectionFigures {
  readonly #rows: ReadonlyMap<string, Figures>;
  /** The last day that counts at the source; before the span if no day does. */
  readonly until: IsoDate;

  constructor(rows: readonly FigureRow[], { span, today, readUntil }: ChosenLinks) {
    this.#rows = new Map(rows.map(({ kind, grp, part, figures }) => [[kind, grp, part].join(), figures as Figures]));
    const behind = rows.find(({ kind }) => kind === "behind")?.figures ?? 0;
    this.until = [span.to, addDays(today, -1 - behind), readUntil].reduce(earlier);
  }

  /** The metrics of a group in a span; undefined if no day is stored. */
  totals({ key }: LinkGroup, part: Part): Figures | undefined {
    return this.#rows.get(["totals", key, part].join());
  }

  /** The visits by channel of a group in a span; undefined if no day with channels is stored. */
  channels({ key }: LinkGroup, part: Part): Figures | undefined {
    return this.#rows.get(["channels", key, part].join());
  }

  /** The metrics of all links on one day; undefined if the day is not stored. */
  day(day: IsoDate): Figures | undefined {
    return this.#rows.get(["day", null, day].join());
  }
}

/** Reads the stored figures behind a section, in one statement. */
export async function sectionFigures(chosen: ChosenLinks): Promise<SectionFigures> {
  const { source, all, span, compared, mode, today } = chosen;
  const links = all.links.map((link) => ({ id: link.id, grp: groupOf(link) }));
  const rows = await query<FigureRow>(STATEMENTS.get(source.key) as Statement, [
    request().organisation.id,
    JSON.stringify(links),
    JSON.stringify(spanRows(span, mode, today, source.lateDays ?? 0)),
    today,
    ...[span.from, span.to, compared.from, compared.to],
  ]);
  return new SectionFigures(rows, chosen);
}
