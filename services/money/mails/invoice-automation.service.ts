import { type AutomationOutcome, unusableConfig } from "../../../core/declare/automation.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { prepared } from "../../../core/request/context.ts";
import { printing } from "../../../mixins/documents/printing/pdf.ts";
import { requireOrganisationLicence } from "../../../mixins/licence.ts";
import { service } from "../../../mixins/resource.ts";
import { lockInvoice } from "../documents/invoices/invoice-rows.ts";
import { SendInvoiceCall } from "./invoice-automation-configs.ts";
import { type MailOutcome, noteInvoiceSent, sendDocument } from "./sending.ts";

/** Actions of automation rules on invoices, through the same functions as every other path. */
export default service("invoicing.automation", {
  mixins: [printing],
  actions: {
    send: internal({
      open: "the member who saved a rule has authorised its actions (platform §2.2)",
      needs: "everything",
      writes: true,
      summary: "Mail the invoice that triggered a rule",
      body: SendInvoiceCall,
      acts: "outside",
      async prepare(ctx): Promise<MailOutcome> {
        const { entity_type, entity_id } = ctx.params.body.trigger;
        if (entity_type !== "invoice") return null;
        await requireOrganisationLicence("invoicing");
        return sendDocument(ctx.call.bind(ctx), "invoice", entity_id, {});
      },
      async handler(ctx): Promise<AutomationOutcome> {
        const sent = prepared<MailOutcome>();
        if (sent === null) return unusableConfig;
        const { id } = await lockInvoice(ctx.params.body.trigger.entity_id);
        await noteInvoiceSent(id, sent);
        return { result: { invoice_id: id, to: sent.to } };
      },
    }),
  },
});
