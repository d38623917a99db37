import type { CustomValues } from "../../../core/custom-fields/values.ts";
import { column, type RowOf, tenantModel } from "../../../core/database/model.ts";
import { notFound, refusal } from "../../../core/errors/errors.ts";
import { partyColumns } from "../parties/parties.ts";

const { json, text, uuid } = column;

/** Hosting of websites; hosting without a client is shared by all (assets §4). */
export const Hosting = tenantModel("hostings", {
  name: text(),
  company_id: uuid().orNull(),
  provider_id: uuid().orNull(),
  ip_address: text().orNull().blankIsNull(),
  ...partyColumns("contact"),
  custom: json<CustomValues>().withDefault(),
  search_text: text().byDatabase(),
}).whenViolated({
  // A row that is deleted between the check and the write is not found either.
  hostings_company_fkey: notFound,
  hostings_provider_fkey: () => refusal("invalid_provider"),
});
export type HostingRow = RowOf<typeof Hosting>;
