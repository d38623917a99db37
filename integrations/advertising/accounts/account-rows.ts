import { JsonText } from "../../../core/database/json-text.ts";
import { ofSelectedCompany } from "../../../core/database/lists/selection.ts";
import { namedRecord } from "../../../core/database/named-record.ts";
import { jsonArray, projection } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";
import { AdsAccount } from "../../../mixins/google-ads/models.ts";
import { namedClient } from "../../../mixins/named-clients.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { AdsAccountRead } from "./account-schemas.ts";

/** SQL: whether the caller sees the account's client. Restricted staff also see accounts without a client (conventions §5). */
export const visibleAccounts = (slot: string, alias = "t"): string =>
  `(${alias}.company_id is null or ${ofSelectedCompany(`${alias}.company_id`, slot)})`;

const shown = projection({
  model: AdsAccount,
  schema: AdsAccountRead,
  columns: {
    customer_id_formatted: `case when length(t.customer_id) = 10
      then substr(t.customer_id, 1, 3) || '-' || substr(t.customer_id, 4, 3) || '-' || substr(t.customer_id, 7) else t.customer_id end`,
    company_id: "client.id",
    company_name: "client.name",
  },
  joins: (sources) => namedRecord("client", namedClient, "t.company_id", sources),
});

const OF_ORGANISATION = `(select t.* from ads_accounts t where t.organisation_id = $1
  and ($2::uuid[] is null or ${visibleAccounts("$2::uuid[]")}) and ($3::uuid is null or t.company_id = $3)
  and (not $4::boolean or t.active) and ($5::timestamptz is null or t.updated_at >= $5::timestamptz))`;
const LIST = statement(
  `select ${jsonArray(`${shown.rows(OF_ORGANISATION, "$2::uuid[]")} order by t.descriptive_name, t.customer_id`)} as items`,
);

export const accounts = rowsOf({ model: AdsAccount, projection: shown, visible: visibleAccounts, narrowed: true });

/** Accounts by name and id. @param since an instant; only accounts changed since then */
export async function listedAccounts(companyId: string | null, activeOnly: boolean, since: string | null): Promise<JsonText> {
  const { organisation, principal } = request();
  const values = [organisation.id, principal?.selection ?? null, companyId, activeOnly, since];
  const found = await queryOne<{ items: string }>(LIST, values);
  return new JsonText(found?.items ?? "[]");
}
