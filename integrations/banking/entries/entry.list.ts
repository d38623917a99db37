import { listing } from "../../../core/database/lists/list.ts";
import type { ListingSpec } from "../../../core/database/lists/listing-spec.ts";
import { namedRecord } from "../../../core/database/named-record.ts";
import { projection } from "../../../core/database/projection.ts";
import { namedClient } from "../../../mixins/named/named-clients.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { BankEntry } from "../models.ts";
import { BankEntryRead } from "./entry-schemas.ts";

/** Callers see every client (`everyClient`), so that the numbers of all invoices are theirs to see. */
const ALLOCATIONS = `(select coalesce(json_agg(json_build_object('id', a.id, 'invoice_id', a.invoice_id, 'invoice_number', i.number,
    'payment_id', a.payment_id, 'amount', a.amount::text, 'invoice_amount', a.invoice_amount::text) order by a.created_at, a.id), '[]')
  from bank_allocations a join invoices i on i.organisation_id = a.organisation_id and i.id = a.invoice_id
  where a.organisation_id = t.organisation_id and a.entry_id = t.id)`;

const shown = projection({
  model: BankEntry,
  schema: BankEntryRead,
  columns: { allocations: ALLOCATIONS, company_name: "client.name" },
  joins: (sources) => namedRecord("client", namedClient, "t.company_id", sources),
  keepsOrder: true,
});

/** The sorts and filters of the list. People look for entries by day: other orders sort what a filter or a search has found. */
export const entrySpec: ListingSpec = {
  table: "bank_entries",
  searchable: true,
  order: "-booked_on",
  sorts: {
    booked_on: { by: "t.booked_on" },
    amount: { by: "t.amount", unindexed: true },
    counter_name: { by: "t.counter_name", text: true, mayBeEmpty: true, unindexed: true },
    created_at: { by: "t.created_at", unindexed: true },
  },
  filters: {
    state: { type: "text", when: (slot) => `t.state = ${slot}` },
    company_id: { type: "uuid", when: (slot) => `t.company_id = ${slot}` },
    statement_id: { type: "uuid", when: (slot) => `t.statement_id = ${slot}` },
    account: { type: "text", when: (slot) => `t.account = ${slot}` },
    from: { type: "date", when: (slot) => `t.booked_on >= ${slot}` },
    to: { type: "date", when: (slot) => `t.booked_on <= ${slot}` },
  },
};

export const entryListing = listing(entrySpec, shown);

export const entries = rowsOf({ model: BankEntry, projection: shown, listing: entryListing, narrowed: true });
