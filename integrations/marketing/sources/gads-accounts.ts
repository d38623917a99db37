import { reachableAccounts } from "../../../mixins/google-ads/reachable.ts";
import { adsAccessOf } from "../../../mixins/google-ads/transport.ts";
import { readAds } from "./ads-grant.ts";
import type { SourceAccess, SourceAccount } from "./source.ts";

/** The advertising accounts that a grant can access. @throws SourceFailure */
export const adsAccounts = (access: SourceAccess): Promise<SourceAccount[]> =>
  readAds(
    access,
    () => adsAccessOf(access.connectionId, access.transactions),
    async (ads) =>
      (await reachableAccounts(ads)).accounts.map(
        ({ customer_id, descriptive_name, login_customer_id, currency_code, hint }) => ({
          external_id: customer_id,
          display_name: descriptive_name,
          account_hint: hint || null,
          config: { currency: currency_code, manager_id: login_customer_id },
        }),
      ),
  );
