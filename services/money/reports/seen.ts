import { request } from "../../../core/request/context.ts";
import { organisationZone } from "../../../core/request/today.ts";

/** Condition for documents on alias `t` of the clients that the caller sees; the selection is null for one who sees all. */
export const seenDocuments = (selection: string): string =>
  `(${selection}::uuid[] is null or t.company_id in (select selected_companies(${selection})))`;

/** The first three parameters of every report: organisation, the caller's selection of clients, and the organisation's zone. */
export const reporter = (): readonly unknown[] => {
  const { organisation, principal } = request();
  return [organisation.id, principal?.selection ?? null, organisationZone()];
};

/**
 * The issued documents `documents` that the caller sees, with the day they were cancelled, as a common table: `$1` to `$3` are those of
 * `reporter`. A cancelled document counts from its date until the day it was cancelled, so that a report of days before stays as it was.
 * @param more further columns of alias `t`
 * @param which a condition on alias `t`
 */
export const issuedDocuments = (more: string, which = "true"): string =>
  `documents as (select t.id, t.company_id, t.kind, t.currency, t.issue_date, t.total, t.exchange_rate, t.credit_for_id,
      case when t.status = 'cancelled' then greatest((t.cancelled_at at time zone $3)::date, t.issue_date) end as cancelled_on,
      t.applied_total + t.withdrawn_total as set_off, t.withdrawn_total as withdrawn, ${more}
    from invoices t where t.organisation_id = $1 and t.status <> 'draft' and ${seenDocuments("$2")} and ${which})`;

/**
 * What settles documents, as common tables over `documents`: payments, and what credit notes were set off against their invoices. A setoff
 * counts on both, on the later of their dates, and is undone on the day that the note is cancelled. `day`, `amount` and the document's `id`.
 * Payments are those of the whole organisation: join them to `documents` from there. No common table is joined to another whose number of rows
 * the planner guesses: it would take them for few and walk one for each row of the other.
 */
export const SETTLEMENTS = `set_offs as (select n.id as note, s.id as source, n.set_off, n.withdrawn,
      greatest(n.issue_date, s.issue_date) as day, greatest(n.cancelled_on, s.issue_date) as until
    from documents n join invoices s on s.organisation_id = $1 and s.id = n.credit_for_id where n.set_off <> 0),
  settlements as (
    select p.invoice_id as id, p.paid_on as day, p.amount from invoice_payments p where p.organisation_id = $1
    union all select source, day, set_off from set_offs
    union all select note, day, -set_off from set_offs
    union all select source, until, -withdrawn from set_offs where withdrawn <> 0
    union all select note, until, withdrawn from set_offs where withdrawn <> 0)`;
