import { columns } from "../../core/database/model.ts";
import { queryOne } from "../../core/database/query.ts";
import { unsealed } from "../../core/database/sealed.ts";
import { lock, queueUpdate } from "../../core/database/write.ts";
import { runHooks } from "../../core/declare/catalogue/catalogue.ts";
import { notFound } from "../../core/errors/errors.ts";
import { organisationZone } from "../../core/request/today.ts";
import { statement } from "../../core/sql/statement.ts";
import { trail } from "../../core/trail/trail.ts";
import { type Behalf, inOrganisation } from "./in-organisation.ts";
import { type JudgedInvoice, type Judgement, judged } from "./judgement.ts";
import { PaymentAccount, type PaymentAccountRow, PaymentIntent, type PaymentIntentRow } from "./models.ts";
import { PaymentFailure, type ProviderPayment } from "./provider.ts";
import { findPaymentProvider } from "./providers.ts";

const ATTEMPT = statement(`select ${columns(PaymentIntent)} from payment_intents
  where organisation_id = $1 and id = $2 and external_id is not null`);
const ACCOUNT = statement(`select ${columns(PaymentAccount)} from payment_accounts where organisation_id = $1 and id = $2`);
const INVOICE = statement("select status from invoices where organisation_id = $1 and id = $2 for update");

const UNKNOWN = "the provider knows no such payment";

interface OutstandingAttempt {
  attempt: PaymentIntentRow;
  account: PaymentAccountRow | undefined;
}

/**
 * The result of asking the provider: `gone` when the attempt does not exist, `not asked` when a limit of this service prevented the call,
 * `no access` without an account or a readable key.
 */
export type Refetched = "asked" | "not asked" | "no access" | "gone";

/** The provider's answer about an attempt, fetched with the account's own key, or the reason there is none. */
async function wordOf({
  attempt,
  account,
}: OutstandingAttempt): Promise<{ result: Refetched } & ({ fetched: ProviderPayment } | { error: string })> {
  const provider = findPaymentProvider(attempt.provider);
  if (!account || !provider) return { result: "no access", error: "the account of this payment is gone" };
  const apiKey = unsealed(PaymentAccount, account, "api_key");
  if (apiKey === null) return { result: "no access", error: "the key of the account cannot be read" };
  try {
    const fetched = await provider.fetch({ account: account.id, apiKey }, attempt.external_id as string);
    return { result: "asked", ...(fetched ? { fetched } : { error: UNKNOWN }) };
  } catch (error) {
    if (!(error instanceof PaymentFailure)) throw error;
    return { result: error.isUnsent ? "not asked" : "asked", error: error.message };
  }
}

/**
 * Asks the provider about one attempt and stores the answer, including received money. Nothing else changes an attempt (money §11,
 * "Re-fetch"), and concurrent calls book it once. If the provider fails, the error is stored on the attempt.
 */
export async function refetch(behalf: Behalf, intentId: string): Promise<Refetched> {
  const organisationId = behalf.organisation.id;
  const asked = await inOrganisation(behalf, "read", async () => {
    const attempt = await queryOne<PaymentIntentRow>(ATTEMPT, [organisationId, intentId]);
    return attempt && { attempt, account: await queryOne<PaymentAccountRow>(ACCOUNT, [organisationId, attempt.account_id]) };
  });
  if (!asked) return "gone";
  const word = await wordOf(asked);
  await inOrganisation(behalf, "write", async () => {
    // Locks the invoice before its attempt, as everywhere: another order could deadlock.
    const invoice = await queryOne<JudgedInvoice>(INVOICE, [organisationId, asked.attempt.invoice_id]);
    if (!invoice) throw notFound();
    const attempt = await lock(PaymentIntent, intentId);
    if (!attempt) return;
    const synced_at = new Date().toISOString();
    if ("error" in word) return queueUpdate(PaymentIntent, intentId, { synced_at, last_error: word.error });
    const { attempt: before } = asked;
    const verdict = judged({
      attempt,
      askedAt: before.version,
      fetched: word.fetched,
      invoice,
      zone: organisationZone(),
      now: synced_at,
    });
    if (verdict) await keep(attempt, verdict, synced_at);
  });
  return word.result;
}

/** Stores the answer; received money is booked in the same transaction, by the owner of the invoice. */
async function keep(attempt: PaymentIntentRow, verdict: Judgement, now: string): Promise<void> {
  const { arrival, ...values } = verdict;
  queueUpdate(PaymentIntent, attempt.id, { ...values, synced_at: now, ...(arrival && { settled_at: now }) });
  if (!arrival) return;
  const { id: intent_id, invoice_id, provider, currency } = attempt;
  trail("invoice", invoice_id, "payment_intent_settled", { provider, amount: arrival.amount, currency, mode: verdict.mode });
  await runHooks("payment.arrived", { invoice_id, intent_id, ...arrival });
}
