import { action } from "../../../../core/declare/action.ts";
import { service } from "../../../../mixins/resource.ts";
import { ClientTermsRead, ClientTermsWrite } from "./client-term-schemas.ts";
import { clientTerms, storeClientTerms } from "./client-terms.ts";

export default service("invoicing.client-terms", {
  actions: {
    get: action({
      rest: "GET /invoicing/clients/:company_id/terms",
      summary: "Read what a client pays by, where it differs from the settings",
      permission: "invoicing.invoice.read:any",
      returns: ClientTermsRead,
      handler: (ctx) => clientTerms(ctx.params.company_id),
    }),

    update: action({
      rest: "PUT /invoicing/clients/:company_id/terms",
      summary: "Change what a client pays by; omitted fields stay unchanged",
      description: "Invoices that are issued from then on have them. Issued invoices stay as they are.",
      permission: "invoicing.settings.manage",
      body: ClientTermsWrite,
      example: { payment_discount: { percent: "2.00", days: 8 } },
      returns: ClientTermsRead,
      handler: (ctx) => storeClientTerms(ctx.params.company_id, ctx.params.body),
    }),
  },
});
