import { download } from "../../../../core/declare/makers/download.ts";
import { report } from "../../../../core/declare/makers/report.ts";
import { choice, optional } from "../../../../core/schema/schema.ts";
import { service } from "../../../../mixins/resource.ts";
import { periodQuery } from "../period.ts";
import { formatQuery, reportFile } from "../report-files.ts";
import { reportedTax } from "./reported-tax.ts";
import { TaxReportRead } from "./tax-schemas.ts";
import { taxDrawn } from "./tax-sheet.ts";
import { BASES } from "./turnover.ts";

const query = () => ({
  ...periodQuery("quarter"),
  basis: optional({
    ...choice(BASES, { default: "invoice" }),
    description: "`invoice` counts documents by their date, `cash` in proportion to what was paid on them in the period",
  }),
});

/** Value-added tax over a period. */
export default service("invoicing.reports.vat", {
  actions: {
    get: report({
      rest: "GET /invoicing/reports/vat",
      summary: "Read how much VAT a period owes: by rate, EU supplies and the rubrics of the Dutch return",
      description:
        "Of issued invoices and credit notes of the clients that the caller sees, in the organisation's currency at each document's exchange rate. " +
        "A document that was cancelled is taken back on the day of the cancellation. Purchases are not recorded, so deductible tax is not known.",
      permission: "invoicing.report.read",
      query: query(),
      returns: TaxReportRead,
      handler: (ctx) => reportedTax(ctx.params),
    }),

    export: download({
      rest: "GET /invoicing/reports/vat/export",
      summary: "The report of VAT as a spreadsheet or a picture",
      description: "One row for each figure, with the section that it belongs to; the picture shows the tax by rate.",
      permission: "invoicing.report.read",
      fromReplica: true,
      query: { ...query(), ...formatQuery() },
      returnsFile: "*/*",
      handler: async ({ params: { format = "csv", ...asked } }) => reportFile(format, taxDrawn(await reportedTax(asked))),
    }),
  },
});
