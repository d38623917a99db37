import { firstByReference } from "../../../../core/database/lists/first.ts";
import { listing } from "../../../../core/database/lists/list.ts";
import type { ListingSpec } from "../../../../core/database/lists/listing-spec.ts";
import { namedForOrder } from "../../../../core/database/named-record.ts";
import { type Projection, projection } from "../../../../core/database/projection.ts";
import { namedClient } from "../../../../mixins/named/named-clients.ts";
import { documentColumns, documentsInSelection, sourceNumber } from "../document-columns.ts";
import { Invoice } from "../models.ts";
import { COLLECTABLE, DISCOUNTED } from "./collectable.ts";
import { InvoiceRead } from "./invoice-schemas.ts";
import { NO_READINESS, READINESS } from "./readiness.ts";

/** The balance columns; `organisation_today()` runs once per answer (money §2 "Derived"). */
const DERIVED = {
  credited: "t.credited_total <> 0",
  fully_credited: "t.total > 0 and t.credited_total >= t.total",
  discounted: DISCOUNTED,
  overdue: "t.status = 'open' and t.outstanding > 0 and coalesce(t.due_date < (select organisation_today()), false)",
};

/** Fields that only single documents fill (money §2 "List"). */
const NOT_LISTED = {
  credit_for_number: "",
  credit_notes: [],
  payments: [],
  intents: [],
  online_payment: false,
  public_url: "",
  ...NO_READINESS,
};

/** An invoice as a list answers it, with or without lines. */
export const listedInvoice = (whole: boolean): Projection => {
  const { columns, fixed, joins } = documentColumns("invoice", whole);
  return projection({
    ...{ model: Invoice, schema: InvoiceRead, joins },
    columns: { ...columns, ...DERIVED },
    fixed: { ...fixed, ...NOT_LISTED },
  });
};

const PAYMENTS = `(select coalesce(json_agg(json_build_object('id', p.id, 'paid_on', p.paid_on, 'amount', p.amount::text, 'method', p.method,
    'note', p.note, 'discount_note_id', p.discount_note_id, 'created_at', p.created_at) order by p.paid_on, p.created_at, p.id), '[]')
  from invoice_payments p where p.organisation_id = t.organisation_id and p.invoice_id = t.id)`;
const INTENTS = `(select coalesce(json_agg(json_build_object('id', i.id, 'invoice_id', i.invoice_id, 'account_id', i.account_id,
    'provider', i.provider, 'mode', i.mode, 'status', i.status, 'amount', i.amount::text, 'currency', i.currency, 'method', i.method,
    'checkout_url', i.checkout_url, 'last_error', i.last_error, 'settled_at', i.settled_at, 'synced_at', i.synced_at,
    'created_at', i.created_at) order by i.created_at desc, i.id desc), '[]')
  from payment_intents i where i.organisation_id = t.organisation_id and i.invoice_id = t.id and i.external_id is not null)`;
const NOTES = (
  hidden: string,
  sources: string,
) => `(select coalesce(json_agg(json_build_object('id', n.id, 'number', n.number, 'status', n.status,
    'total', n.total::text, 'applied_total', n.applied_total::text) order by n.created_at, n.id), '[]')
  from invoices n where n.organisation_id = t.organisation_id and n.credit_for_id = t.id and n.status not in (${hidden})
    and (${sources} is null or n.company_id in (select selected_companies(${sources}))))`;

/**
 * One complete document. Client logins see no public address, which staff hand out, and no draft credit notes.
 * @param publicUrl the SQL of its public address
 */
export const wholeInvoice = (clients: boolean, publicUrl: string): Projection => {
  const { columns, joins } = documentColumns("invoice", true);
  const hidden = clients ? "'draft', 'cancelled'" : "'cancelled'";
  return projection({
    model: Invoice,
    schema: InvoiceRead,
    columns: {
      ...columns,
      ...DERIVED,
      credit_for_number: "coalesce(related.source_number, '')",
      credit_notes: "related.notes",
      payments: PAYMENTS,
      intents: INTENTS,
      online_payment: COLLECTABLE,
      public_url: clients ? "''" : publicUrl,
      ...READINESS,
    },
    joins: (sources) => `${joins}
      cross join lateral (select ${sourceNumber(sources)} as source_number, ${NOTES(hidden, sources)} as notes) related`,
  });
};

/** Invoices on alias `t` that a client login sees: issued ones of its own clients (money §0 "Who"). */
export const invoicesOfClient = (slot: string): string => `(t.status <> 'draft' and ${documentsInSelection(slot)})`;
/** Invoices on alias `t` that a restricted member or key sees. */
export const invoicesOfStaff = documentsInSelection;

/** The sorts and filters of the list, with or without lines. */
export const invoiceSpec: ListingSpec = {
  table: "invoices",
  searchable: true,
  order: "-created_at",
  sorts: {
    number: { by: "t.number", text: true, mayBeEmpty: true },
    status: { by: "t.status", text: true },
    issue_date: { by: "t.issue_date", mayBeEmpty: true },
    due_date: { by: "t.due_date", mayBeEmpty: true },
    total: { by: "t.total" },
    outstanding: { by: "t.outstanding" },
    company: {
      by: "rc.name",
      text: true,
      mayBeEmpty: true,
      join: (sources) => namedForOrder("rc", namedClient, "t.company_id", sources),
      first: firstByReference({
        table: "invoices",
        parent: "companies",
        column: "company_id",
        by: ["c.name collate kantoor_text"],
        ties: "t.created_at desc, t.id",
      }),
    },
    created_at: { by: "t.created_at" },
  },
  filters: {
    status: { type: "text", when: (slot) => `t.status = ${slot}` },
    company_id: { type: "uuid", when: (slot) => `t.company_id = ${slot}` },
    kind: { type: "text", when: (slot) => `t.kind = ${slot}` },
    // Open and due before the given day, whatever the amount due (money §2 "List").
    due_before: { type: "date", when: (slot) => `(t.status = 'open' and t.due_date < ${slot})` },
    // Hides drafts from client logins.
    issued: { type: "boolean", when: (slot) => `(t.status <> 'draft') = ${slot}` },
  },
  visible: invoicesOfStaff,
  kept: { by: "status" },
};

/** The list of invoices (money §2 "List"). */
export const invoiceListing = listing(invoiceSpec, listedInvoice(true));
