import type { IsoDate } from "../../../../core/calendar/calendar.ts";
import { action } from "../../../../core/declare/action.ts";
import { download } from "../../../../core/declare/makers/download.ts";
import { report } from "../../../../core/declare/makers/report.ts";
import { notFound } from "../../../../core/errors/errors.ts";
import { job } from "../../../../core/jobs/jobs.ts";
import { prepared } from "../../../../core/request/context.ts";
import { organisationToday } from "../../../../core/request/today.ts";
import { date, integer, optional, uuid } from "../../../../core/schema/schema.ts";
import { formatDecimal, sum } from "../../../../core/values/money.ts";
import { printing } from "../../../../mixins/documents/printing/pdf.ts";
import { service } from "../../../../mixins/resource.ts";
import { lockInvoice } from "../../documents/invoices/invoice-rows.ts";
import { mailedDocument } from "../../mails/document-mail.ts";
import { SEND_ERRORS } from "../../mails/send-schemas.ts";
import { pdfAnswer } from "../../rendering/document-answers.ts";
import { readDunning } from "../settings/settings-rows.ts";
import { ClaimRead, ClaimsRead, NoticeSend } from "./claim-schemas.ts";
import { type DailyNotice, mailDueNotice, NOTICE_JOB, planNotices } from "./daily-dunning.ts";
import { dunningOrganisations } from "./dunning.due.ts";
import { claimed, type DunnedInvoice, dunnedInvoice, lateInvoices } from "./facts.ts";
import { printedLetter } from "./letter-page.ts";
import { recordNotice } from "./recording.ts";
import { noticeToday, type SentNow, sendNextNotice } from "./sending.ts";

const NO_LEVEL = "conflict errors.dunning.no_level";
const MOST_CLAIMS = 500;

const shown = ({ invoice_id, number, company_id, company_name, currency, due_date, dunning_level, paused }: DunnedInvoice) => ({
  ...{ invoice_id, number, company_id, company_name, currency, due_date, level: dunning_level, paused },
});

/** The claim on one invoice. @throws 404 */
async function claimOf(id: string, on: IsoDate = organisationToday()) {
  const { invoice, settings } = await dunnedInvoice(id);
  if (!invoice) throw notFound();
  const notices = invoice.notices.map(({ interest_parts: _, text: __, fee: ___, announced: ____, ...notice }) => notice);
  return { on, ...shown(invoice), ...claimed(invoice, settings, on), notices };
}

/** All claims of a client or of all, and their sums. Two statements. */
async function allClaims({
  company_id = null,
  level,
  limit,
  offset,
}: {
  company_id?: string | null;
  level?: number | undefined;
  limit: number;
  offset: number;
}) {
  const on = organisationToday();
  const settings = await readDunning();
  const late = (await lateInvoices(on, company_id)).filter(({ dunning_level }) => level === undefined || dunning_level === level);
  const claims = late.map((invoice) => {
    const { interest_parts: _, ...claim } = claimed(invoice, settings, on);
    return { ...shown(invoice), ...claim };
  });
  const currencies = [...new Set(claims.map(({ currency }) => currency))].toSorted();
  const totals = currencies.map((currency) => {
    const of = claims.filter((claim) => claim.currency === currency);
    const total = (field: "principal" | "interest" | "fees" | "costs" | "total") =>
      formatDecimal(sum(of.map((claim) => claim[field] ?? 0)));
    return {
      ...{ currency, count: of.length, principal: total("principal"), interest: total("interest") },
      ...{ fees: total("fees"), costs: total("costs"), total: total("total") },
    };
  });
  return { on, total: claims.length, claims: claims.slice(offset, offset + limit), totals };
}

