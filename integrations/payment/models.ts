import { column, type RowOf, tenantModel } from "../../core/database/model.ts";
import { refusal } from "../../core/errors/errors.ts";
import type { PaymentMode, PaymentStatus } from "./provider.ts";

const { boolean, decimal, instant, json, sealed, text, texts, uuid } = column;

export type { PaymentMode };
export type PaymentIntentStatus = PaymentStatus;

/** An account at a payment provider (money §11). */
export const PaymentAccount = tenantModel("payment_accounts", {
  provider: text(),
  label: text(),
  api_key: sealed(),
  webhook_secret: sealed(),
  mode: text<PaymentMode>(),
  active: boolean().withDefault(),
  status: text<"active" | "error">().withDefault(),
  methods: texts().withDefault(),
  last_verified_at: instant().orNull(),
  last_error: text().orNull(),
}).whenViolated({
  payment_accounts_label_key: () => refusal("conflict", "errors.conflict", { fields: { label: "errors.duplicate" } }),
});
export type PaymentAccountRow = RowOf<typeof PaymentAccount>;

/** One attempt to pay an invoice online: `status` comes from the provider, `settled_at` from Kantoor (money §11). */
export const PaymentIntent = tenantModel("payment_intents", {
  invoice_id: uuid(),
  account_id: uuid().orNull(),
  provider: text(),
  external_id: text().orNull(),
  amount: decimal(12, 2),
  currency: text(),
  mode: text<PaymentMode>(),
  status: text<PaymentIntentStatus>().withDefault(),
  method: text().orNull(),
  checkout_url: text().orNull(),
  settled_at: instant().orNull(),
  synced_at: instant().orNull(),
  refreshed_at: instant().orNull(),
  last_error: text().orNull(),
  payload: json().withDefault(),
});
export type PaymentIntentRow = RowOf<typeof PaymentIntent>;
