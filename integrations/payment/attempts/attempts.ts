import { setTimeout as sleep } from "node:timers/promises";
import { columns } from "../../../core/database/model.ts";
import { enqueue, query, queryOne, queryOutside } from "../../../core/database/query.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { type ApiError, notFound, refusal } from "../../../core/errors/errors.ts";
import { organisationAddress } from "../../../core/organisation/organisation-address.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { formatIn } from "../../../core/values/currencies.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { isPayable } from "../../../mixins/payments/payable.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import { type AskedAccount, chosenAccount } from "../accounts/account-choice.ts";
import { callbackUrl } from "../callbacks/callback-token.ts";
import { inOrganisation } from "../in-organisation.ts";
import { isFinal } from "../judgement.ts";
import { PaymentAccount, type PaymentAccountRow, PaymentIntent } from "../models.ts";
import { PaymentFailure, type PaymentOrder, type ProviderPayment } from "../provider.ts";
import { findPaymentProvider } from "../providers.ts";

/** Seconds; longer than a provider takes to answer. By then the caller has stored the answer or its node is down. */
const UNDER_WAY = 30;
/** Milliseconds between two checks of an attempt that another caller is making. */
const LOOK = 100;

const INVOICE = statement(`select id, kind, status, outstanding, currency, locale, number from invoices
  where organisation_id = $1 and id = $2 for update`);
const ACCOUNTS = statement(
  `select ${columns(PaymentAccount)} from payment_accounts where organisation_id = $1 order by label, id`,
);
const SAME = statement(`select id, external_id is not null as made, payload,
    last_error is null and updated_at > now() - interval '${UNDER_WAY} seconds' as under_way
  from payment_intents
  where organisation_id = $1 and invoice_id = $2 and account_id = $3 and amount = $4 and mode = $5
    and status in ('open', 'pending') and (external_id is null or checkout_url is not null)
  order by external_id nulls last limit 1`);
const TAKE_OVER = statement(
  `update payment_intents set last_error = null, updated_at = now() where organisation_id = $1 and id = $2`,
);
const IS_UNDER_WAY = statement(`select 1 from payment_intents
  where organisation_id = $1 and id = $2 and external_id is null and last_error is null
    and updated_at > now() - interval '${UNDER_WAY} seconds'`);
const MADE =
  statement(`update payment_intents set external_id = $3, status = $4, mode = $5, method = $6, checkout_url = $7, payload = $8,
    last_error = null, version = version + 1, updated_at = now()
  where organisation_id = $1 and id = $2 and external_id is null returning 1`);

/** An invoice, as far as a payment depends on it. */
interface Payable {
  id: string;
  kind: string;
  status: string;
  outstanding: string;
  currency: string;
  locale: string;
  number: string | null;
}

/** The parts of an order that a repeat must not change, stored with the attempt until the provider answers. */
type OrderTexts = Pick<PaymentOrder, "description" | "locale" | "returnUrl" | "metadata">;

/** An attempt to create at the provider. */
interface Reserved {
  id: string;
  invoice: Payable;
  account: PaymentAccountRow;
  kept: OrderTexts;
}

type Step = { made: string } | { underWay: string } | { reserved: Reserved };

/** The path the payer returns to, below the organisation's address. */
export type ReturnPath = `/invoice/${string}` | `/invoices/${string}`;

/** @throws 409 payment_not_payable unless an amount is due on it */
function requirePayable(invoice: Payable): void {
  if (!isPayable(invoice)) throw refusal("payment_not_payable");
}

/**
 * Under the lock of the invoice: returns the attempt that is payable already, the one another caller is making, or a new one. A new one is
 * stored before the request to the provider, so that a retry or a second caller repeats the same order under the same id.
 */
