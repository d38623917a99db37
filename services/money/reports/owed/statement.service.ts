import { action } from "../../../../core/declare/action.ts";
import { download } from "../../../../core/declare/makers/download.ts";
import { report } from "../../../../core/declare/makers/report.ts";
import { prepared } from "../../../../core/request/context.ts";
import { choice, optional } from "../../../../core/schema/schema.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { printing } from "../../../../mixins/documents/printing/pdf.ts";
import { service } from "../../../../mixins/resource.ts";
import type { SentTo } from "../../mails/mail-values.ts";
import { SEND_ERRORS } from "../../mails/send-schemas.ts";
import { pdfAnswer } from "../../rendering/document-answers.ts";
import { periodOf, periodQuery } from "../period.ts";
import { columnsOf, type DrawnReport, REPORT_FORMATS, reportFile } from "../report-files.ts";
import { mailStatement } from "./statement-mail.ts";
import { printedStatement } from "./statement-page.ts";
import { type ClientStatement, clientStatement } from "./statement-rows.ts";
import { StatementRead, StatementSend, StatementSent } from "./statement-schemas.ts";

const FIELDS = columnsOf({
  ...({ currency: "text", date: "date", type: "text", number: "text", reference: "text", due_date: "date" } as const),
  ...({ amount: "number", balance: "number" } as const),
});

/** Opening balance, entries and closing balance as rows; the balance of the first account as a picture. */
function drawn({ name, from, to, accounts }: ClientStatement): DrawnReport {
  const [first] = accounts;
  return {
    name: `statement-${from}-${to}`,
    title: { nl: `Saldo van ${name}`, en: `Balance of ${name}` },
    currency: first?.currency ?? "EUR",
    fields: FIELDS,
    rows: accounts.flatMap(({ currency, opening, entries, closing }) => [
      { currency, date: from, type: "opening", balance: opening },
      ...entries.map(({ invoice_id, ...entry }) => ({ currency, ...entry })),
      { currency, date: to, type: "closing", balance: closing },
    ]),
    series: {
      kind: "line",
      points: [
        ...(first ? [{ key: from, value: Number(first.opening), before: null }] : []),
        ...(first?.entries ?? []).map(({ date, balance }) => ({ key: date, value: Number(balance), before: null })),
      ],
    },
  };
}

/** Statements of account of clients. */
export default service("invoicing.reports.statement", {
  mixins: [printing],
  actions: {
    get: report({
      rest: "GET /invoicing/reports/statement/:company_id",
      summary: "Read a client's statement of account",
      description:
        "Per currency: the balance before, each document and payment with the balance after it, and what is open at the end. " +
        "The closing balance is the sum of what is open.",
      permission: "invoicing.report.read",
      query: periodQuery("year"),
      returns: StatementRead,
      async handler({ params: { company_id, ...asked } }) {
        const { customer, locale, ...statement } = await clientStatement(company_id, periodOf(asked, "year"));
        return statement;
      },
    }),

    export: download({
      rest: "GET /invoicing/reports/statement/:company_id/export",
      summary: "A client's statement of account as PDF, spreadsheet or picture",
      description:
        "The PDF is in the language of the client's newest document and in the shipped design, with the seller of the settings. " +
        "The picture shows the balance in the first currency.",
      permission: "invoicing.report.read",
      query: {
        ...periodQuery("year"),
        format: optional({
          ...choice([...REPORT_FORMATS, "pdf"], { default: "pdf" }),
          description: "`pdf`: a letter; `csv` or `xlsx`: every entry, one a row; `svg`: a picture of the balance",
        }),
      },
      returnsFile: "*/*",
      errors: ["unavailable"],
      async handler({ params: { company_id, format = "pdf", ...asked } }) {
        const statement = await clientStatement(company_id, periodOf(asked, "year"));
        return format === "pdf" ? pdfAnswer(await printedStatement(statement)) : reportFile(format, drawn(statement));
      },
    }),

    send: action({
      rest: "POST /invoicing/reports/statement/:company_id/send",
      summary: "Mail a client its statement of account",
      description: "Attaches the PDF. `to` is the client's address for invoices unless given. The client's trail records it.",
      permission: "invoicing.invoice.send",
      also: ["invoicing.report.read"],
      status: 200,
      query: periodQuery("year"),
      body: StatementSend,
      example: { to: "administratie@bakkerij-de-korenaar.example", message: "Hierbij het overzicht waar u om vroeg." },
      returns: StatementSent,
      errors: SEND_ERRORS.filter((error) => error !== "conflict errors.invoicing.wrong_status"),
      acts: "outside",
      async prepare(ctx) {
        const { company_id, body, ...asked } = ctx.params;
        return mailStatement(ctx.call.bind(ctx), await clientStatement(company_id, periodOf(asked, "year")), body);
      },
      handler(ctx) {
        const sent = prepared<SentTo>();
        trail("company", ctx.params.company_id, "statement_sent", { ...sent });
        return { to: sent.to, refused: sent.refused ?? null };
      },
    }),
  },
});
