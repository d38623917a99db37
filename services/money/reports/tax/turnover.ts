import type { IsoDate } from "../../../../core/calendar/calendar.ts";
import { queryAll } from "../../../../core/database/query.ts";
import { request } from "../../../../core/request/context.ts";
import { type Statement, statement } from "../../../../core/sql/statement.ts";
import { placesSql } from "../../../../core/values/currencies.ts";
import { UNCONVERTED } from "../conversion.ts";
import { issuedDocuments, reporter, SETTLEMENTS } from "../seen.ts";
import type { ClientTurnover } from "./tax-report.ts";

/** By the date of documents, or by the day that money came in. */
export const BASES = ["invoice", "cash"] as const;
export type Basis = (typeof BASES)[number];

/** `$4` to `$7`: first and last day, the organisation's currency, the seller's country. */
const [FROM, TO, OWN, HOME] = ["$4::date", "$5::date", "$6", "$7::text"];
const OWN_PLACES = placesSql(`${OWN}::text`);
const VAT_NUMBER = "upper(regexp_replace(coalesce(t.customer ->> 'vat_number', ''), '[^A-Za-z0-9]', '', 'g'))";
/** The country of the addressee, else that of its VAT number, else the seller's. */
const COUNTRY = `coalesce(nullif(upper(trim(t.customer ->> 'country')), ''), substring(${VAT_NUMBER} from '^[A-Z]{2}'), ${HOME})`;

const DOCUMENTS = issuedDocuments(`t.tax_groups, coalesce(t.exchange_rate, 1) as factor, ${UNCONVERTED(OWN)} as unconverted,
  ${COUNTRY} as country, nullif(${VAT_NUMBER}, '') as vat_number, coalesce(t.customer ->> 'name', '') as client`);

/** Columns of a document that the sums need. */
const OF_DOCUMENT = "d.id, d.unconverted, d.country, d.vat_number, d.company_id, d.client";

/** Documents that begin to count in the period, or that were cancelled in it. */
const booked = (which: string) => `select d.*, 1 as sign, d.kind = 'credit_note' as credits from documents d
    where d.issue_date between ${FROM} and ${TO} and ${which}
  union all select d.*, -1, true from documents d where d.cancelled_on between ${FROM} and ${TO} and ${which}`;

/** The tax groups of documents, whole. */
const whole = (which: string) => `select ${OF_DOCUMENT}, d.credits, g.category, g.rate_pct,
      d.sign * round(g.base * d.factor, ${OWN_PLACES}) as base, d.sign * round(g.tax * d.factor, ${OWN_PLACES}) as tax
    from (${booked(which)}) d
      cross join lateral jsonb_to_recordset(d.tax_groups) as g (category text, rate_pct numeric, base numeric, tax numeric)`;

/**
 * What had settled a document before the period and at its end, never less than nothing and never more than its total. The share of its
 * first groups together is rounded, and a group has what is between two such shares: so the shares of any payments add up to the payments,
 * and once the document is settled each group has exactly its amounts. The outer join keeps the planner from walking all documents for each
 * settlement.
 */
const settled = `select ${OF_DOCUMENT}, d.kind = 'credit_note' as credits, g.category, g.rate_pct,
      m.sign * round((s.share - s.tax) * d.factor, ${OWN_PLACES}) as base, m.sign * round(s.tax * d.factor, ${OWN_PLACES}) as tax
    from documents d left join (
        select id, true as is_settled, coalesce(sum(amount) filter (where day < ${FROM}), 0) as before, sum(amount) as after
        from settlements where day <= ${TO} group by id having bool_or(day >= ${FROM})) r on r.id = d.id
      cross join lateral (select e.value ->> 'category' as category, (e.value ->> 'rate_pct')::numeric as rate_pct,
          (e.value ->> 'base')::numeric + (e.value ->> 'tax')::numeric as gross, (e.value ->> 'tax')::numeric as tax,
          sum((e.value ->> 'base')::numeric + (e.value ->> 'tax')::numeric) over (order by e.position) as upto
        from jsonb_array_elements(d.tax_groups) with ordinality as e (value, position)) g
      cross join lateral (values (1, r.after), (-1, r.before)) as o (sign, paid)
      cross join lateral (select o.sign, least(greatest(o.paid, least(d.total, 0)), greatest(d.total, 0)) as paid) m
      cross join lateral (select round(m.paid * g.upto / nullif(d.total, 0), ${placesSql("d.currency")})
          - round(m.paid * (g.upto - g.gross) / nullif(d.total, 0), ${placesSql("d.currency")}) as share) h
      cross join lateral (select h.share, case when g.gross = 0 then 0
          else round(h.share * g.tax / g.gross, ${placesSql("d.currency")}) end as tax) s
    where d.total <> 0 and coalesce(r.is_settled, false)`;

/** Sums by rate; by client as well where it matters who that is: of untaxed turnover abroad. */
const summed = (tables: string, parts: string): Statement =>
  statement(`with ${tables}, parts as (${parts}),
    named as (select p.*, (p.category = 'reverse_charge' or p.rate_pct = 0) and p.country <> ${HOME} as abroad from parts p)
    select n.category, round(n.rate_pct, 2)::text as rate_pct, n.country,
      case when n.abroad then n.vat_number end as vat_number, case when n.abroad then n.company_id end as company_id,
      case when n.abroad then max(n.client) end as client,
      round(coalesce(sum(n.base) filter (where not n.unconverted), 0), 2)::text as base,
      round(coalesce(sum(n.tax) filter (where not n.unconverted), 0), 2)::text as tax,
      round(coalesce(-sum(n.base) filter (where n.credits and not n.unconverted), 0), 2)::text as credited_base,
      round(coalesce(-sum(n.tax) filter (where n.credits and not n.unconverted), 0), 2)::text as credited_tax,
      (select count(distinct id)::int from named where unconverted) as unconverted_count
    from named n group by 1, 2, 3, 4, 5, n.abroad order by 2 desc, 1, 3, 4, 5`);

const TURNOVER: Readonly<Record<Basis, Statement>> = {
  invoice: summed(DOCUMENTS, whole("true")),
  // A document with a total of zero is never paid: it counts on its date.
  cash: summed(`${DOCUMENTS}, ${SETTLEMENTS}`, `${settled} union all ${whole("d.total = 0")}`),
};

/** The turnover of a period by rate, in the organisation's currency, and the documents that could not be converted. */
export interface PeriodTurnover {
  rows: ClientTurnover[];
  unconverted_count: number;
}

/**
 * The turnover and tax of issued documents that the caller sees (money, "Reports"): by their date, or in proportion to what settled them
 * in the period. One statement.
 * @param home the seller's country
 */
export async function turnoverOf(period: { from: IsoDate; to: IsoDate }, basis: Basis, home: string): Promise<PeriodTurnover> {
  const { currency } = request().organisation;
  const [rows = []] = (await queryAll([
    TURNOVER[basis],
    [...reporter(), period.from, period.to, currency, home],
  ])) as unknown as (ClientTurnover & { unconverted_count: number })[][];
  return { rows, unconverted_count: rows[0]?.unconverted_count ?? 0 };
}
