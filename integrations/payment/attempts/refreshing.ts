import { query, queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { InvoicePaymentRefresh } from "../../../mixins/payments/intent-schemas.ts";
import { inOrganisation } from "../in-organisation.ts";
import { refetch } from "../refetch.ts";

/** Claims attempts not refreshed in the last 5 seconds at a payer's or member's request; callbacks and jobs do not count (money §11). */
const TAKE = statement(`update payment_intents set refreshed_at = now()
  where organisation_id = $1 and invoice_id = $2 and external_id is not null and status in ('open', 'pending', 'authorized')
    and (refreshed_at is null or refreshed_at <= now() - interval '5 seconds')
  returning id, created_at`);
const STATE = statement(`select i.status as invoice_status, n.status, n.settled_at is not null as settled
  from invoices i left join lateral (
    select status, settled_at from payment_intents p
     where p.organisation_id = i.organisation_id and p.invoice_id = i.id and p.external_id is not null
     order by p.created_at desc, p.id desc limit 1) n on true
  where i.organisation_id = $1 and i.id = $2`);

/**
 * Asks the provider about every attempt of an invoice that can still change. Claims each before the call, so that many concurrent callers
 * cause one request.
 * @returns whether the provider was asked about any
 */
export async function refreshAttempts(invoiceId: string): Promise<boolean> {
  const { organisation, principal } = request();
  const behalf = { organisation, principal };
  const due = await inOrganisation(behalf, "write", () =>
    query<{ id: string; created_at: string }>(TAKE, [organisation.id, invoiceId]),
  );
  let isAsked = false;
  for (const { id } of due) if ((await refetch(behalf, id)) === "asked") isAsked = true;
  return isAsked;
}

/** The state of an invoice after a refresh. */
export async function refreshed(invoiceId: string, changed: boolean): Promise<Static<typeof InvoicePaymentRefresh>> {
  type State = Pick<Static<typeof InvoicePaymentRefresh>, "status" | "settled" | "invoice_status">;
  const state = await queryOne<State>(STATE, [request().organisation.id, invoiceId]);
  return {
    changed,
    status: state?.status ?? null,
    settled: state?.settled ?? false,
    invoice_status: state?.invoice_status ?? null,
  };
}
