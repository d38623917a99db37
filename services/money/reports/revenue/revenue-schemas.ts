import { answer, choice, date, decimal, field, list, nullable, Type } from "../../../../core/schema/schema.ts";
import { REVENUE_GROUPS } from "./revenue.ts";

const compared = {
  amount: decimal({
    description: "Revenue without tax in the organisation's currency; credit notes and cancellations are deducted",
  }),
  previous_amount: decimal({ description: "The same of the same days a year before" }),
  change_pct: nullable(
    decimal({ description: "Change from a year before in percent, with 1 decimal; null if there was no revenue then" }),
  ),
};

const RevenueGroup = answer("RevenueGroup", {
  key: Type.String({
    description:
      "`YYYY-MM`, the id of the client or the product, or the kind of line: `hours`, `subscription`, `domain`, `product`; empty for lines that are called like no product",
  }),
  label: nullable(Type.String({ description: "Name of the client or product; null for months, kinds and lines of no product" })),
  ...compared,
  document_count: Type.Integer({ description: "Documents of the period with revenue in this group" }),
});

/** Revenue of a period, compared with the year before. */
export const RevenueReport = answer("RevenueReport", {
  from: field(date(), "First day"),
  to: field(date(), "Last day, included"),
  previous_from: field(date(), "First day of the period a year before"),
  previous_to: field(date(), "Last day of the period a year before, included"),
  group: field(choice(REVENUE_GROUPS), "What the groups are formed by, as requested"),
  currency: Type.String({ description: "The organisation's currency, of every amount" }),
  groups: field(list(RevenueGroup), "Months in order, each of the period; other groups with the largest amount first"),
  total: field(answer("RevenueTotal", compared), "Over all groups, rounded once on the exact sum"),
  unconverted_count: Type.Integer({
    description: "Documents of the period in another currency without an exchange rate, which no amount includes",
  }),
});