/** What can be claimed on late invoices, and the notices that ask for it. */
export default service("dunning.claims", {
  mixins: [printing],
  actions: {
    list: report({
      rest: "GET /invoicing/claims",
      summary: "List what can be claimed on late invoices, with statutory interest and costs",
      description:
        "Of open invoices past their due date of the clients that the caller sees, as of today. A claim is no part of the invoice.",
      permission: "dunning.claim.read",
      query: {
        company_id: optional({ ...uuid(), description: "Only invoices of this client" }),
        level: optional(integer(0, 4, { description: "Only invoices that reached this level; 0 for those without a notice" })),
        limit: optional(integer(1, MOST_CLAIMS, { default: 100, description: "Number of claims, at most 500" })),
        offset: optional(integer(0, undefined, { default: 0, description: "Claims to skip" })),
      },
      returns: ClaimsRead,
      handler: ({ params: { company_id, level, limit = 100, offset = 0 } }) =>
        allClaims({ ...(company_id !== undefined && { company_id }), level, limit, offset }),
    }),

    get: report({
      rest: "GET /invoicing/invoices/:invoice_id/claim",
      summary: "Read what can be claimed on an invoice on a day",
      description:
        "Principal, statutory interest with its days and rates, fees and collection costs. Payments count from their day, credit notes from the beginning.",
      permission: "dunning.claim.read",
      query: { on: optional({ ...date(), description: "The day of the claim, also a later one; absent for today" }) },
      returns: ClaimRead,
      handler: (ctx) => claimOf(ctx.params.invoice_id, ctx.params.on),
    }),

    letter: download({
      rest: "GET /invoicing/invoices/:invoice_id/claim/letter",
      summary: "A notice as a letter",
      description: "The notice of a level that was sent, as it was; without `level` the next one, as it would leave today.",
      permission: "dunning.claim.read",
      query: { level: optional(integer(1, 4, { description: "The level of a notice that was sent; absent for the next one" })) },
      returnsFile: "application/pdf",
      errors: ["unavailable", NO_LEVEL, "conflict errors.invoicing.wrong_status"],
      async handler({ params: { invoice_id: id, level } }) {
        if (level === undefined) {
          const { document, notice } = await noticeToday(id, true);
          return pdfAnswer(await printedLetter(document, notice));
        }
        const { invoice } = await dunnedInvoice(id);
        const notice = invoice?.notices.find((sent) => sent.level === level);
        const document = notice && (await mailedDocument("invoice", id));
        if (!document) throw notFound();
        return pdfAnswer(await printedLetter(document, notice));
      },
    }),

    send: action({
      rest: "POST /invoicing/invoices/:invoice_id/claim/send",
      summary: "Send the next notice of a late invoice now",
      description:
        "Mails the letter and the invoice. Neither its days nor a pause hold it back. With `email` false it is recorded only. Concurrent calls send one notice.",
      permission: "dunning.claim.send",
      status: 200,
      body: NoticeSend,
      example: { to: "administratie@bakkerij-de-korenaar.example" },
      returns: ClaimRead,
      errors: [...SEND_ERRORS, NO_LEVEL],
      acts: "outside",
      prepare: (ctx) => sendNextNotice(ctx.call.bind(ctx), ctx.params.invoice_id, ctx.params.body),
      async handler(ctx) {
        const invoice = await lockInvoice(ctx.params.invoice_id);
        const sent = prepared<SentNow | null>();
        if (sent) await recordNotice(invoice, { ...sent, manual: true });
        return claimOf(invoice.id);
      },
    }),
  },

  jobs: {
    "dunning.daily": {
      about: "Plans the notices of late invoices that are due",
      module: "invoicing",
      schedule: "10 6 * * *",
      due: dunningOrganisations,
      spread: 40,
      handler: (run) => run.write(() => planNotices(run.today())),
    },
    [NOTICE_JOB]: job<DailyNotice>({
      about: "Mails one notice of dunning for the daily job",
      module: "invoicing",
      // The number of documents printed at a time.
      concurrency: 2,
      timeout: 120_000,
      retry: { attempts: 3, backoff: { first: 60_000, factor: 5 } },
      handler: mailDueNotice,
    }),
  },
});
