import type { MarketingSource, MetricDeclaration } from "../sources/source.ts";

/** Names become SQL, so only letters, digits and underscores are allowed. */
const PLAIN = /^[A-Za-z][A-Za-z0-9_]*$/;

function plain(name: string): string {
  if (!PLAIN.test(name)) throw new TypeError(`${name} is not a plain name of a source or metric`);
  return name;
}

/** A source's key as an SQL string literal. */
export const keyText = (source: MarketingSource): string => `'${plain(source.key)}'`;

const declared = (source: MarketingSource, name: string): MetricDeclaration => {
  const metric = Object.hasOwn(source.metrics, name) ? source.metrics[name] : undefined;
  if (metric === undefined) throw new TypeError(`${source.key} has no metric ${name}`);
  return metric;
};

/** The metric that holds the values of a metric: itself, or the one that it mirrors. */
const storedName = (source: MarketingSource, name: string): string => declared(source, name).mirrors ?? name;

/**
 * SQL of a metric's stored value on day `d`, null if the source did not report it. Every stored figure is a JSON number, so no cast through
 * text is needed.
 */
const stored = (source: MarketingSource, name: string): string => `(d.metrics -> '${plain(storedName(source, name))}')::numeric`;

/** Whether a metric's value of a span is fetched from the source instead of computed from its days. */
export const isPeriodMetric = (source: MarketingSource, name: string): boolean =>
  declared(source, storedName(source, name)).aggregation === "period";

/** The metrics whose values of a span are fetched from the source. */
export const periodMetrics = (source: MarketingSource): string[] =>
  Object.keys(source.metrics).filter((name) => isPeriodMetric(source, name) && storedName(source, name) === name);

/**
 * SQL of a metric over the grouped days `d`, 4 decimals: the sum or the (weighted) mean, 0 without figures. A day without the metric has no
 * weight.
 * @throws TypeError for a metric that cannot be computed from days
 */
export function aggregateOf(source: MarketingSource, name: string, figure: typeof stored = stored): string {
  const { aggregation } = declared(source, storedName(source, name));
  const value = figure(source, name);
  if (aggregation === "period") throw new TypeError(`${source.key} cannot be read for ${name}`);
  if (aggregation === "sum") return rounded(`sum(${value})`);
  if (aggregation === "mean") return rounded(`avg(${value})`);
  const weight = figure(source, aggregation.mean);
  return rounded(`sum(${value} * ${weight}) / nullif(sum(${weight}) filter (where ${value} is not null), 0)`);
}

/** SQL of a metric on day `d`, 4 decimals, 0 if not reported. */
export const dayValue = (source: MarketingSource, name: string): string => rounded(stored(source, name));

const rounded = (value: string): string => `round(coalesce(${value}, 0), 4)`;

/** SQL of the metrics of a group of days as a JSON object by name. */
export const metricsJson = (source: MarketingSource, names: readonly string[], figure: typeof stored = stored): string =>
  `jsonb_build_object(${names.map((name) => `'${plain(name)}', ${aggregateOf(source, name, figure)}`).join(", ")})`;

/** The most days that any of the sources is late. */
export const mostLate = (all: Iterable<MarketingSource>): number => Math.max(0, ...[...all].map(({ lateDays = 0 }) => lateDays));

/**
 * SQL of the days before today that the source of link `l` still lacks: trailing days without a figure, at most as many as the source can
 * be late. A day of zeros counts as missing (marketing-ads §2.6).
 * @param today SQL of today's date
 */
export function daysBehind(all: Iterable<MarketingSource>, today: string): string {
  const branches = [...all].flatMap((source) =>
    source.lateDays ? [`when ${keyText(source)} then ${lacking(source.lateDays, today)}`] : [],
  );
  return branches.length === 0 ? "0" : `case l.source ${branches.join(" ")} else 0 end`;
}

const lacking = (days: number, today: string): string => `coalesce((select ${today} - 1 - d.day from marketing_days d
  where d.organisation_id = l.organisation_id and d.link_id = l.id and d.day >= ${today} - ${days} and d.day < ${today}
    and d.metrics @? '$.* ? (@ != 0)' order by d.day desc limit 1), ${days})`;

/**
 * Joins the stored days `d` of link `l` with the spans `p` (`SpanRow`) of its lateness. `offset 0` forces an index look-up per link and
 * span; a plain join could read the days of every link.
 */
export const DAYS_OF_SPANS = `join spans p on p.behind = l.behind cross join lateral (select m.metrics, m.channels from marketing_days m
    where m.organisation_id = l.organisation_id and m.link_id = l.id and m.day between p.start_on and p.end_on offset 0) d`;

/** The stored figures that metrics of a source are computed from: their own and their weights. */
function figuresOf(source: MarketingSource, names: readonly string[]): string[] {
  const figures = names.flatMap((name) => {
    const { aggregation } = declared(source, storedName(source, name));
    return [storedName(source, name), ...(typeof aggregation === "string" ? [] : [storedName(source, aggregation.mean)])];
  });
  return [...new Set(figures)];
}

/**
 * Metrics of many links of several sources: a select of `company_id`, `source`, `part` and `figures` over `linked` and `spans`. Reads the
 * days in one pass: a page holds one night's day of every link, so a look-up per link would read it again for each. Passes on only the
 * figures (`v0`, `v1` …), because half a million rows are sorted.
 */
export function metricsOfAll(all: readonly MarketingSource[], namesOf: (source: MarketingSource) => readonly string[]): string {
  const figures = new Map(all.map((source) => [source, figuresOf(source, namesOf(source))]));
  const branches = (of: (source: MarketingSource, own: string[]) => string | undefined) =>
    [...figures]
      .flatMap(([source, own]) => (of(source, own) ? [`when ${keyText(source)} then ${of(source, own)}`] : []))
      .join(" ");
  const most = Math.max(...[...figures.values()].map((own) => own.length));
  const values = Array.from(
    { length: most },
    (_, at) =>
      `case m.source ${branches((_source, own) => own[at] && `(m.metrics -> '${plain(own[at])}')::numeric`)} end as v${at}`,
  );
  const slot = (source: MarketingSource, name: string) => `d.v${figures.get(source)?.indexOf(storedName(source, name))}`;
  const edge = (of: string, part: string) => `(select ${of} from spans s where s.part = '${part}')`;
  const within = ["current", "previous"].map(
    (part) => `m.day between ${edge("min(s.start_on)", part)} and ${edge("max(s.end_on)", part)}`,
  );
  return `select l.company_id, l.source, p.part, case l.source ${branches((source) => metricsJson(source, namesOf(source), slot))} end as figures
    from (select m.link_id, m.day, ${values.join(", ")} from marketing_days m
      where m.organisation_id = $1 and m.link_id = any(array(select k.id from linked k)) and (${within.join(" or ")}) offset 0) d
    join linked l on l.id = d.link_id join spans p on p.behind = l.behind and d.day between p.start_on and p.end_on
    group by l.company_id, l.source, p.part`;
}

/** SQL of the `spans` of a statement, from a JSON list of `SpanRow` in a parameter. */
export const spansOf = (slot: string): string =>
  `spans as materialized (select * from jsonb_to_recordset(${slot}::jsonb) x (behind int, part text, start_on date, end_on date))`;
