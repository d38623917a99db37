import { ofSelectedCompany } from "../../../core/database/lists/selection.ts";
import { namedRecord } from "../../../core/database/named-record.ts";
import { projection } from "../../../core/database/projection.ts";
import { AdsAccount } from "../../../mixins/google-ads/models.ts";
import { namedClient } from "../../../mixins/named/named-clients.ts";
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

export const accounts = rowsOf({
  model: AdsAccount,
  projection: shown,
  visible: visibleAccounts,
  narrowed: true,
  whole: { order: "t.descriptive_name, t.customer_id", by: { company_id: "uuid", active: "boolean" } },
});
