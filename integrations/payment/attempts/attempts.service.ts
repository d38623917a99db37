import { internal } from "../../../core/declare/makers/internal.ts";
import { prepared } from "../../../core/request/context.ts";
import { input, type Static, Type, uuid } from "../../../core/schema/schema.ts";
import type { InvoicePaymentRefresh } from "../../../mixins/payments/intent-schemas.ts";
import { service } from "../../../mixins/resource.ts";
import { type ReturnPath, startAttempt } from "./attempts.ts";
import { refreshAttempts, refreshed } from "./refreshing.ts";

const shared = {
  open: "the action that calls it has found the invoice by its public link, whose token is the credential",
  needs: "nothing",
  writes: true,
} as const;

/** Attempts to pay an invoice that another actor has found, for a payer without a sign-in (money §12). */
export default service("invoicing.payment-attempts", {
  actions: {
    start: internal({
      ...shared,
      summary: "Have an invoice paid online",
      body: input("PaymentAttemptStart", { invoice_id: uuid(), return_path: Type.String() }),
      acts: "outside",
      prepare: ({ params: { body } }) => startAttempt(body.invoice_id, {}, body.return_path as ReturnPath),
      handler: async (): Promise<string> => prepared<string>(),
    }),

    refresh: internal({
      ...shared,
      summary: "Check pending payments of an invoice at the provider",
      body: input("PaymentAttemptRefresh", { invoice_id: uuid() }),
      prepare: ({ params: { body } }) => refreshAttempts(body.invoice_id),
      handler: ({ params: { body } }): Promise<Static<typeof InvoicePaymentRefresh>> =>
        refreshed(body.invoice_id, prepared<boolean>()),
    }),
  },
});
