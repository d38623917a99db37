import { clearSome } from "../../../core/clearing/clear.ts";
import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { notFound } from "../../../core/errors/errors.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { list } from "../../../core/schema/schema.ts";
import { oldRows } from "../../../core/sql/old-rows.ts";
import { statement } from "../../../core/sql/statement.ts";
import { InvoicePaymentIntentRead, InvoicePaymentRefresh } from "../../../mixins/payments/intent-schemas.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { asSystem } from "../in-organisation.ts";
import { PaymentIntent } from "../models.ts";
import { refetch } from "../refetch.ts";
import { unsettledAttempts } from "./attempts.due.ts";
import { startAttempt } from "./attempts.ts";
import { InvoicePaymentIntentCreate } from "./intent-create.ts";
import { refreshAttempts, refreshed } from "./refreshing.ts";
import { requireVisible } from "./visible-invoice.ts";

const shown = projection({ model: PaymentIntent, schema: InvoicePaymentIntentRead });
const intents = rowsOf({
  model: PaymentIntent,
  projection: shown,
  whole: { order: "t.created_at desc, t.id desc", of: { invoice_id: "uuid" }, where: "t.external_id is not null" },
});

const OF_INVOICE = statement(`select 1 from payment_intents
  where organisation_id = $1 and invoice_id = $2 and id = $3 and external_id is not null`);
// Skips paid test payments: they are never booked, so they need no sync.
const UNSETTLED = statement(`select id from payment_intents
  where organisation_id = $1 and settled_at is null and status not in ('failed', 'expired', 'canceled') and external_id is not null
    and not (mode = 'test' and status = 'paid') and created_at > now() - interval '7 days'
  order by created_at, id limit 100`);

// A provider recognises the id of an unanswered order for an hour.
const ABANDONED = oldRows({ table: "payment_intents", age: "r.updated_at", kept: "1 day", also: "r.external_id is null" });

/** Asks the provider about each attempt that can still be paid, one after the other; failed calls are retried the next hour. */
async function resync(run: OrganisationRun): Promise<void> {
  const { organisation, signal } = run;
  await run.write(async () => clearSome(ABANDONED));
  const unsettled = await run.read(() => query<{ id: string }>(UNSETTLED, [organisation.id]));
  for (const { id } of unsettled) {
    if (signal.aborted) return;
    await refetch(asSystem(organisation), id).catch((error: Error) =>
      run.logger.warn({ event: "money.payment_not_checked", error: error.message, intent: id }, "a payment could not be checked"),
    );
  }
}

/** Attempts to pay an invoice online (money §11). */
export default resource("invoicing.payment-intents", {
  model: PaymentIntent,
  actions: {
    list: action({
      rest: "GET /invoicing/invoices/:invoice_id/payment-intents",
      summary: "List the attempts to pay an invoice online",
      description: "Newest first.",
      permission: "invoicing.invoice.read",
      query: sinceQuery,
      returns: list(InvoicePaymentIntentRead),
      async handler(ctx) {
        const { invoice_id, updated_since } = ctx.params;
        await requireVisible(invoice_id);
        return intents.all({ invoice_id, updated_since });
      },
    }),

    create: action({
      rest: "POST /invoicing/invoices/:invoice_id/payment-intents",
      summary: "Have an invoice paid online",
      description:
        "Charges the amount due now. Returns an open attempt of the same account and amount again; of several accounts it uses the only live one.",
      permission: "invoicing.payment.link",
      body: InvoicePaymentIntentCreate,
      example: { account_id: "7770d57c-0c1e-4a5b-8d2f-7770d57c0001" },
      returns: InvoicePaymentIntentRead,
      status: 200,
      errors: [
        "not_found",
        "payment_not_payable",
        "payment_no_account",
        "payment_account_ambiguous",
        "payment_account_inactive",
        "payment_credential_rejected",
        "payment_credential_unreadable",
        "payment_provider_failed",
        "payment_provider_unreachable",
      ],
      acts: "outside",
      async prepare(ctx) {
        const { invoice_id, body } = ctx.params;
        await requireVisible(invoice_id);
        return startAttempt(invoice_id, body, `/invoices/${invoice_id}`);
      },
      handler: () => intents.one(prepared<string>()),
    }),

    refresh: action({
      rest: "POST /invoicing/invoices/:invoice_id/payment-intents/refresh",
      summary: "Check pending payments at the provider",
      description: "Each at most once in five seconds, for all callers together.",
      permission: "invoicing.payment.link",
      licenceExempt: "money that has moved is always recorded (money §0)",
      returns: InvoicePaymentRefresh,
      status: 200,
      async prepare(ctx) {
        await requireVisible(ctx.params.invoice_id);
        return refreshAttempts(ctx.params.invoice_id);
      },
      handler: (ctx) => refreshed(ctx.params.invoice_id, prepared<boolean>()),
    }),

    sync: action({
      rest: "POST /invoicing/invoices/:invoice_id/payment-intents/:intent_id/sync",
      summary: "Check one attempt at the provider at once",
      permission: "invoicing.payment.link:any",
      returns: InvoicePaymentIntentRead,
      status: 200,
      async prepare(ctx) {
        const { invoice_id, intent_id } = ctx.params;
        await requireVisible(invoice_id);
        const { organisation, principal } = request();
        if (!(await queryOne(OF_INVOICE, [organisation.id, invoice_id, intent_id]))) throw notFound();
        return refetch({ organisation, principal }, intent_id);
      },
      handler: (ctx) => intents.one(ctx.params.intent_id),
    }),
  },
  jobs: {
    "invoicing.payments": {
      about: "Checks unsettled payments at their providers",
      schedule: "25 * * * *",
      due: unsettledAttempts,
      spread: 25,
      licenceExempt: "money that has moved is always recorded (money §0)",
      concurrency: 2,
      timeout: 600_000,
      retry: { attempts: 1 },
      handler: resync,
    },
  },
});
