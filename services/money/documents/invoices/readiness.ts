import { type BilledClient, type BilledContact, customerAtIssue } from "../../calculation/bill-to.ts";
import { RATE_JOINS } from "../../calculation/entry-rate.ts";
import type { SellerDetails } from "../../calculation/seller.ts";
import type { InvoicedDocument } from "../e-invoices/document-data.ts";
import { readinessOf } from "../e-invoices/requirements.ts";
import { LOOK_JOIN, sellerOf } from "../issued-looks.ts";

/** Inputs of the e-invoicing readiness of a document on alias `t`, besides its answered fields. */
interface Facts {
  seller: SellerDetails;
  /** The organisation's country. */
  country: string | null;
  /** For a draft: the client and contact that issue will copy the bill-to party from. */
  client: BilledClient | null;
  contact: BilledContact | null;
}

/** The facts as JSON; a draft is judged by its current client, like at issue. */
const FACTS = `(select json_build_object('seller', ${sellerOf("invoice")}, 'country', o.country,
    'client', case when t.status = 'draft' then (select row_to_json(c) from (select c.name, c.legal_name, c.address_line1, c.house_number,
        c.address_line2, c.postal_code, c.city, c.country, c.vat_number, c.coc_number, c.client_number, c.invoice_email
      from companies c where c.organisation_id = t.organisation_id and c.id = t.company_id) c) end,
    'contact', case when t.status = 'draft' then (select row_to_json(p) from (select p.first_name, p.last_name, p.email
      from contacts p where p.organisation_id = t.organisation_id and p.id = t.contact_id) p) end)
  from organisations o left join invoicing_settings s on s.organisation_id = o.id
    ${LOOK_JOIN}
  where o.id = t.organisation_id)`;

/**
 * Minutes that a draft on alias `t` bills at price 0 without a rate at any level (money §4). A claim that no line names counts for the hour
 * lines without named entries.
 */
export const UNRATED_MINUTES = `(select coalesce(sum(g.minutes), 0)::float8 from time_entry_claims k
    join time_entries g on g.organisation_id = k.organisation_id and g.id = k.time_entry_id
    ${RATE_JOINS}
  where t.status = 'draft' and k.organisation_id = t.organisation_id and k.invoice_id = t.id
    and coalesce(wp.hourly_rate, ws.default_hourly_rate, wi.default_hourly_rate) is null
    and exists (select 1 from document_lines z where z.organisation_id = t.organisation_id and z.invoice_id = t.id and z.unit_price = 0
      and (g.id = any(z.time_entry_ids) or (z.line_kind = 'hours' and z.time_entry_ids = '{}'))))`;

/** Columns of a single answer that {@link withReadiness} completes. */
export const READINESS = { e_invoice: FACTS, peppol: "null::json", unrated_minutes: UNRATED_MINUTES };
/** Their values in lists. */
export const NO_READINESS = { e_invoice: null, peppol: null, unrated_minutes: null };

type Answered = Omit<InvoicedDocument, "seller" | "source_number"> & {
  credit_for_number: string;
  credit_for_id: string | null;
  e_invoice: Facts;
};

/** Completes the JSON text of a single answer with its e-invoicing readiness (money §4 "Ready for e-invoicing"). */
export function withReadiness(body: string): string {
  const invoice = JSON.parse(body) as Answered;
  const { seller, client, contact, country } = invoice.e_invoice;
  const document: InvoicedDocument = {
    ...invoice,
    seller,
    // A caller who does not see the credited invoice still learns that there is one.
    source_number: invoice.credit_for_number || invoice.credit_for_id,
    customer: client ? customerAtIssue(client, contact, invoice.customer, country) : invoice.customer,
  };
  return JSON.stringify({
    ...invoice,
    e_invoice: readinessOf(document, "en16931"),
    peppol: readinessOf(document, "peppol"),
  });
}
