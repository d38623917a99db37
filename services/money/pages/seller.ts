import { queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { sellerOf as issuedSeller, LOOK_JOIN } from "../documents/issued-looks.ts";
import type { Rendered } from "../rendering/document-rows.ts";

const brand = (table: string, which: string) =>
  statement(`select coalesce(look.brand ->> 'brand', o.brand_name, o.name) as brand
    from organisations o left join ${table} t on t.organisation_id = o.id and ${which} ${LOOK_JOIN} where o.id = $1`);
const ISSUED = {
  invoice: { id: brand("invoices", "t.id = $2"), token: brand("invoices", "t.public_token = $2") },
  quote: { id: brand("quotes", "t.id = $2"), token: brand("quotes", "t.public_token = $2") },
};

const account = (which: string) =>
  statement(`select nullif(seller ->> 'iban', '') as iban, nullif(seller ->> 'name', '') as name from (
    select ${issuedSeller("invoice")} as seller from invoices t join organisations o on o.id = t.organisation_id
      left join invoicing_settings s on s.organisation_id = t.organisation_id ${LOOK_JOIN}
    where t.organisation_id = $1 and ${which}) issued`);
const ACCOUNTS = { id: account("t.id = $2"), token: account("t.public_token = $2") };

/** The bank account that an invoice asks to be paid to. */
export interface BankAccount {
  iban: string;
  /** Its holder; null if the details of the organisation have no name. */
  name: string | null;
}

/** The bank account of an invoice as it was issued, the current one on a draft; null without one. */
export async function accountOf(by: "id" | "token", value: string): Promise<BankAccount | null> {
  const found = await queryOne<{ iban: string | null; name: string | null }>(ACCOUNTS[by], [request().organisation.id, value]);
  return found?.iban ? { iban: found.iban, name: found.name } : null;
}

/** The organisation's name on a document's page: as it was issued, the current one on a draft. */
export async function sellerOf(kind: Rendered, by: "id" | "token", value: string): Promise<string> {
  return (await queryOne<{ brand: string }>(ISSUED[kind][by], [request().organisation.id, value]))?.brand ?? "";
}
