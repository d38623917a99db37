import { column, model, type RowOf, tenantModel } from "../../../core/database/model.ts";
import { conflict, notFound } from "../../../core/errors/errors.ts";
import type { InterestPart } from "./rules/interest.ts";
import type { DunningLevel } from "./rules/levels.ts";
import type { InterestRate } from "./rules/rates.ts";

const { boolean, date, decimal, instant, integer, json, text, uuid } = column;

/** How the organisation duns. */
export const DunningSettings = model("dunning_settings", {
  organisation_id: uuid().byPlatform(),
  created_at: instant().withDefault(),
  updated_at: instant().withDefault(),
  version: integer().withDefault(),
  enabled: boolean().withDefault(),
  levels: json<readonly DunningLevel[]>(),
  rates: json<readonly InterestRate[]>().withDefault(),
});

/** A notice of a level that was sent, with what it claimed. */
export const DunningNotice = tenantModel("dunning_notices", {
  invoice_id: uuid(),
  level: integer(),
  sent_on: date(),
  sent_to: text().orNull(),
  pay_by: date(),
  announces_costs: boolean().withDefault(),
  subject: text(),
  text: text(),
  principal: decimal(12, 2),
  interest: decimal(12, 2),
  interest_parts: json<readonly InterestPart[]>().withDefault(),
  fee: decimal(12, 2),
  fees: decimal(12, 2),
  costs: decimal(12, 2),
  announced: decimal(12, 2).orNull(),
  total: decimal(12, 2),
}).whenViolated({
  // The turn of the invoice comes before: only a fault could send a level twice.
  dunning_notices_level: () => conflict(),
});

/** A client or one of its documents that is not dunned. */
export const DunningPause = tenantModel("dunning_pauses", {
  company_id: uuid(),
  invoice_id: uuid().orNull(),
  reason: text(),
  until: date().orNull(),
}).whenViolated({
  // A row that is deleted between the check and the write is not found either.
  dunning_pauses_company_fkey: notFound,
  dunning_pauses_invoice_fkey: notFound,
});
export type DunningPauseRow = RowOf<typeof DunningPause>;
