import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { prepared } from "../../../core/request/context.ts";
import { field, list, type Static, uuid } from "../../../core/schema/schema.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { PaymentAccount, type PaymentAccountRow } from "../models.ts";
import { PaymentFailure } from "../provider.ts";
import { findPaymentProvider } from "../providers.ts";
import { accountDetail, keyedBy, storedAccount, unverified } from "./account-rows.ts";
import {
  InvoicePaymentAccountCreate,
  InvoicePaymentAccountDetail,
  InvoicePaymentAccountRead,
  InvoicePaymentAccountUpdate,
  InvoicePaymentAccountVerified,
} from "./account-schemas.ts";

const shown = projection({ model: PaymentAccount, schema: InvoicePaymentAccountRead });
const accounts = rowsOf({
  model: PaymentAccount,
  projection: shown,
  whole: { order: "t.provider, t.label collate kantoor_text, t.id" },
});

const path = { account_id: field(uuid(), "The account at a payment provider") };

/** The result of testing an account's key, and the tested key. */
interface Tried {
  sealedKey: string;
  verified: Static<typeof InvoicePaymentAccountVerified>;
}

/** Asks the provider whether an account's key works. */
async function tryKey(account: PaymentAccountRow): Promise<Static<typeof InvoicePaymentAccountVerified>> {
  const { id, mode } = account;
  const apiKey = unsealed(PaymentAccount, account, "api_key");
  const provider = findPaymentProvider(account.provider);
  if (apiKey === null || !provider)
    return { ok: false, mode, methods: [], error: "errors.invoicing.payment_credential_unreadable" };
  try {
    return { ok: true, mode, methods: await provider.verify({ account: id, apiKey }), error: null };
  } catch (error) {
    if (!(error instanceof PaymentFailure)) throw error;
    return { ok: false, mode, methods: [], error: error.message };
  }
}

/** The accounts of an organisation at payment providers (money §11). */
export default resource("invoicing.payment-accounts", {
  model: PaymentAccount,
  actions: {
    list: action({
      rest: "GET /invoicing/payment-accounts",
      summary: "List the accounts for online payments",
      description: "Sorted by provider and label, inactive ones included.",
      permission: "invoicing.payment.link:any",
      query: sinceQuery,
      returns: list(InvoicePaymentAccountRead),
      handler: ({ params: { updated_since } }) => accounts.all({ updated_since }),
    }),

    create: action({
      rest: "POST /invoicing/payment-accounts",
      summary: "Add an account at a payment provider",
      description:
        "The key is stored encrypted, and no answer contains it; whether payments are real follows from how it begins.",
      permission: "invoicing.settings.manage",
      body: InvoicePaymentAccountCreate,
      example: { provider: "mollie", label: "Webshop", api_key: "test_4fUpFxqzGN2WsH8vKjBr6TdYcMeA3n", active: true },
      returns: InvoicePaymentAccountDetail,
      oneTime: true,
      errors: ["conflict"],
      async handler(ctx) {
        const { provider = "mollie", label, api_key, active } = ctx.params.body;
        const keyed = keyedBy(provider, api_key);
        if (!keyed) throw invalid({ api_key: "errors.required" });
        return accountDetail(queueInsert(PaymentAccount, { provider, label, ...(active !== undefined && { active }), ...keyed }));
      },
    }),

    update: action({
      rest: "PATCH /invoicing/payment-accounts/:account_id",
      summary: "Change an account, or replace its key",
      path,
      description:
        "Without a key the stored one stays. With a new key the callback address changes and the old one stops working at once.",
      permission: "invoicing.settings.manage",
      body: InvoicePaymentAccountUpdate,
      example: { label: "Webshop en facturen", active: true },
      returns: InvoicePaymentAccountDetail,
      errors: ["conflict"],
      async handler(ctx) {
        const id = ctx.params.account_id;
        const before = await accounts.forWrite(id);
        const { api_key, ...sent } = ctx.params.body;
        const keyed = keyedBy(before.provider, api_key);
        const changed = { ...differences(before, sent), ...keyed, ...(keyed && (await unverified(id))) };
        if (Object.keys(changed).length > 0) queueUpdate(PaymentAccount, id, changed);
        return accountDetail(id);
      },
    }),

    remove: action({
      rest: "DELETE /invoicing/payment-accounts/:account_id",
      summary: "Remove an account; its payments stay",
      path,
      description: "Changes nothing at the provider.",
      permission: "invoicing.settings.manage",
      async handler(ctx) {
        const id = ctx.params.account_id;
        await accounts.forWrite(id);
        queueRemove(PaymentAccount, id);
      },
    }),

    verify: action({
      rest: "POST /invoicing/payment-accounts/:account_id/verify",
      summary: "Ask the provider whether the key works",
      path,
      permission: "invoicing.settings.manage",
      returns: InvoicePaymentAccountVerified,
      status: 200,
      async prepare(ctx): Promise<Tried> {
        const account = await storedAccount(ctx.params.account_id);
        return { sealedKey: account.api_key, verified: await tryKey(account) };
      },
      async handler(ctx) {
        const id = ctx.params.account_id;
        const { sealedKey, verified } = prepared<Tried>();
        const { ok, methods, error } = verified;
        const { api_key } = await accounts.forWrite(id);
        // If the key was replaced meanwhile, the result does not apply to the new one.
        if (api_key !== sealedKey) return verified;
        if (ok)
          queueUpdate(PaymentAccount, id, {
            status: "active",
            methods,
            last_verified_at: new Date().toISOString(),
            last_error: null,
          });
        else queueUpdate(PaymentAccount, id, { status: "error", last_error: error });
        return verified;
      },
    }),
  },
});
