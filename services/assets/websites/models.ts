import type { CustomValues } from "../../../core/custom-fields/values.ts";
import { column, type RowOf, tenantModel } from "../../../core/database/model.ts";
import { explainConstraints } from "../../../core/database/write.ts";
import { conflict, notFound, refusal } from "../../../core/declare/errors.ts";
import { partyColumns } from "../parties/parties.ts";

const { boolean, json, text, uuid } = column;

/** The website of a domain; its client is the domain's (assets §4). */
export const Website = tenantModel("websites", {
  domain_id: uuid(),
  // That of the domain; the database keeps it so.
  company_id: uuid().byDatabase(),
  // False stands for www.
  root: boolean().withDefault().tracked(),
  hosting_id: uuid().orNull().tracked(),
  ...partyColumns("technical_owner"),
  uptime_enabled: boolean().withDefault().tracked(),
  custom: json<CustomValues>().withDefault(),
  search_text: text().byDatabase(),
});
export type WebsiteRow = RowOf<typeof Website>;

explainConstraints({
  websites_domain_key: () => conflict(),
  // What went away between the look and the write is not there either.
  websites_domain_fkey: notFound,
  websites_hosting_fkey: () => refusal("invalid_hosting"),
});
