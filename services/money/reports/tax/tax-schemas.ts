import { answer, choice, date, decimal, field, list, nullable, Type, uuid } from "../../../../core/schema/schema.ts";
import { taxCategory } from "../../settings/tax-rate-schemas.ts";
import { MISSING, RUBRICS } from "./tax-return.ts";
import { BASES } from "./turnover.ts";

const AMOUNTS = {
  base: "Turnover without tax, in the organisation's currency; what was credited is deducted",
  tax: "Tax on it, in the organisation's currency; what was credited is deducted",
  credited_base: "Turnover that credit notes and cancellations of the period took off, above zero",
  credited_tax: "Tax that they took off, above zero",
};
const amounts = { base: decimal(), tax: decimal(), credited_base: decimal(), credited_tax: decimal() };

const TaxOfRate = answer(
  "TaxOfRate",
  {
    category: field(taxCategory(), "Category of the rate"),
    rate_pct: decimal({ description: "Percentage of the rate, with 2 decimals; nominal for exempt and reverse charge" }),
    ...amounts,
  },
  AMOUNTS,
);
const TaxTotals = answer("TaxTotals", amounts, AMOUNTS);

const EuSupply = answer("EuSupply", {
  vat_number: nullable(
    Type.String({ description: "The client's VAT number, without spaces and dots; null if its documents have none" }),
  ),
  country: Type.String({ description: "The client's country, ISO 3166-1" }),
  company_id: field(nullable(uuid()), "A client with that number; null if it was deleted"),
  client: nullable(Type.String({ description: "Its name on a document of the period" })),
  base: decimal({ description: "Supplies to it, in the organisation's currency" }),
  base_whole: Type.Integer({ description: "The same in whole units, rounded down as in the return" }),
});

const OutsideEu = answer("OutsideEuTurnover", {
  country: Type.String({ description: "The clients' country, ISO 3166-1" }),
  base: decimal({ description: "Turnover without tax there, in the organisation's currency" }),
});

const TaxRubric = answer("TaxRubric", {
  code: field(choice(RUBRICS), "Rubric of the Dutch VAT return"),
  base: nullable(decimal({ description: "Turnover in euros; null if the rubric has none, or it is not known" })),
  tax: nullable(decimal({ description: "Tax in euros; null if the rubric has none, or it is not known" })),
  base_euros: nullable(Type.Integer({ description: "Turnover in whole euros, rounded down; null like `base`" })),
  tax_euros: nullable(Type.Integer({ description: "Tax in whole euros, rounded down; null like `tax`" })),
  missing: field(
    nullable(choice(MISSING)),
    "Why it is not known: `not_recorded` (private use, schemes and estimates), `purchases_not_recorded` (tax on purchases), `not_told_apart` (installation and distance sales abroad), `depends_on_purchases`; null for a rubric that is known",
  ),
});

/** Value-added tax of a period. */
export const TaxReportRead = answer("TaxReport", {
  from: field(date(), "First day"),
  to: field(date(), "Last day, included"),
  basis: field(choice(BASES), "By the date of documents, or by the day on which money came in, as requested"),
  currency: Type.String({ description: "The organisation's currency, of every amount" }),
  country: Type.String({ description: "The seller's country of the invoicing settings, from which `EU` and `outside` are seen" }),
  rates: field(list(TaxOfRate), "Turnover and tax by rate and category, the highest percentage first"),
  eu_supplies: field(
    list(EuSupply),
    "Untaxed supplies to clients elsewhere in the EU, one for each VAT number: the list of intra-Community supplies. Those without a number come first",
  ),
  outside_eu: field(list(OutsideEu), "Untaxed turnover with clients outside of the EU, by country"),
  totals: field(TaxTotals, "Sums of `rates`"),
  rubrics: field(
    nullable(list(TaxRubric)),
    "The Dutch VAT return, of sales alone; null for a seller elsewhere, or with another currency than the euro",
  ),
  unconverted_count: Type.Integer({
    description: "Documents of the period in another currency without an exchange rate, which no amount includes",
  }),
});
