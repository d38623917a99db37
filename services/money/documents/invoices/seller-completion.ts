import { queryOne } from "../../../../core/database/query.ts";
import { conflict, forbidden, invalid } from "../../../../core/errors/errors.ts";
import { mayCaller } from "../../../../core/request/caller.ts";
import { request } from "../../../../core/request/context.ts";
import type { Static } from "../../../../core/schema/schema.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { blankToNull } from "../../../../core/values/text.ts";
import type { SellerDetails } from "../../calculation/seller.ts";
import { countryOf } from "../code-lists.ts";
import { LOOK_JOIN, sellerOf } from "../issued-looks.ts";
import type { SellerWrite } from "./invoice-schemas.ts";

const SELLER = statement(`select ${sellerOf("invoice")} as seller from invoices t join organisations o on o.id = t.organisation_id
    left join invoicing_settings s on s.organisation_id = t.organisation_id ${LOOK_JOIN}
  where t.organisation_id = $1 and t.id = $2`);

/** The fields that EN 16931 demands of every seller and the settings may lack; never an account or an address to reach it. */
const FIELDS = ["country", "vat_number"] as const;

/**
 * Fills fields of the seller that are blank on one invoice, for its e-invoice (money §4 "Ready for e-invoicing"). The settings and other
 * documents stay.
 * @returns the filled fields, empty when only blanks were sent
 * @throws 403 without `invoicing.settings.manage`; 409 `errors.invoicing.locked` naming a field with a value; 422 by field
 */
export async function completedSeller(
  id: string,
  sent: Static<typeof SellerWrite>,
): Promise<Pick<SellerDetails, (typeof FIELDS)[number]>> {
  if (!mayCaller("invoicing.settings.manage")) throw forbidden();
  const { seller } = (await queryOne<{ seller: SellerDetails }>(SELLER, [request().organisation.id, id])) ?? { seller: {} };
  const filled: Pick<SellerDetails, (typeof FIELDS)[number]> = {};
  for (const field of FIELDS) {
    if (sent[field] === undefined) continue;
    if (seller[field]?.trim()) throw conflict("errors.invoicing.locked", field);
    const text = blankToNull(sent[field])?.trim();
    if (text === undefined) continue;
    const value = field === "country" ? countryOf(text) : text;
    if (value === null) throw invalid({ [field]: "errors.validation" });
    filled[field] = value;
  }
  return filled;
}
