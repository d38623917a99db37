import { columns } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { givenSecret, unsealed } from "../../../core/database/sealed.ts";
import { invalid, notFound } from "../../../core/errors/errors.ts";
import { organisationAddress } from "../../../core/organisation/organisation-address.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { callbackUrl, newCallbackSecret } from "../callbacks/callback-token.ts";
import { PaymentAccount, type PaymentAccountRow, type PaymentMode } from "../models.ts";
import { findPaymentProvider } from "../providers.ts";
import type { InvoicePaymentAccountDetail } from "./account-schemas.ts";

const ACCOUNT = statement(`select ${columns(PaymentAccount)} from payment_accounts where organisation_id = $1 and id = $2`);
// Deletes orders without a recorded answer: they contain the old key's callback address.
const FORGET = statement(`delete from payment_intents
  where organisation_id = $1 and account_id = $2 and external_id is null and last_error is not null`);

/** The stored account. @throws 404 */
export async function storedAccount(id: string): Promise<PaymentAccountRow> {
  const found = await queryOne<PaymentAccountRow>(ACCOUNT, [request().organisation.id, id]);
  if (!found) throw notFound();
  return found;
}

/** Values that a key determines. */
interface Keyed {
  api_key: string;
  mode: PaymentMode;
  webhook_secret: string;
}

/**
 * The account values that a sent key determines: its mode and a new callback address. Undefined without a key.
 * @throws 422 on `provider` for an unknown one, on `api_key` for a key that the provider does not recognise
 */
export function keyedBy(providerKey: string, sent: string | null | undefined): Keyed | undefined {
  const provider = findPaymentProvider(providerKey);
  if (!provider) throw invalid({ provider: "errors.validation" });
  const apiKey = givenSecret(sent?.trim());
  if (apiKey === undefined) return undefined;
  const mode = provider.modeOf(apiKey);
  if (mode === null) throw invalid({ api_key: "errors.validation" });
  return { api_key: apiKey, mode, webhook_secret: newCallbackSecret() };
}

/** The other effects of a new key: the account counts as unverified, and orders without a recorded answer are not repeated. */
export async function unverified(accountId: string) {
  await query(FORGET, [request().organisation.id, accountId]);
  return { status: "active" as const, methods: [], last_verified_at: null, last_error: null };
}

/** The account as shown to a manager of the settings. */
export async function accountDetail(id: string): Promise<JsonText> {
  const account = await storedAccount(id);
  const { provider, label, mode, active, methods, status, last_verified_at, last_error, version, organisation_id } = account;
  const secret = unsealed(PaymentAccount, account, "webhook_secret");
  const token = secret === null ? null : { organisationId: organisation_id, accountId: id, secret };
  const detail: Static<typeof InvoicePaymentAccountDetail> = {
    id,
    provider,
    label,
    mode,
    active,
    api_key_configured: unsealed(PaymentAccount, account, "api_key") !== null,
    methods,
    status,
    last_verified_at,
    last_error,
    webhook_url: token && callbackUrl(await organisationAddress(), provider, token),
  };
  return new JsonText(JSON.stringify(detail), version);
}