async function reserve(invoiceId: string, asked: AskedAccount, base: string, returnPath: ReturnPath): Promise<Step> {
  const { organisation } = request();
  const invoice = await queryOne<Payable>(INVOICE, [organisation.id, invoiceId]);
  if (!invoice) throw notFound();
  requirePayable(invoice);
  const account = chosenAccount(await query<PaymentAccountRow>(ACCOUNTS, [organisation.id]), asked);
  const { outstanding: amount, currency } = invoice;
  const place = [organisation.id, invoiceId, account.id, amount, account.mode];
  const same = await queryOne<{ id: string; made: boolean; under_way: boolean; payload: unknown }>(SAME, place);
  if (same?.made) return { made: same.id };
  if (same?.under_way) return { underWay: same.id };
  if (same) {
    enqueue(TAKE_OVER, [organisation.id, same.id]);
    return { reserved: { id: same.id, invoice, account, kept: same.payload as OrderTexts } };
  }
  const kept: OrderTexts = {
    description: shortened(`${invoice.number} — ${organisation.name}`, 255),
    locale: invoice.locale,
    returnUrl: `${base}${returnPath}?return=1`,
    metadata: { invoice_id: invoice.id, invoice_number: String(invoice.number) },
  };
  const { provider, mode } = account;
  const id = queueInsert(PaymentIntent, {
    invoice_id: invoice.id,
    account_id: account.id,
    provider,
    amount,
    currency,
    mode,
    payload: { ...kept },
  });
  return { reserved: { id, invoice, account, kept } };
}

/** A provider's failure as an error for the caller (money §0). */
function refusalOf({ kind, retryAfter, ...failure }: PaymentFailure): ApiError {
  const codes = {
    rejected: "payment_credential_rejected",
    failed: "payment_provider_failed",
    unreachable: "payment_provider_unreachable",
  };
  const parts = retryAfter === null ? {} : { details: { retry_after_seconds: retryAfter } };
  return Object.assign(refusal(codes[kind], undefined, parts), { cause: failure });
}

/** Creates a reserved attempt at the provider and stores the payment. @throws 409, 502 without storing anything visible to callers */
async function make({ id, invoice, account, kept }: Reserved, base: string): Promise<void> {
  const { organisation, principal } = request();
  const behalf = { organisation, principal };
  const provider = findPaymentProvider(account.provider);
  const [apiKey, secret] = [unsealed(PaymentAccount, account, "api_key"), unsealed(PaymentAccount, account, "webhook_secret")];
  const giveUp = () => inOrganisation(behalf, "write", async () => queueRemove(PaymentIntent, id));
  if (!provider || apiKey === null || secret === null) {
    await giveUp();
    throw refusal("payment_credential_unreadable");
  }
  const token = { organisationId: organisation.id, accountId: account.id, secret };
  const order: PaymentOrder = {
    ...kept,
    id,
    amount: formatIn(invoice.outstanding, invoice.currency),
    currency: invoice.currency,
    callbackUrl: callbackUrl(base, account.provider, token),
    metadata: { ...kept.metadata, intent_id: id },
  };
  let payment: ProviderPayment;
  try {
    payment = await provider.create({ account: account.id, apiKey }, order);
  } catch (error) {
    if (!(error instanceof PaymentFailure)) throw error;
    // An order that the provider may have created keeps its id for the next try; any other is deleted.
    if (error.isUnknown)
      await inOrganisation(behalf, "write", async () => queueUpdate(PaymentIntent, id, { last_error: error.message }));
    else await giveUp();
    throw refusalOf(error);
  }
  await inOrganisation(behalf, "write", () => keep(id, invoice, account, payment));
}

async function keep(id: string, invoice: Payable, account: PaymentAccountRow, payment: ProviderPayment): Promise<void> {
  const { mode, status, method } = payment;
  const link = isFinal(status) ? null : payment.checkoutUrl;
  const values = [payment.id, status, mode ?? account.mode, method, link, JSON.stringify(payment.extract)];
  const isFirst = await queryOne(MADE, [request().organisation.id, id, ...values]);
  if (!isFirst) return;
  trail("invoice", invoice.id, "payment_intent_started", {
    provider: account.provider,
    amount: invoice.outstanding,
    currency: invoice.currency,
    mode: mode ?? account.mode,
  });
}

/**
 * The attempt to pay an invoice with: the one that is payable already, else a new one at the provider (money §11, "Create attempt"). No
 * transaction is open during the provider's call; concurrent callers get the same attempt.
 * @param returnPath the page the payer returns to
 * @returns its id
 * @throws 404, 409, 502
 */
export async function startAttempt(invoiceId: string, asked: AskedAccount, returnPath: ReturnPath): Promise<string> {
  const base = await organisationAddress();
  for (;;) {
    const step = await inOwnTransaction(() => reserve(invoiceId, asked, base, returnPath));
    if ("made" in step) return step.made;
    if ("reserved" in step) {
      await make(step.reserved, base);
      return step.reserved.id;
    }
    do await sleep(LOOK);
    while (await queryOutside(IS_UNDER_WAY, [request().organisation.id, step.underWay]));
  }
}
