import { queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { LOOK_JOIN } from "../documents/issued-looks.ts";
import type { Rendered } from "../rendering/document-rows.ts";

const brand = (table: string, which: string) =>
  statement(`select coalesce(look.brand ->> 'brand', o.brand_name, o.name) as brand
    from organisations o left join ${table} t on t.organisation_id = o.id and ${which} ${LOOK_JOIN} where o.id = $1`);
const ISSUED = {
  invoice: { id: brand("invoices", "t.id = $2"), token: brand("invoices", "t.public_token = $2") },
  quote: { id: brand("quotes", "t.id = $2"), token: brand("quotes", "t.public_token = $2") },
};

/** The organisation's name on a document's page: as it was issued, the current one on a draft. */
export async function sellerOf(kind: Rendered, by: "id" | "token", value: string): Promise<string> {
  return (await queryOne<{ brand: string }>(ISSUED[kind][by], [request().organisation.id, value]))?.brand ?? "";
}
