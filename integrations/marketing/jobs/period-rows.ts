import { comparedSpan, namedSpan, rememberedComparison } from "../../../core/calendar/named-spans.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { Span } from "../sources/source.ts";

/** The spans that callers read (marketing-ads §2.1). */
const IN_USE = ["7d", "30d", "90d", "month", "last_month", "quarter", "last_quarter", "365d"];
/** Days after the end of a span when its value becomes final. */
const FINAL_AFTER = 3;
/** Days that values of unused spans are kept. */
const KEPT = 35;

const COMPARISONS = statement(`select (select c.compare from marketing_company_settings c
    where c.organisation_id = $1 and c.company_id = $2) as own,
  (select s.default_compare from marketing_settings s where s.organisation_id = $1) as general`);
const FINAL = statement(`select start_on as "from", end_on as "to" from marketing_period_values
  where organisation_id = $1 and link_id = $2 and stored_at >= end_on + interval '${FINAL_AFTER} days'
  group by start_on, end_on`);
/** Dated by the node's clock, which decides what today is. */
const STORE =
  statement(`insert into marketing_period_values (organisation_id, link_id, metric, start_on, end_on, value, stored_at)
  select $1, $2, v.metric, v.start_on, v.end_on, v.value, $4
    from jsonb_to_recordset($3::jsonb) v (metric text, start_on date, end_on date, value numeric)
  on conflict (organisation_id, link_id, metric, start_on, end_on)
    do update set value = excluded.value, stored_at = excluded.stored_at`);
const FORGET = statement(`delete from marketing_period_values p where p.organisation_id = $1 and p.link_id = $2
  and p.stored_at < statement_timestamp() - interval '${KEPT} days'
  and not exists (select from jsonb_to_recordset($3::jsonb) s (start_on date, end_on date)
    where s.start_on = p.start_on and s.end_on = p.end_on)`);

const nameOf = ({ from, to }: Span): string => `${from} ${to}`;

/** The spans in use today and their comparison spans, without duplicates. */
export function spansInUse(today: string, mode: ReturnType<typeof rememberedComparison>): Span[] {
  const spans = IN_USE.flatMap((token) => {
    const { from, to } = namedSpan(token, today);
    return [{ from, to }, comparedSpan({ from, to }, mode)];
  });
  return [...new Map(spans.map(({ from, to }) => [nameOf({ from, to }), { from, to }])).values()];
}

/** The spans whose values a link needs, and those of them that must be fetched because they are not final yet. */
export async function wantedSpans(
  { id, company_id }: { id: string; company_id: string },
  today: string,
): Promise<{ inUse: Span[]; toAsk: Span[] }> {
  const { organisation } = request();
  const settings = await queryOne<{ own: unknown; general: unknown }>(COMPARISONS, [organisation.id, company_id]);
  const inUse = spansInUse(today, rememberedComparison(settings?.own, settings?.general));
  const final = new Set((await query<Span>(FINAL, [organisation.id, id])).map(nameOf));
  return { inUse, toAsk: inUse.filter((span) => !final.has(nameOf(span))) };
}

/** Stores one set of values per span, in the running transaction. */
export function storePeriodValues(linkId: string, spans: readonly Span[], values: readonly Record<string, number>[]): void {
  const rows = spans.flatMap(({ from, to }, index) =>
    Object.entries(values[index] ?? {}).map(([metric, value]) => ({ metric, start_on: from, end_on: to, value })),
  );
  if (rows.length > 0) enqueue(STORE, [request().organisation.id, linkId, JSON.stringify(rows), new Date().toISOString()]);
}

/** Deletes old values of unused spans, in the running transaction; the next read of such a span fetches it again. */
export const forgetPeriodValues = (linkId: string, inUse: readonly Span[]): void =>
  enqueue(FORGET, [
    request().organisation.id,
    linkId,
    JSON.stringify(inUse.map(({ from, to }) => ({ start_on: from, end_on: to }))),
  ]);
