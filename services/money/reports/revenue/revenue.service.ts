import { download } from "../../../../core/declare/makers/download.ts";
import { report } from "../../../../core/declare/makers/report.ts";
import { invalid } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import { choice, optional } from "../../../../core/schema/schema.ts";
import { service } from "../../../../mixins/resource.ts";
import { periodOf, periodQuery, type ReportPeriod } from "../period.ts";
import { columnsOf, type DrawnReport, formatQuery, reportFile, reportLocale } from "../report-files.ts";
import { isComparable, REVENUE_GROUPS, type RevenueGrouping, revenueOf, yearBefore } from "./revenue.ts";
import { revenueRows } from "./revenue-rows.ts";
import { RevenueReport } from "./revenue-schemas.ts";

const query = () => ({
  ...periodQuery("year"),
  group: optional({
    ...choice(REVENUE_GROUPS, { default: "month" }),
    description: "`month`, `company`, `kind` of line, or `product`: lines that are called like it",
  }),
});

interface Asked extends Partial<ReportPeriod> {
  group?: RevenueGrouping | undefined;
}

/** The revenue of a period by group. One statement. @throws 422 for a period of more than 120 months, or without a year before */
async function reported({ group = "month", ...asked }: Asked) {
  const period = periodOf(asked, "year");
  if (!isComparable(period)) throw invalid({ [asked.from === undefined ? "to" : "from"]: "errors.validation" });
  const { currency } = request().organisation;
  const { rows, unconverted_count } = await revenueRows(group, period);
  const before = yearBefore(period);
  const previous = { previous_from: before.from, previous_to: before.to };
  return { ...period, ...previous, group, currency, ...revenueOf(rows, group, period, currency), unconverted_count };
}
type Reported = Awaited<ReturnType<typeof reported>>;

const FIELDS = columnsOf({
  ...({ key: "text", label: "text", amount: "number", previous_amount: "number", change_pct: "number" } as const),
  ...({ document_count: "number", currency: "text" } as const),
});
/** Most bars of a picture. */
const MOST_BARS = 20;
const WORDS = {
  nl: { hours: "Uren", subscription: "Abonnementen", domain: "Domeinen", product: "Producten", "": "Geen product" },
  en: { hours: "Hours", subscription: "Subscriptions", domain: "Domains", product: "Products", "": "No product" },
};

/** The groups and their total as rows; the largest ones as a picture, months as a line. */
function drawn({ from, to, group, groups, total, currency }: Reported): DrawnReport {
  const words: Record<string, string> = WORDS[reportLocale()];
  return {
    name: `revenue-${group}-${from}-${to}`,
    title: { nl: `Omzet van ${from} tot en met ${to}`, en: `Revenue from ${from} to ${to}` },
    currency,
    fields: FIELDS,
    rows: [...groups.map((row) => ({ ...row, currency })), { key: "TOTAL", ...total, currency }],
    series: {
      kind: group === "month" ? "line" : "bars",
      points: (group === "month" ? groups : groups.slice(0, MOST_BARS)).map(({ key, label, amount, previous_amount }) => ({
        key: label ?? words[key] ?? key,
        value: Number(amount),
        before: Number(previous_amount),
      })),
    },
  };
}

/** Revenue, compared with the year before. */
export default service("invoicing.reports.revenue", {
  actions: {
    get: report({
      rest: "GET /invoicing/reports/revenue",
      summary: "Read the revenue of a period by month, client, kind or product, with the year before",
      description:
        "Turnover without tax of issued documents by their date, of the clients that the caller sees, in the organisation's currency. " +
        "Credit notes are deducted on their own date, cancelled documents on the day of the cancellation. A period touches at most 120 months.",
      permission: "invoicing.report.read",
      query: query(),
      returns: RevenueReport,
      handler: (ctx) => reported(ctx.params),
    }),

    export: download({
      rest: "GET /invoicing/reports/revenue/export",
      summary: "The report of revenue as a spreadsheet or a picture",
      description: "One row for each group, then the total; the picture shows at most the 20 largest groups, and all months.",
      permission: "invoicing.report.read",
      fromReplica: true,
      query: { ...query(), ...formatQuery() },
      returnsFile: "*/*",
      handler: async ({ params: { format = "csv", ...asked } }) => reportFile(format, drawn(await reported(asked))),
    }),
  },
});
