import { ADVERTISED } from "../../test/simulators/google-ads/advertised.ts";
import type { ModuleProofs, Place, ProofTools } from "../../test/support/fixture/proofs.ts";

/** Fixtures for policies, decisions and writes. Accounts come from the account fixtures. */
export const writeProofs = ({ named, next, insert, make }: ProofTools): ModuleProofs => {
  /** The account just created for the path. */
  const lastAccount = async (place: Place): Promise<string> => {
    const { rows } = await place.sql.query(
      "select id from ads_accounts where organisation_id = $1 and company_id = $2 order by created_at desc limit 1",
      [place.tenant.organisation.id, place.companyId],
    );
    return rows[0]?.id ?? (await make("/ads-platform account_id", place));
  };
  /** Each call gets a new body, because the provider refuses duplicate names. */
  const bodies: Record<string, (token: string) => object> = {
    "POST ad-groups": (token) => ({ name: named(token), campaign_id: ADVERTISED.campaign, cpc_bid: 0.75 }),
    "POST ads": () => ({
      ad_group_id: ADVERTISED.adGroup,
      headlines: ["Fresh bread", "Baked today", "Order online"],
      descriptions: ["The best bread of the city.", "Delivered before seven."],
      final_urls: ["https://bakery.example/"],
      path1: "bread",
      path2: "fresh",
    }),
    "POST budgets": (token) => ({ name: named(token), amount: 0.75, shared: false }),
    "POST campaigns": (token) => ({ name: named(token), budget_id: ADVERTISED.freeBudget, channel: "SEARCH" }),
    "POST keywords": (token) => ({
      ad_group_id: ADVERTISED.adGroup,
      keywords: [{ text: named(token), match_type: "EXACT", cpc_bid: 0.5 }],
    }),
    "POST keywords/remove": () => ({ ad_group_id: ADVERTISED.adGroup, criterion_ids: [ADVERTISED.keyword] }),
    "POST negative-lists": (token) => ({ name: named(token), campaign_ids: [ADVERTISED.campaign] }),
    "POST negatives": (token) => ({
      level: "campaign",
      parent_id: ADVERTISED.campaign,
      terms: [{ text: named(token), match_type: "BROAD", reason: "no margin" }],
      keep: [{ text: named(token), reason: "sells", expires_on: null }],
    }),
    "POST negatives/remove": () => ({
      level: "campaign",
      parent_id: ADVERTISED.campaign,
      criterion_ids: [ADVERTISED.negative],
    }),
    "PATCH ad-groups/{ad_group_id}": (token) => ({ name: named(token), status: "ENABLED", cpc_bid: 0.8 }),
    "PATCH ads": () => ({ ad_group_id: ADVERTISED.adGroup, ad_id: ADVERTISED.ad, status: "ENABLED" }),
    "PATCH budgets/{budget_id}": (token) => ({ name: named(token), amount: 0.8 }),
    "PATCH campaigns/{campaign_id}": (token) => ({ name: named(token), status: "ENABLED" }),
    "PATCH keywords": () => ({
      ad_group_id: ADVERTISED.adGroup,
      criterion_id: ADVERTISED.keyword,
      status: "ENABLED",
      cpc_bid: 0.5,
    }),
  };
  /** Inserts a policy: before its first save, an account's policy has version 0. */
  const policy = ({ sql, tenant }: Place, { account_id }: Record<string, string>) =>
    sql.query(
      "insert into ads_policies (id, organisation_id, account_id) values (gen_random_uuid(), $1, $2) on conflict do nothing",
      [tenant.organisation.id, account_id],
    );
  return {
    fixedLists: {
      "GET /ads-platform/accounts/{account_id}/decisions": "one statement, for one account; a separate test reads many rows",
    },
    arranged: {
      "PUT /ads-platform/accounts/{account_id}/policy": policy,
      "DELETE /ads-platform/accounts/{account_id}/policy": policy,
    },
    makers: {
      "/ads-platform decision_id": {
        ofCompany: true,
        make: async (place) =>
          insert(place, "ads_decisions", {
            account_id: await lastAccount(place),
            subject_type: "search_term",
            subject: "cheap",
            subject_key: "cheap",
            scope: "account",
            decision: "excluded",
            source: "manual",
          }),
      },
    },
    values: {
      "/ads-platform subject_type": () => "search_term",
      "/ads-platform decision": () => "excluded",
      "/ads-platform scope": () => "account",
      "/ads-platform subject": () => `term ${next()}`,
      "/ads-platform ad_group_id": () => ADVERTISED.adGroup,
      "/ads-platform ad_id": () => ADVERTISED.ad,
      "/ads-platform budget_id": () => ADVERTISED.freeBudget,
      "/ads-platform campaign_id": () => ADVERTISED.campaign,
      "/ads-platform shared_set_id": () => ADVERTISED.list,
    },
    bodies: Object.fromEntries(
      Object.entries(bodies).map(([label, body]) => [
        label.replace(" ", " /ads-platform/accounts/{account_id}/"),
        async ({ token }: Place) => body(token),
      ]),
    ),
  };
};
