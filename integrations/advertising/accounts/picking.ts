import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { connectionOf } from "../../../mixins/google/connection.ts";
import { reachableAccounts } from "../../../mixins/google-ads/reachable.ts";
import { adsAccessOf } from "../../../mixins/google-ads/transport.ts";
import { formattedCustomerId } from "../envelope.ts";
import type { AdsPickerRead } from "./account-schemas.ts";

const CHILDREN_CAPPED = "ads.warning.manager_children_capped";
const LINKED = statement(
  "select customer_id from ads_accounts where organisation_id = $1 and active and customer_id = any($2::text[])",
);

/** The accounts that the caller's own grant can access (marketing-ads §3.2). @throws 409 `ads_platform_not_configured`, AdsFailure */
export async function availableAccounts(): Promise<Static<typeof AdsPickerRead>> {
  const { accounts, isCapped } = await reachableAccounts(await adsAccessOf((await connectionOf())?.id ?? null));
  const ids = accounts.map(({ customer_id }) => customer_id);
  const linked = await query<{ customer_id: string }>(LINKED, [request().organisation.id, ids]);
  const isLinked = new Set(linked.map(({ customer_id }) => customer_id));
  return {
    accounts: accounts.map((one) => ({
      ...one,
      customer_id_formatted: formattedCustomerId(one.customer_id),
      already_linked: isLinked.has(one.customer_id),
    })),
    warnings: isCapped ? [CHILDREN_CAPPED] : [],
  };
}
