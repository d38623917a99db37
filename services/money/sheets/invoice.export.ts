import { query } from "../../../core/database/query.ts";
import type { Values } from "../../../core/database/write.ts";
import type { ExportEntity } from "../../../core/impex/entity.ts";
import { exportedIds } from "../../../core/impex/exported-ids.ts";
import type { Field } from "../../../core/impex/field.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { flag, optional, text, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { invoiceListing } from "../documents/invoices/invoice.list.ts";

/** The columns of an invoice spreadsheet: documents without their lines. */
const COLUMNS: readonly Field[] = [
  ...(["id"] as const).map((key): Field => ({ key, kind: "id" })),
  ...(["number", "kind", "status", "client_number", "company"] as const).map((key): Field => ({ key, kind: "text" })),
  ...(["issue_date", "due_date", "delivery_date"] as const).map((key): Field => ({ key, kind: "date" })),
  ...(["reference", "currency"] as const).map((key): Field => ({ key, kind: "text" })),
  ...(
    ["exchange_rate", "subtotal", "tax_total", "total", "paid_total", "credited_total", "applied_total", "outstanding"] as const
  ).map((key): Field => ({ key, kind: "number" })),
  ...(["paid_at", "sent_at"] as const).map((key): Field => ({ key, kind: "datetime" })),
];

/** Uses the document's bill-to name; a draft without one uses the client's name. */
const ROWS = statement(`select t.id, t.number, t.kind, t.status, t.customer ->> 'client_number' as client_number,
    coalesce(t.customer ->> 'name', c.name) as company, t.issue_date, t.due_date, t.delivery_date, t.reference, t.currency,
    t.exchange_rate, t.subtotal, t.tax_total, t.total, t.paid_total, t.credited_total, t.applied_total, t.outstanding, t.paid_at, t.sent_at
  from unnest($2::uuid[]) with ordinality w(id, n) join invoices t on t.organisation_id = $1 and t.id = w.id
  left join companies c on c.organisation_id = t.organisation_id and c.id = t.company_id order by w.n`);
const ids = exportedIds(invoiceListing.spec, 't.number collate "C" nulls last, t.created_at, t.id');

/** Invoices and credit notes of the caller's list; export only, because issuing has its own rules. */
export const invoiceSheet: ExportEntity = {
  name: "invoice",
  plural: "invoices",
  read: "invoicing.invoice.read",
  fields: COLUMNS,
  filters: {
    status: optional(text(50)),
    kind: optional(text(50)),
    company_id: optional(uuid()),
    overdue: optional(flag(false)),
  },
  ids({ q, updated_since, status, kind, company_id, overdue }) {
    const { principal } = request();
    // Hides drafts from client logins.
    const issued = principal?.isClientLogin ? true : undefined;
    return ids({
      q: q as string | undefined,
      updated_since: updated_since as string | undefined,
      filters: { status, kind, company_id, due_before: overdue ? organisationToday() : undefined, issued },
    });
  },
  rows: (wanted) => query<Values>(ROWS, [request().organisation.id, wanted]),
};
