import { enqueue, query } from "../../../core/database/query.ts";
import type { Hook } from "../../../core/declare/hooks.ts";
import { conflict } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { reportChange } from "../../../core/trail/record-changes.ts";
import { releaseClaims } from "./claims/claims.ts";

/** Locks credit notes before their sources, like every other lock of two invoices; waits for a running issue. */
const INVOICES = statement(`select i.id, i.status, exists (select 1 from invoice_payments p
    where p.organisation_id = i.organisation_id and p.invoice_id = i.id) as has_payments
  from invoices i where i.organisation_id = $1 and i.company_id = $2 order by i.credit_for_id is null, i.id for update of i`);
const DROP_INVOICES = statement("delete from invoices where organisation_id = $1 and company_id = $2");
const DROP_QUOTES = statement("delete from quotes where organisation_id = $1 and company_id = $2 returning id");

/**
 * Runs before a company is deleted: rejects one with an issued invoice or a payment; otherwise deletes its draft invoices and quotes and
 * releases what the drafts billed.
 * @throws 409 `errors.companies.has_issued_invoices`
 */
export const requireDeletable: Hook<"company.deleting"> = async ({ company_id }) => {
  const place = [request().organisation.id, company_id];
  const invoices = await query<{ id: string; status: string; has_payments: boolean }>(INVOICES, place);
  if (invoices.some(({ status, has_payments }) => status !== "draft" || has_payments))
    throw conflict("errors.companies.has_issued_invoices");
  await releaseClaims(invoices.map(({ id }) => id));
  enqueue(DROP_INVOICES, place);
  const quotes = await query<{ id: string }>(DROP_QUOTES, place);
  reportChange(
    "invoice",
    invoices.map(({ id }) => id),
    "deleted",
  );
  reportChange(
    "quote",
    quotes.map(({ id }) => id),
    "deleted",
  );
};
