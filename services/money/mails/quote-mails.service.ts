import { action } from "../../../core/declare/action.ts";
import { prepared } from "../../../core/request/context.ts";
import { printing } from "../../../mixins/documents/printing/pdf.ts";
import { service } from "../../../mixins/resource.ts";
import { lockQuote, writtenQuote } from "../documents/quotes/quote-rows.ts";
import { QuoteRead } from "../documents/quotes/quote-schemas.ts";
import { DocumentSend, SEND_ERRORS } from "./send-schemas.ts";
import { type MailOutcome, noteQuoteSent, sendDocument } from "./sending.ts";

/** Mails quotes. */
export default service("invoicing.quote-mails", {
  mixins: [printing],
  actions: {
    send: action({
      rest: "POST /invoicing/quotes/:quote_id/send",
      summary: "Mail a quote, or note that it was sent",
      description:
        "Attaches its PDF. `to` is the bill-to address unless given. It counts as sent once the relay accepted the mail.",
      permission: "invoicing.quote.send",
      status: 200,
      body: DocumentSend,
      example: { to: "administratie@bakkerij-de-korenaar.example", message: "Hierbij onze offerte, zoals besproken." },
      returns: QuoteRead,
      errors: SEND_ERRORS,
      acts: "outside",
      prepare: (ctx) => sendDocument(ctx.call.bind(ctx), "quote", ctx.params.quote_id, ctx.params.body),
      async handler(ctx) {
        const { id } = await lockQuote(ctx.params.quote_id);
        await noteQuoteSent(id, prepared<MailOutcome>());
        return writtenQuote(id);
      },
    }),
  },
});
