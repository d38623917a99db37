import type { ModuleProofs, Place, ProofTools } from "../../test/support/fixture/proofs.ts";

const NO_PROVIDER = "the service of the proofs has no advertising provider that it writes to (marketing-ads §3.10)";
const ROUTES = [
  "POST /ads-platform/accounts/{account_id}/ad-groups",
  "POST /ads-platform/accounts/{account_id}/ads",
  "POST /ads-platform/accounts/{account_id}/budgets",
  "POST /ads-platform/accounts/{account_id}/campaigns",
  "POST /ads-platform/accounts/{account_id}/keywords",
  "POST /ads-platform/accounts/{account_id}/keywords/remove",
  "POST /ads-platform/accounts/{account_id}/negative-lists",
  "POST /ads-platform/accounts/{account_id}/negatives",
  "POST /ads-platform/accounts/{account_id}/negatives/remove",
  "PATCH /ads-platform/accounts/{account_id}/ad-groups/{ad_group_id}",
  "PATCH /ads-platform/accounts/{account_id}/ads",
  "PATCH /ads-platform/accounts/{account_id}/budgets/{budget_id}",
  "PATCH /ads-platform/accounts/{account_id}/campaigns/{campaign_id}",
  "PATCH /ads-platform/accounts/{account_id}/keywords",
  "DELETE /ads-platform/accounts/{account_id}/ad-groups/{ad_group_id}",
  "DELETE /ads-platform/accounts/{account_id}/ad-groups/{ad_group_id}/ads/{ad_id}",
  "DELETE /ads-platform/accounts/{account_id}/budgets/{budget_id}",
  "DELETE /ads-platform/accounts/{account_id}/campaigns/{campaign_id}",
  "DELETE /ads-platform/accounts/{account_id}/negative-lists/{shared_set_id}",
];

/** What the generic proofs need to know of policies, decisions and writes. The maker of accounts is that of the accounts. */
export const writeProofs = ({ next, insert, make }: ProofTools): ModuleProofs => {
  /** The account that the path has just been given. */
  const lastAccount = async (place: Place): Promise<string> => {
    const { rows } = await place.sql.query(
      "select id from ads_accounts where organisation_id = $1 and company_id = $2 order by created_at desc limit 1",
      [place.tenant.organisation.id, place.companyId],
    );
    return rows[0]?.id ?? (await make("/ads-platform account_id", place));
  };
  const digits = { ofCompany: false, make: async () => String(next()) };
  /** A policy of its own: before it is first saved an account's has the version 0. */
  const policy = ({ sql, tenant }: Place, { account_id }: Record<string, string>) =>
    sql.query(
      "insert into ads_policies (id, organisation_id, account_id) values (gen_random_uuid(), $1, $2) on conflict do nothing",
      [tenant.organisation.id, account_id],
    );
  return {
    fixedLists: {
      "GET /ads-platform/accounts/{account_id}/decisions": "one statement, of one account; its own test reads many rows",
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
      "/ads-platform ad_group_id": digits,
      "/ads-platform ad_id": digits,
      "/ads-platform budget_id": digits,
      "/ads-platform campaign_id": digits,
      "/ads-platform shared_set_id": digits,
    },
    values: {
      "/ads-platform subject_type": () => "search_term",
      "/ads-platform decision": () => "excluded",
      "/ads-platform scope": () => "account",
      "/ads-platform subject": () => `term ${next()}`,
    },
    absent: Object.fromEntries(ROUTES.map((route) => [route, NO_PROVIDER])),
  };
};
