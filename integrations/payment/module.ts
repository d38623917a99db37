import { defineModule } from "../../core/declare/module.ts";

declare module "../../core/declare/hooks.ts" {
  interface HookPayloads {
    /** Received money of an attempt, to book on its invoice. `amount` in the attempt's currency; `paid_on` in the organisation's zone. */
    "payment.arrived": { invoice_id: string; intent_id: string; amount: string; paid_on: string };
  }
}

/** Accounts at payment providers and attempts to pay invoices there (money §11). Its permissions are those of invoicing. */
export default defineModule({
  key: "payment",
  kind: "core",
  errors: {
    409: [
      "payment_account_ambiguous errors.invoicing.payment_account_ambiguous",
      "payment_account_inactive errors.invoicing.payment_account_inactive",
      "payment_credential_rejected errors.invoicing.payment_credential_rejected",
      "payment_credential_unreadable errors.invoicing.payment_credential_unreadable",
      "payment_no_account errors.invoicing.payment_no_account",
      "payment_not_payable errors.invoicing.payment_not_payable",
    ],
    502: [
      "payment_provider_failed errors.invoicing.payment_provider_failed",
      "payment_provider_unreachable errors.invoicing.payment_provider_unreachable",
    ],
  },
  errorTexts: {
    "payment_account_ambiguous errors.invoicing.payment_account_ambiguous": [
      "The request names no payment account, several are active, and not exactly one of them is live.",
      "Send `account_id`.",
    ],
    "payment_account_inactive errors.invoicing.payment_account_inactive": [
      "The payment account in `account_id` is inactive.",
      "Activate the account, or send another one.",
    ],
    "payment_credential_rejected errors.invoicing.payment_credential_rejected": [
      "The payment provider rejected the API key of the payment account.",
      "Enter a valid API key in the settings of the payment account.",
    ],
    "payment_credential_unreadable errors.invoicing.payment_credential_unreadable": [
      "The service cannot decrypt the API key of the payment account, for instance after a change of its encryption key, or has no adapter for the account's provider.",
      "Enter the API key of the payment account again.",
    ],
    "payment_no_account errors.invoicing.payment_no_account": [
      "The organisation has no active payment account, or none of the requested provider.",
      "Add or activate a payment account.",
    ],
    "payment_not_payable errors.invoicing.payment_not_payable": [
      "The document is not an open invoice with an amount due: it is a draft, a credit note, paid, credited or cancelled.",
      "Read the invoice again; issue a draft first.",
    ],
    "payment_provider_failed errors.invoicing.payment_provider_failed": [
      "The payment provider refused the payment, limited the calls, or returned no address of a checkout.",
      "Wait for `details.retry_after_seconds` if it is present, then repeat the call. If it keeps failing, check the account at the provider.",
    ],
    "payment_provider_unreachable errors.invoicing.payment_provider_unreachable": [
      "The payment provider did not respond, or the service has paused its calls after repeated failures.",
      "Repeat the call later; it continues the same payment.",
    ],
  },
  hookPoints: ["payment.arrived"],
  demo: { position: 41, load: async () => (await import("./demo/demo-payment.ts")).fillPayment },
  records: {
    payment_account: {
      copied: { list: "invoicing.payment-accounts.list", table: "payment_accounts", permission: "invoicing.payment.link:any" },
    },
  },
  tables: ["payment_accounts", "payment_intents"],
  shows: {
    payment_accounts: ["active"],
    payment_intents: [
      "id",
      "invoice_id",
      "account_id",
      "external_id",
      "provider",
      "mode",
      "status",
      "amount",
      "currency",
      "method",
      "checkout_url",
      "last_error",
      "settled_at",
      "synced_at",
      "created_at",
    ],
  },
  parameters: {
    ":intent_id": "The payment that a payer began online",
    ":provider": "Payment provider that calls",
  },
});
