import { column, type RowOf, tenantModel } from "../../../core/database/model.ts";

/** What a year of a domain under a TLD costs, from a day on; a row is never rewritten but on its own day (assets §3). */
export const TldPrice = tenantModel("tld_prices", {
  tld: column.text(),
  amount: column.decimal(12, 2),
  currency: column.text(),
  valid_from: column.date(),
});
export type TldPriceRow = RowOf<typeof TldPrice>;
