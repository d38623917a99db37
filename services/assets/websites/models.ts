import type { CustomValues } from "../../../core/custom-fields/values.ts";
import { column, type RowOf, tenantModel } from "../../../core/database/model.ts";
import type { AutomationEntity } from "../../../core/declare/automation.ts";
import { conflict, notFound, refusal } from "../../../core/errors/errors.ts";
import { partyColumns } from "../parties/parties.ts";

const { boolean, json, text, uuid } = column;

/** The website of a domain; its client is the domain's (assets §4). */
export const Website = tenantModel("websites", {
  domain_id: uuid(),
  // Copied from the domain by the database.
  company_id: uuid().byDatabase(),
  // False means www.
  root: boolean().withDefault().tracked(),
  hosting_id: uuid().orNull().tracked(),
  ...partyColumns("technical_owner"),
  uptime_enabled: boolean().withDefault().tracked(),
  custom: json<CustomValues>().withDefault(),
  search_text: text().byDatabase(),
}).whenViolated({
  websites_domain_key: () => conflict(),
  // A row that is deleted between the check and the write is not found either.
  websites_domain_fkey: notFound,
  websites_hosting_fkey: () => refusal("invalid_hosting"),
});
export type WebsiteRow = RowOf<typeof Website>;

/** The fields of a website in automation rules. */
export const websiteFacts: AutomationEntity = {
  model: Website,
};
