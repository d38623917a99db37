import { action } from "../../../core/declare/action.ts";
import { job } from "../../../core/jobs/jobs.ts";
import { prepared } from "../../../core/request/context.ts";
import { printing } from "../../../mixins/documents/printing/pdf.ts";
import { service } from "../../../mixins/resource.ts";
import { lockInvoice, writtenInvoice } from "../documents/invoices/invoice-rows.ts";
import { InvoiceRead } from "../documents/invoices/invoice-schemas.ts";
import { dueDocuments } from "./daily.due.ts";
import { type DailyMail, MAIL_JOB, startDay } from "./daily.ts";
import { mailInvoice } from "./daily-mail.ts";
import { DocumentSend, SEND_ERRORS } from "./send-schemas.ts";
import { type MailOutcome, noteInvoiceSent, noteReminded, type Reminded, remindOf, sendDocument } from "./sending.ts";

/** Mails invoices, on request and daily. */
export default service("invoicing.mails", {
  mixins: [printing],
  actions: {
    sendInvoice: action({
      rest: "POST /invoicing/invoices/:invoice_id/send",
      verb: "send",
      summary: "Mail an invoice or a credit note, or record that it was sent",
      description:
        "Attaches its PDF. `to` is the bill-to address unless given. It counts as sent once the relay accepted the mail.",
      permission: "invoicing.invoice.send",
      status: 200,
      body: DocumentSend,
      example: { to: "administratie@bakkerij-de-korenaar.example", message: "Dank voor de prettige samenwerking." },
      returns: InvoiceRead,
      errors: SEND_ERRORS,
      acts: "outside",
      tool: {
        name: "send_invoice",
        description: "Mails an issued invoice with its PDF to the client.",
        inArea: true,
        takes: ["invoice_id", "to", "message"],
      },
      prepare: (ctx) => sendDocument(ctx.call.bind(ctx), "invoice", ctx.params.invoice_id, ctx.params.body),
      async handler(ctx) {
        const { id } = await lockInvoice(ctx.params.invoice_id);
        await noteInvoiceSent(id, prepared<MailOutcome>());
        return writtenInvoice(id);
      },
    }),

    remind: action({
      rest: "POST /invoicing/invoices/:invoice_id/remind",
      summary: "Mail a reminder of an invoice that is not settled",
      description: "Counts as a step of the schedule of reminders. Concurrent calls mail one reminder.",
      permission: "invoicing.invoice.send",
      status: 200,
      returns: InvoiceRead,
      errors: SEND_ERRORS,
      acts: "outside",
      prepare: (ctx) => remindOf(ctx.call.bind(ctx), ctx.params.invoice_id),
      async handler(ctx) {
        const invoice = await lockInvoice(ctx.params.invoice_id);
        const reminded = prepared<Reminded | null>();
        if (reminded) {
          const { holder, ...sent } = reminded;
          noteReminded(invoice, holder, { ...sent, manual: true });
        }
        return writtenInvoice(invoice.id);
      },
    }),
  },

  jobs: {
    "invoicing.daily": {
      about: "Expires quotes, and mails invoices and reminders that are due",
      module: "invoicing",
      schedule: "15 6 * * *",
      due: dueDocuments,
      spread: 40,
      handler: (run) => run.write(() => startDay(run.today())),
    },
    [MAIL_JOB]: job<DailyMail>({
      about: "Mails one invoice for the daily job",
      module: "invoicing",
      // The number of documents printed at a time.
      concurrency: 2,
      timeout: 120_000,
      retry: { attempts: 3, backoff: { first: 60_000, factor: 5 } },
      handler: mailInvoice,
    }),
  },
});
