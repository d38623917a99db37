import type { IsoDate } from "../../../../core/calendar/calendar.ts";
import { download } from "../../../../core/declare/makers/download.ts";
import { report } from "../../../../core/declare/makers/report.ts";
import { request } from "../../../../core/request/context.ts";
import { organisationToday } from "../../../../core/request/today.ts";
import { date, optional } from "../../../../core/schema/schema.ts";
import { service } from "../../../../mixins/resource.ts";
import { columnsOf, type DrawnReport, formatQuery, reportFile, reportLocale } from "../report-files.ts";
import { AgedReport } from "./aged-schemas.ts";
import { type Aged, agedOf, BUCKETS } from "./buckets.ts";
import { openAmounts } from "./open-amounts.ts";

const query = () => ({
  on: optional({ ...date(), description: "The day whose open amounts are asked for; absent for today" }),
});

/** What the clients of the caller owed on a day. One statement. */
async function reported(on: IsoDate = organisationToday()) {
  return { on, currency: request().organisation.currency, ...agedOf(await openAmounts(on), on) };
}

const FIELDS = columnsOf({
  ...({ client: "text", company_id: "text", currency: "text" } as const),
  ...Object.fromEntries([...BUCKETS, "total", "document_count"].map((key) => [key, "number" as const])),
});
/** What the buckets are called in the picture. */
const CALLED = {
  nl: ["Niet vervallen", "1–30 dagen", "31–60 dagen", "61–90 dagen", "Ouder"],
  en: ["Not due", "1–30 days", "31–60 days", "61–90 days", "Older"],
};

const drawn = (
  locale: "nl" | "en",
  { on, currency, clients, totals, converted }: Aged & { on: IsoDate; currency: string },
): DrawnReport => ({
  name: `aged-${on}`,
  title: { nl: `Openstaand op ${on}`, en: `Open on ${on}` },
  currency,
  fields: FIELDS,
  rows: [...clients.map(({ name, ...row }) => ({ client: name, ...row })), ...totals.map((row) => ({ client: "TOTAL", ...row }))],
  series: {
    kind: "bars",
    points: BUCKETS.map((bucket, index) => ({
      key: CALLED[locale][index] ?? bucket,
      value: Number(converted[bucket]),
      before: null,
    })),
  },
});

/** What clients owe, by how long it is due. */
export default service("invoicing.reports.aged", {
  actions: {
    get: report({
      rest: "GET /invoicing/reports/aged",
      summary: "Read who owes us money: what each client owed on a day, by age",
      description:
        "What was open on that day, per client and currency: payments, refunds, credit notes and cancellations after it do not count. " +
        "Due dates and exchange rates are those of now. Credit notes and overpayments reduce the amounts of their own due date.",
      permission: "invoicing.report.read",
      query: query(),
      returns: AgedReport,
      handler: (ctx) => reported(ctx.params.on),
    }),

    export: download({
      rest: "GET /invoicing/reports/aged/export",
      summary: "The report of who owes money as a spreadsheet or a picture",
      description:
        "One row for each client and currency, then the sums; the picture shows the sums in the organisation's currency.",
      permission: "invoicing.report.read",
      fromReplica: true,
      query: { ...query(), ...formatQuery() },
      returnsFile: "*/*",
      handler: async ({ params: { format = "csv", on } }) => reportFile(format, drawn(reportLocale(), await reported(on))),
    }),
  },
});
