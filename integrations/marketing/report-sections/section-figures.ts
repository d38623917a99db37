import { addDays, earlier, type IsoDate } from "../../../core/calendar/dates.ts";
import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { type Statement, statement } from "../../../core/sql/statement.ts";
import { feeding } from "../feeding.ts";
import { spanRows } from "../periods/counted-spans.ts";
import { isCompared } from "../periods/kpi.ts";
import { DAYS_OF_SPANS, daysBehind, isPeriodMetric, metricsJson, spansOf } from "../reading/aggregates.ts";
import { hasChannels } from "../reading/figure-rows.ts";
import { missingDays, unreadDays } from "../reading/missing-days.ts";
import { sources } from "../sources/registry.ts";
import type { MarketingSource } from "../sources/source.ts";
import { type ChosenLinks, groupOf, type LinkGroup } from "./chosen-links.ts";

type Part = "current" | "previous";
type Figures = Record<string, number>;

const summed = (source: MarketingSource): string[] => Object.keys(source.metrics).filter((name) => !isPeriodMetric(source, name));

/** Per group of links and over all of them. */
const BY_GROUP = "grouping sets ((l.grp, p.part), (p.part))";

const channels = `select 'channels', n.grp, n.part, jsonb_object_agg(n.name, n.value)
  from (select l.grp, p.part, e.key as name, round(sum(e.value::numeric), 4) as value
    from linked l ${DAYS_OF_SPANS} cross join lateral jsonb_each_text(d.channels) e
    group by grouping sets ((l.grp, p.part, e.key), (p.part, e.key))) n group by n.grp, n.part`;

/**
 * The statement that reads the figures of some links of one source, by group and span and by day; the same rules as for a client's metrics.
 */
const statementOf = (source: MarketingSource): Statement =>
  statement(`with chosen as materialized (select * from jsonb_to_recordset($2::jsonb) x (id uuid, grp text)),
    linked as materialized (select l.organisation_id, l.id, l.read_days, c.grp, ${daysBehind(sources.values(), "$4::date")} as behind
      from chosen c join marketing_links l on l.organisation_id = $1 and l.id = c.id and ${feeding("l")}),
    ${spansOf("$3")}
  select 'behind' as kind, null::text as grp, null::text as part, to_jsonb(coalesce(max(l.behind), 0)) as figures from linked l
  union all select 'stored_from', null, null, to_jsonb(max(coalesce((select max(lower(r)) from unnest(l.read_days) r where lower(r) <= $6::date),
    lower(l.read_days)))) from linked l
  union all select 'missing', m.k0, m.part, to_jsonb(m.days) from (${missingDays(["l.grp"], BY_GROUP)}) m
  union all select distinct 'unread', null, g::date::text, 'null'::jsonb from linked l
    cross join lateral unnest(${unreadDays("$5::date", "$6::date")} + ${unreadDays("$7::date", "$8::date")}) r
    cross join lateral generate_series(lower(r), upper(r) - 1, interval '1 day') g
  union all select 'totals', l.grp, p.part, ${metricsJson(source, summed(source))} from linked l ${DAYS_OF_SPANS}
    group by ${BY_GROUP}
  union all select 'day', null, d.day::text, ${metricsJson(source, summed(source))}
    from linked l cross join lateral (select m.day, m.metrics from marketing_days m where m.organisation_id = l.organisation_id
      and m.link_id = l.id and (m.day between $5::date and $6::date or m.day between $7::date and $8::date) offset 0) d
    group by d.day
  ${hasChannels(source) ? `union all ${channels}` : ""}`);

const STATEMENTS: ReadonlyMap<string, Statement> = new Map([...sources].map(([key, source]) => [key, statementOf(source)]));

interface FigureRow {
  kind: "behind" | "stored_from" | "missing" | "unread" | "totals" | "day" | "channels";
  grp: string | null;
  part: string | null;
  figures: never;
}

/** The stored figures behind a section. */
export class SectionFigures {
  readonly #rows: ReadonlyMap<string, Figures>;
  /** The last day that counts at the source; before the span if no day does. */
  readonly until: IsoDate;
  /** The first day whose figures are stored of every link, if that is why the span has no comparison; null otherwise. */
  readonly storedFrom: IsoDate | null;

  constructor(rows: readonly FigureRow[], { all, span, compared, today, readUntil }: ChosenLinks) {
    this.#rows = new Map(rows.map(({ kind, grp, part, figures }) => [[kind, grp, part].join(), figures as Figures]));
    const factOf = <T>(kind: FigureRow["kind"]): T | null => rows.find((row) => row.kind === kind)?.figures ?? null;
    this.until = [span.to, addDays(today, -1 - (factOf<number>("behind") ?? 0)), readUntil].reduce(earlier);
    const storedFrom = factOf<IsoDate>("stored_from");
    this.storedFrom = storedFrom !== null && storedFrom > compared.from && !this.isCompared(all) ? storedFrom : null;
  }

  /** Whether a group has a comparison: every day of both spans was read for each of its links (marketing-ads §1). */
  isCompared({ key }: LinkGroup): boolean {
    const missing = (part: Part) => Number(this.#rows.get(["missing", key, part].join()) ?? 0);
    return isCompared({ current: missing("current"), previous: missing("previous") });
  }

  /** The metrics of a group in a span; undefined if no day is stored, and of the previous span without a comparison. */
  totals(group: LinkGroup, part: Part): Figures | undefined {
    return this.#of("totals", group, part);
  }

  /** The visits by channel of a group in a span; undefined like `totals`. */
  channels(group: LinkGroup, part: Part): Figures | undefined {
    return this.#of("channels", group, part);
  }

  #of(kind: "totals" | "channels", group: LinkGroup, part: Part): Figures | undefined {
    if (part === "previous" && !this.isCompared(group)) return undefined;
    return this.#rows.get([kind, group.key, part].join());
  }

  /** A metric of all links on one day: 0 if nothing is stored, null if the day was not read for each of them. */
  onDay(day: IsoDate, metric: string): number | null {
    if (this.#rows.has(["unread", null, day].join())) return null;
    return this.#rows.get(["day", null, day].join())?.[metric] ?? 0;
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
