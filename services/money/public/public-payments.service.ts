import { queryOne } from "../../../core/database/query.ts";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { prepared } from "../../../core/request/context.ts";
import { type Static, Type } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { requireOrganisationLicence } from "../../../mixins/licence.ts";
import { InvoicePaymentRefresh } from "../../../mixins/payments/intent-schemas.ts";
import { service } from "../../../mixins/resource.ts";
import { invoiceOfLink } from "./public-rows.ts";
import { PublicCheckout } from "./public-schemas.ts";
import { publicly } from "./publicly.ts";

const LINK = statement("select checkout_url from payment_intents where organisation_id = $1 and id = $2");

const token = Type.String();
const OPEN = "the token of the link is the credential";

/** Payments through a public link (money §12). */
export default service("invoicing.public-payments", {
  actions: {
    create: openAction({
      rest: "POST /invoicing/public/invoices/:token/payment-intents",
      summary: "Pay an invoice behind its public link",
      open: OPEN,
      needs: "nothing",
      path: { token },
      returns: PublicCheckout,
      status: 200,
      errors: [
        "not_found",
        "payment_not_payable",
        "payment_no_account",
        "payment_account_ambiguous",
        "payment_credential_rejected",
        "payment_credential_unreadable",
        "payment_provider_failed",
        "payment_provider_unreachable",
      ],
      acts: "outside",
      licence: "invoicing",
      prepare: (ctx) =>
        publicly(async () => {
          await requireOrganisationLicence("invoicing");
          const { token: link } = ctx.params;
          const body = { invoice_id: await invoiceOfLink(link), return_path: `/invoice/${link}` };
          return ctx.call<string, object>("invoicing.payment-attempts.start", { body });
        }),
      handler: (ctx) =>
        publicly(async () => {
          const made = await queryOne<{ checkout_url: string | null }>(LINK, [ctx.meta.organisation.id, prepared<string>()]);
          if (!made?.checkout_url) throw refusal("payment_provider_failed");
          return { checkout_url: made.checkout_url };
        }),
    }),

    refresh: openAction({
      rest: "POST /invoicing/public/invoices/:token/refresh",
      summary: "Check payments of the invoice behind a public link at the provider",
      open: OPEN,
      needs: "nothing",
      path: { token },
      returns: InvoicePaymentRefresh,
      status: 200,
      errors: ["not_found"],
      prepare: (ctx) =>
        publicly(async () => {
          const body = { invoice_id: await invoiceOfLink(ctx.params.token) };
          return ctx.call<Static<typeof InvoicePaymentRefresh>, object>("invoicing.payment-attempts.refresh", { body });
        }),
      handler: () => prepared<Static<typeof InvoicePaymentRefresh>>(),
    }),
  },
});
