import { columnsOf, type DrawnReport } from "../report-files.ts";
import type { ReportedTax } from "./reported-tax.ts";

const FIELDS = columnsOf({
  section: "text",
  rubric: "text",
  category: "text",
  rate_pct: "number",
  country: "text",
  vat_number: "text",
  client: "text",
  base: "number",
  tax: "number",
  credited_base: "number",
  credited_tax: "number",
  base_whole: "number",
  tax_whole: "number",
  currency: "text",
  missing: "text",
});

/** The report of value-added tax as rows of a table, and its tax by rate as a picture. */
export function taxDrawn({ from, to, currency, rates, eu_supplies, outside_eu, totals, rubrics }: ReportedTax): DrawnReport {
  return {
    name: `vat-${from}-${to}`,
    title: { nl: `Btw per tarief, ${from} tot en met ${to}`, en: `VAT by rate, ${from} to ${to}` },
    currency,
    fields: FIELDS,
    rows: [
      ...rates.map((row) => ({ section: "rate", ...row, currency })),
      { section: "total", ...totals, currency },
      ...eu_supplies.map(({ company_id, ...row }) => ({ section: "eu_supply", ...row, currency })),
      ...outside_eu.map((row) => ({ section: "outside_eu", ...row, currency })),
      ...(rubrics ?? []).map(({ code, base, tax, base_euros, tax_euros, missing }) => ({
        ...{ section: "rubric", rubric: code, base, tax, base_whole: base_euros, tax_whole: tax_euros, currency, missing },
      })),
    ],
    series: {
      kind: "bars",
      points: rates.map(({ category, rate_pct, tax }) => ({
        key: `${Number(rate_pct)}% ${category}`,
        value: Number(tax),
        before: null,
      })),
    },
  };
}
