import { dayBounds, firstOfYear, lastOfYear, yearOf } from "../../../core/calendar/calendar.ts";
import { query } from "../../../core/database/query.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday, organisationZone } from "../../../core/request/today.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { placesSql } from "../../../core/values/currencies.ts";
import { converted, UNCONVERTED } from "./conversion.ts";
import type { InvoicingSummary } from "./report-schemas.ts";

/** The organisation's currency. */
const OWN = "$7";
const total = (amount: string, filter = "") =>
  `round(coalesce(sum(${converted(amount, OWN)})${filter}, 0), ${placesSql(`${OWN}::text`)})::float8`;
const unconverted = `count(*) filter (where ${UNCONVERTED(OWN)})::int as unconverted`;

/** Each sum reads a partial index that covers its columns; `$5` says whether quotes count. */
const summary = (seen: string) =>
  statement(`select d.draft_count, o.open_count, o.open_total, o.overdue_count, o.overdue_total, p.paid_this_year,
      q.quotes_open_count, q.quotes_open_total, o.unconverted + p.unconverted + q.unconverted as unconverted_count from
    (select count(*)::int as open_count, ${total("t.outstanding")} as open_total,
        count(*) filter (where t.due_date < $2::date)::int as overdue_count,
        ${total("t.outstanding", " filter (where t.due_date < $2::date)")} as overdue_total,
        ${unconverted}
      from invoices t where t.organisation_id = $1 and t.status = 'open' and t.outstanding > 0 and ${seen}) o,
    (select count(*)::int as draft_count from invoices t
      where t.organisation_id = $1 and t.status = 'draft' and not $6::boolean and ${seen}) d,
    (select ${total("t.paid_total")} as paid_this_year, ${unconverted} from invoices t
      where t.organisation_id = $1 and t.status = 'paid' and t.paid_at >= $3 and t.paid_at < $4 and ${seen}) p,
    (select count(*)::int as quotes_open_count, ${total("t.total")} as quotes_open_total,
        ${unconverted} from quotes t
      where t.organisation_id = $1 and t.status = 'open' and $5::boolean and ${seen}) q`);

/** The statement for callers who see every client, and the one for a selection; tests check their plans separately. */
export const SUMMARY = summary("true");
export const SUMMARY_SEEN = summary("t.company_id in (select selected_companies($8::uuid[]))");

/**
 * The invoicing totals of the caller's view (money §8 "summary"): open, overdue, paid this year and quoted, in the organisation's currency,
 * rounded once after summing. Documents in another currency without a rate are counted, not summed. A client login sees no drafts and no
 * quotes. One statement.
 */
export async function invoicingSummary(): Promise<Static<typeof InvoicingSummary>> {
  const { organisation, principal } = request();
  const [today, zone] = [organisationToday(), organisationZone()];
  const isClient = principal?.isClientLogin ?? false;
  const year = yearOf(today);
  const values = [
    organisation.id,
    today,
    dayBounds(firstOfYear(year), zone).start,
    dayBounds(lastOfYear(year), zone).end,
    !isClient && mayCaller("invoicing.quote.read"),
    isClient,
    organisation.currency,
  ];
  const selection = principal?.selection ?? null;
  const [row] = await (selection === null
    ? query<Static<typeof InvoicingSummary>>(SUMMARY, values)
    : query<Static<typeof InvoicingSummary>>(SUMMARY_SEEN, [...values, selection]));
  return row as Static<typeof InvoicingSummary>;
}
