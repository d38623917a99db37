import type { MarketingSource } from "../sources/source.ts";
import { type Addend, addendsOf, DAYS_OF_SPANS, keyText, metricsJson } from "./aggregates.ts";

/** The weighted means whose sums `marketing_months` holds, by source. A further one needs a migration step that sums its months. */
export const WEIGHTED_IN_MONTHS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ga4: { engagementRate: "sessions" },
  gsc: { ctr: "impressions", position: "impressions" },
};

/** Whether `marketing_months` holds the sums behind a metric. */
function isInMonths({ key, metrics }: MarketingSource, name: string): boolean {
  const stored = metrics[name]?.mirrors ?? name;
  const aggregation = metrics[stored]?.aggregation;
  return typeof aggregation !== "object" || WEIGHTED_IN_MONTHS[key]?.[stored] === aggregation.mean;
}

/**
 * The sums behind some metrics of a source, each once.
 * @throws TypeError for a weighted mean that the stored months lack
 */
function addendsOfAll(source: MarketingSource, names: readonly string[]): Addend[] {
  for (const name of names) if (!isInMonths(source, name)) throw new TypeError(`no months are stored of ${source.key}'s ${name}`);
  return [...new Map(names.flatMap((name) => addendsOf(source, name)).map((addend) => [addend.day, addend])).values()];
}

const edge = (of: string, part: string, which = "true") => `(select ${of} from spans s where s.part = '${part}' and ${which})`;
const hasMonths = (span: string) => `${span}.months_from < ${span}.months_until`;

/** SQL: whether day `d` may lie before or after the whole months of a span. */
const AROUND_MONTHS = ["current", "previous"]
  .flatMap((part) => [
    `d.day >= ${edge("min(s.start_on)", part)} and d.day < ${edge("max(s.months_from)", part)}`,
    `d.day >= ${edge("min(s.months_until)", part, hasMonths("s"))} and d.day <= ${edge("max(s.end_on)", part)}`,
  ])
  .join(" or ");

/**
 * Metrics of many links of several sources: a select of `company_id`, `source`, `part` and `figures` over `linked` and `spans`. Reads the
 * whole months of a span from `marketing_months` and the days around them from `marketing_days`: a year of 600 links is 15,000 months
 * instead of 440,000 days. Reads those days in one pass: a page holds one night's day of every link, so a look-up per link would read it
 * again for each.
 */
export function metricsOfAll(all: readonly MarketingSource[], namesOf: (source: MarketingSource) => readonly string[]): string {
  const addends = new Map(all.map((source) => [source, addendsOfAll(source, namesOf(source))]));
  const branches = (of: (source: MarketingSource, own: Addend[]) => string | undefined) =>
    [...addends]
      .flatMap(([source, own]) => (of(source, own) ? [`when ${keyText(source)} then ${of(source, own)}`] : []))
      .join(" ");
  const slots = Array.from({ length: Math.max(...[...addends.values()].map((own) => own.length)) }, (_, at) => at);
  const addend = (at: number, of: keyof Addend, key: string) => `case ${key} ${branches((_source, own) => own[at]?.[of])} end`;
  const sumOf = (source: MarketingSource) => (wanted: Addend) =>
    `sum(t.v${addends.get(source)?.findIndex(({ day }) => day === wanted.day)})`;
  const days = slots.map((at) => `${addend(at, "day", "d.source")} as v${at}`).join(", ");
  const months = slots.map((at) => `sum(${addend(at, "month", "l.source")}) as v${at}`).join(", ");
  const row = `l.company_id, l.source, p.part, ${slots.map((at) => `e.v${at}`).join(", ")}`;
  return `select t.company_id, t.source, t.part, case t.source ${branches((source) => metricsJson(source, namesOf(source), sumOf(source)))} end as figures
    from (select ${row}
      from (select d.link_id, d.day, ${days} from marketing_days d
        where d.organisation_id = $1 and d.link_id = any(array(select k.id from linked k)) and (${AROUND_MONTHS}) offset 0) e
      join linked l on l.id = e.link_id
      join spans p on p.behind = l.behind
        and (e.day >= p.start_on and e.day < p.months_from or e.day >= p.months_until and e.day <= p.end_on)
      union all select ${row}
      from linked l join spans p on p.behind = l.behind and ${hasMonths("p")}
      cross join lateral (select ${months} from marketing_months d
        where d.organisation_id = l.organisation_id and d.link_id = l.id and d.month >= p.months_from and d.month < p.months_until
        having count(*) > 0) e) t
    group by t.company_id, t.source, t.part`;
}

const days = (columns: string, from: string, until: string): string => `select ${columns} from marketing_days d
      where d.organisation_id = l.organisation_id and d.link_id = l.id and d.day >= ${from} and d.day < ${until}`;

/**
 * Metrics of each link of a source: a select of `id`, `part` and `figures` over `linked` and `spans`. Reads whole months from `marketing_months`
 * like `metricsOfAll`, but with a look-up per link, because a client has few. Reads a source by day if the months lack a weighted mean of it.
 */
export function metricsOfLinks(source: MarketingSource, names: readonly string[]): string {
  const select = (figures: string, rows: string) => `select l.id, p.part, ${figures} as figures
  from linked l ${rows} where l.source = ${keyText(source)} group by l.id, p.part`;
  if (!names.every((name) => isInMonths(source, name))) return select(metricsJson(source, names), DAYS_OF_SPANS);
  const addends = addendsOfAll(source, names);
  const columns = (of: keyof Addend) => addends.map((addend, at) => `${addend[of]} as v${at}`).join(", ");
  const sumOf = (wanted: Addend) => `sum(e.v${addends.findIndex(({ day }) => day === wanted.day)})`;
  const rows = `join spans p on p.behind = l.behind cross join lateral (
      ${days(columns("day"), "p.start_on", "p.months_from")}
      union all ${days(columns("day"), "p.months_until", "p.end_on + 1")}
      union all select ${columns("month")} from marketing_months d
      where d.organisation_id = l.organisation_id and d.link_id = l.id and d.month >= p.months_from and d.month < p.months_until) e`;
  return select(metricsJson(source, names, sumOf), rows);
}
