import { query } from "../../../../core/database/query.ts";
import { request } from "../../../../core/request/context.ts";
import { type Statement, statement } from "../../../../core/sql/statement.ts";
import { placesSql } from "../../../../core/values/currencies.ts";
import { UNCONVERTED } from "../conversion.ts";
import type { ReportPeriod } from "../period.ts";
import { issuedDocuments, reporter } from "../seen.ts";
import { type RevenueGrouping, type RevenueRow, yearBefore } from "./revenue.ts";

/** `$4` to `$8`: the period, that of a year before, and the organisation's currency. */
const SPANS = "(values (true, $4::date, $5::date), (false, $6::date, $7::date)) as s (now, first, last)";
const OWN = "$8";

/** Documents that begin to count in one of the spans, or that were cancelled in it; `net` is in the organisation's currency. */
const BOOKED = `${issuedDocuments(`t.subtotal, t.prices_include_tax, coalesce(t.exchange_rate, 1) as factor, ${UNCONVERTED(OWN)} as unconverted`)},
  booked as (
    select d.*, s.now, d.issue_date as day, 1 as sign from documents d join ${SPANS} on d.issue_date between s.first and s.last
    union all
    select d.*, s.now, d.cancelled_on, -1 from documents d join ${SPANS} on d.cancelled_on between s.first and s.last)`;

const LINE_GROUP = "partition by b.id, b.now, b.sign, l.tax_rate_pct, l.tax_category";
const NET_SHARE = "1 + case when l.tax_category in ('exempt', 'reverse_charge') then 0 else l.tax_rate_pct end / 100";
/**
 * The net of each line, as `netsOf` has it: where prices include tax, each is rounded, and the rest of its rate goes to the largest line, the
 * first on a tie. A line that deducts a deposit has the tax that the deposit states.
 */
const LINES = `lines as (
    select w.*, case when not w.prices_include_tax then w.amount
        when row_number() over (partition by w.id, w.now, w.sign, w.tax_rate_pct, w.tax_category order by w.stated is not null, abs(w.rounded) desc, w.position) = 1
          then w.rounded + w.base - sum(w.rounded) over (partition by w.id, w.now, w.sign, w.tax_rate_pct, w.tax_category)
        else w.rounded end as net
    from (select b.id, b.now, b.sign, b.prices_include_tax, b.factor, b.unconverted, l.line_kind, l.description, l.amount, l.position,
          l.tax_rate_pct, l.tax_category, l.tax_amount as stated,
          coalesce(l.amount - l.tax_amount, round(l.amount / (${NET_SHARE}), ${placesSql("b.currency")})) as rounded,
          round(coalesce(sum(l.amount) filter (where l.tax_amount is null) over (${LINE_GROUP}), 0) / (${NET_SHARE}), ${placesSql("b.currency")})
            + coalesce(sum(l.amount - l.tax_amount) over (${LINE_GROUP}), 0) as base
        from booked b join document_lines l on l.organisation_id = $1 and l.invoice_id = b.id) w)`;
/** Products by what their lines are called: a product is copied to a line, which does not refer to it. */
const PRODUCTS = `products_called as (select distinct on (lower(p.name)) lower(p.name) as called, p.id, p.name
    from products p where p.organisation_id = $1 order by lower(p.name), p.active desc, p.position, p.id)`;

/** @param net the amount in the document's currency @param of the tables that have it, one row per part of a document as `r` */
const summed = (tables: string, key: string, label: string, net: string, of: string): Statement => {
  const amount = (now: string) =>
    `coalesce(sum(r.sign * ${net} * r.factor) filter (where ${now} and not r.unconverted), 0)::text`;
  return statement(`with ${tables}
    select ${key} as key, ${label} as label, ${amount("r.now")} as amount, ${amount("not r.now")} as previous,
      count(distinct r.id) filter (where r.now and not r.unconverted)::int as documents,
      (select count(distinct id)::int from booked where now and unconverted) as unconverted_count
    from ${of} group by 1, 2 order by 1, 2`);
};
const BY_LINES = `${BOOKED}, ${LINES}`;

const REVENUE: Readonly<Record<RevenueGrouping, Statement>> = {
  month: summed(
    BOOKED,
    "to_char(case when r.now then r.day else r.day + interval '1 year' end, 'YYYY-MM')",
    "null::text",
    "r.subtotal",
    "booked r",
  ),
  company: summed(
    BOOKED,
    "r.company_id::text",
    "c.name",
    "r.subtotal",
    "booked r join companies c on c.organisation_id = $1 and c.id = r.company_id",
  ),
  kind: summed(BY_LINES, "r.line_kind", "null::text", "r.net", "lines r"),
  product: summed(
    `${BY_LINES}, ${PRODUCTS}`,
    "coalesce(p.id::text, '')",
    "p.name",
    "r.net",
    "lines r left join products_called p on p.called = lower(trim(split_part(r.description, E'\\n', 1)))",
  ),
};

/** The revenue of a period and of a year before by group, and the documents that could not be converted. One statement. */
export async function revenueRows(
  group: RevenueGrouping,
  period: ReportPeriod,
): Promise<{ rows: RevenueRow[]; unconverted_count: number }> {
  const before = yearBefore(period);
  const { currency } = request().organisation;
  const rows = await query<RevenueRow & { unconverted_count: number }>(REVENUE[group], [
    ...reporter(),
    ...[period.from, period.to, before.from, before.to, currency],
  ]);
  return { rows, unconverted_count: rows[0]?.unconverted_count ?? 0 };
}
