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
export const storedName = (source: MarketingSource, name: string): string => declared(source, name).mirrors ?? name;

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

/** One of the sums behind a metric: SQL of what a stored day `d` adds to it, and of what a row `d` of `marketing_months` holds of it. */
export interface Addend {
  day: string;
  month: string;
}

/**
 * The sums that a metric is computed from: one, or a dividend and its divisor. A day without the metric has no weight.
 * @throws TypeError for a metric that cannot be computed from days
 */
export function addendsOf(source: MarketingSource, name: string): Addend[] {
  const { aggregation } = declared(source, storedName(source, name));
  if (aggregation === "period") throw new TypeError(`${source.key} cannot be read for ${name}`);
  const value = stored(source, name);
  const ofMonth = (column: string) => `(d.${column} -> '${plain(storedName(source, name))}')::numeric`;
  const sum = { day: value, month: ofMonth("sums") };
  if (aggregation === "sum") return [sum];
  const counted = (each: string, month: string) => ({ day: `case when ${value} is not null then ${each} end`, month });
  if (aggregation === "mean") return [sum, counted("1", ofMonth("days"))];
  const weight = stored(source, aggregation.mean);
  return [{ day: `${value} * ${weight}`, month: ofMonth("weighted") }, counted(weight, ofMonth("weights"))];
}

const sumOfDays = ({ day }: Addend): string => `sum(${day})`;

/**
 * SQL of a metric over grouped rows, 4 decimals: the sum or the (weighted) mean, 0 without figures.
 * @param sumOf SQL of the sum of an addend over the rows, by default over days `d`
 * @throws TypeError for a metric that cannot be computed from days
 */
function aggregateOf(source: MarketingSource, name: string, sumOf = sumOfDays): string {
  const [total, divisor] = addendsOf(source, name).map(sumOf) as [string, string?];
  return rounded(divisor === undefined ? total : `${total} / nullif(${divisor}, 0)`);
}

const rounded = (value: string): string => `round(coalesce(${value}, 0), 4)`;

/** SQL of the metrics of grouped rows as a JSON object by name. */
export const metricsJson = (source: MarketingSource, names: readonly string[], sumOf = sumOfDays): string =>
  `jsonb_build_object(${names.map((name) => `'${plain(name)}', ${aggregateOf(source, name, sumOf)}`).join(", ")})`;

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

/** SQL of the `spans` of a statement, from a JSON list of `SpanRow` in a parameter. */
export const spansOf = (slot: string): string =>
  `spans as materialized (select * from jsonb_to_recordset(${slot}::jsonb)
    x (behind int, part text, start_on date, end_on date, months_from date, months_until date))`;
