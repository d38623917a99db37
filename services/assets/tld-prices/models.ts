import { column, type RowOf, tenantModel } from "../../../core/database/model.ts";

/** The yearly price of a domain under a TLD, from a day on; a row changes only through its own day (assets §3). */
export const TldPrice = tenantModel("tld_prices", {
  tld: column.text(),
  amount: column.decimal(12, 2),
  currency: column.text(),
  valid_from: column.date(),
});
export type TldPriceRow = RowOf<typeof TldPrice>;
