import { ofSelectedCompany } from "../../../core/database/lists/selection.ts";
import type { Owner } from "./lines/line-writes.ts";

const LINES = (owner: Owner) => `left join lateral (
  select coalesce(json_agg(json_build_object('id', l.id, 'position', l.position, 'description', l.description, 'line_kind', l.line_kind,
           'quantity', l.quantity::text, 'unit', l.unit, 'unit_price', l.unit_price::text, 'amount', l.amount::text,
           'tax_rate_id', l.tax_rate_id, 'tax_rate_pct', l.tax_rate_pct::text, 'tax_category', l.tax_category, 'tax_name', l.tax_name,
           'deposit_id', l.deposit_id, 'tax_amount', l.tax_amount::text,
           'time_entry_ids', l.time_entry_ids, 'subscription_id', l.subscription_id, 'domain_id', l.domain_id,
           'period_start', l.period_start, 'period_end', l.period_end) order by l.position), '[]') as lines
    from document_lines l where l.organisation_id = t.organisation_id and l.${owner}_id = t.id) made on true`;

/**
 * The columns that invoices and quotes share in answers, and their joins.
 * @param whole false leaves `lines` and `tax_groups` empty and reads neither (money §2 "List")
 */
export const documentColumns = (owner: Owner, whole: boolean) => ({
  columns: {
    // Compares with the request's organisation, so that row security checks it once and not for every row.
    company_name: "coalesce((select c.name from companies c where c.organisation_id = $1 and c.id = t.company_id), '')",
    ...(whole && { lines: "made.lines" }),
  },
  fixed: whole ? {} : { lines: [], tax_groups: [] },
  joins: whole ? LINES(owner) : "",
});

/** Documents on alias `t` inside a selection. */
export const documentsInSelection = (slot: string): string => ofSelectedCompany("t.company_id", slot);

/**
 * SQL of the number of the invoice that credit note `t` credits, which may be of another client: null for a caller who does not see that
 * invoice. Everything that shows, prints or sends the number takes it from here.
 * @param sources SQL of the sources of the caller's selection; null for a caller who sees every client
 */
export const sourceNumber = (sources: string): string => `(select source.number from invoices source
  where source.organisation_id = t.organisation_id and source.id = t.credit_for_id
    and (${sources} is null or source.company_id in (select selected_companies(${sources}))))`;

/** The same for the holder of a document's link, who sees the documents of its own client. */
export const SOURCE_NUMBER_OF_CLIENT = `(select source.number from invoices source
  where source.organisation_id = t.organisation_id and source.id = t.credit_for_id and source.company_id = t.company_id)`;
