import { enqueue, query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { completedSeller, type SellerDetails } from "../calculation/seller.ts";

const SELLERS = statement("select id, seller from issued_looks where organisation_id = $1");
const COMPLETE = statement(`update issued_looks l set seller = l.seller || c.seller
  from jsonb_to_recordset($2::jsonb) c (id uuid, seller jsonb) where l.organisation_id = $1 and l.id = c.id`);

/**
 * Fills blank seller fields of all issued documents from the current settings. The caller must hold the settings lock, like every issue
 * does.
 */
export async function completeSellers(now: SellerDetails): Promise<void> {
  const { id } = request().organisation;
  const looks = await query<{ id: string; seller: SellerDetails }>(SELLERS, [id]);
  const completed = looks.flatMap((look) => {
    const seller = completedSeller(look.seller, now);
    return seller === null ? [] : [{ id: look.id, seller }];
  });
  if (completed.length > 0) enqueue(COMPLETE, [id, JSON.stringify(completed)]);
}
