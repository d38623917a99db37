import type { DefineProofs, Place } from "../../../test/support/fixture/proofs.ts";
import { NO_CUSTOMER } from "./document-schemas.ts";

type Rows = Record<string, string>;

/** A hundred thousand documents of the first 200 clients, in every status; every tenth has no number. */
const filled = (table: "invoices" | "quotes", statuses: string, day: string) => `
  insert into ${table} (id, organisation_id, company_id, number, reference, status, currency, locale, issue_date, ${day}, subtotal, total,
      created_at, updated_at)
    select md5('${table} ' || $2 || ' ' || s.n)::uuid, $1, c.ids[1 + s.n % cardinality(c.ids)], 'F' || s.n,
           (array['Order','Project','Retainer','Campaign','Support'])[1 + s.n % 5] || ' Reference ' || md5(s.n::text) ||
           case when s.n = 4711 then ' Zeldzaam' else '' end,
           (array[${statuses}])[1 + s.n % 7], 'EUR', 'nl', date '2020-01-01' + s.n % 2000,
           case when s.n % 9 > 0 then date '2020-01-15' + s.n % 2000 end, s.n % 5000, s.n % 5000,
           timestamptz '2020-01-01' + s.n * interval '7 min', timestamptz '2021-01-01' + (s.n * 7919 % $2) * interval '7 min'
      from generate_series(1, $2::int) s(n),
           (select array(select id from companies where organisation_id = $1 order by id limit 200) as ids) c`;

/** Two lines for each document. */
const lined = (owner: "invoice" | "quote") => `
  insert into document_lines (id, organisation_id, ${owner}_id, position, description, tax_rate_pct, tax_category)
    select gen_random_uuid(), t.organisation_id, t.id, n, 'Work', 21, 'standard' from ${owner}s t, generate_series(0, 1) n
     where t.organisation_id = $1`;

/** Fixtures of documents for the generic tests. */
export const documentProofs: DefineProofs = ({ insert, named, next, nobody, make }) => {
  const line = (place: Place, of: object) =>
    insert(place, "document_lines", {
      ...of,
      position: 0,
      description: named(place.token),
      quantity: 2,
      unit_price: 50,
      amount: 100,
      tax_rate_pct: 21,
      tax_category: "standard",
    });
  const document = async (place: Place, owner: "invoice" | "quote", values: object = {}): Promise<string> => {
    const id = await insert(place, `${owner}s`, {
      company_id: place.companyId,
      currency: "EUR",
      locale: "nl",
      reference: named(place.token).slice(0, 120),
      customer: JSON.stringify({ ...NO_CUSTOMER, name: "Aster" }),
      subtotal: 100,
      tax_total: 21,
      total: 121,
      tax_groups: "[]",
      ...values,
    });
    await line(place, { [`${owner}_id`]: id });
    return id;
  };
  /** Sets the status of a document. */
  const as = (owner: "invoice" | "quote", status: string) => (place: Place, rows: Rows) =>
    place.sql.query(`update ${owner}s set status = $3, number = coalesce(number, $4) where organisation_id = $1 and id = $2`, [
      place.tenant.organisation.id,
      rows[`${owner}_id`],
      status,
      `N-${next()}`,
    ]);
  const open = as("invoice", "open");
  /** A body with one line, which bills an hour. */
  const written = (more: object) => async (place: Place) => ({
    contact_id: await make("contact_id", place),
    currency: "EUR",
    exchange_rate: "1.25",
    locale: "nl",
    reference: place.token,
    intro: place.token,
    notes: place.token,
    issue_date: "2026-03-02",
    prices_include_tax: true,
    template_id: await make("default_template_id", place),
    lines: [
      {
        description: place.token,
        line_kind: "hours",
        quantity: "1.50",
        unit: "hour",
        unit_price: "80",
        tax_rate_id: await make("tax_rate_id", place),
        time_entry_ids: [await make("entry_id", place)],
      },
    ],
    ...more,
  });
  const ofClient = (more: object) => async (place: Place) => ({
    company_id: place.companyId,
    ...(await written(more)(place)),
  });
  return {
    makers: {
      invoice_id: { ofCompany: true, make: (place) => document(place, "invoice") },
      quote_id: { ofCompany: true, make: (place) => document(place, "quote") },
      template_id: { ofCompany: false, make: (place) => make("default_template_id", place) },
      payment_id: {
        ofCompany: true,
        async make(place) {
          const invoice_id = await document(place, "invoice", { status: "open", number: `N-${next()}` });
          return insert(place, "invoice_payments", { invoice_id, paid_on: "2026-03-02", amount: 10 });
        },
      },
    },
    values: { currency: () => "EUR" },
    bodies: {
      "POST /invoicing/invoices": ofClient({ kind: "invoice", due_date: "2026-04-02", delivery_date: "2026-03-01" }),
      "PATCH /invoicing/invoices/{invoice_id}": written({
        due_date: "2026-04-02",
        delivery_date: "2026-03-01",
        reminders_paused: true,
      }),
      "POST /invoicing/quotes": ofClient({ valid_until: "2026-04-02" }),
      "PATCH /invoicing/quotes/{quote_id}": written({ valid_until: "2026-04-02" }),
      "POST /invoicing/invoices/from-time": async (place) => ({
        company_id: place.companyId,
        project_id: null,
        until: "2026-12-31",
        group_by: "entry",
        hourly_rate: "80",
      }),
    },
    arranged: {
      "GET /invoicing/invoices/pdf": async (place, rows) => {
        rows["ids"] = await document(place, "invoice");
      },
      "POST /invoicing/invoices/from-time": (place) =>
        insert(place, "time_entries", {
          user_id: place.tenant.owner.accountId,
          company_id: place.companyId,
          started_at: "2026-03-02T09:00:00Z",
          ended_at: "2026-03-02T10:00:00Z",
          minutes: 60,
          approved_at: "2026-03-03T09:00:00Z",
        }),
      "POST /invoicing/invoices/{invoice_id}/cancel": open,
      "POST /invoicing/invoices/{invoice_id}/credit": open,
      "POST /invoicing/invoices/{invoice_id}/payments": open,
      "DELETE /invoicing/invoices/{invoice_id}/payments/{payment_id}": async (place, rows) => {
        await open(place, rows);
        await place.sql.query("update invoice_payments set invoice_id = $3 where organisation_id = $1 and id = $2", [
          place.tenant.organisation.id,
          rows["payment_id"],
          rows["invoice_id"],
        ]);
      },
      "POST /invoicing/quotes/{quote_id}/accept": as("quote", "open"),
      "POST /invoicing/quotes/{quote_id}/reject": as("quote", "open"),
      "POST /invoicing/quotes/{quote_id}/convert": as("quote", "accepted"),
    },
    lists: {
      invoices: {
        statements: [
          filled("invoices", "'draft','open','open','paid','paid','paid','cancelled'", "due_date"),
          "update invoices set kind = 'credit_note' where organisation_id = $1 and total % 20 = 3",
          lined("invoice"),
        ],
        filters: { status: "open", company_id: nobody(), kind: "credit_note", due_before: "2020-03-01", issued: true },
        common: "reference",
        rare: "zeldzaam",
        excepted: { company: "the name of a client is in another table (money §2)" },
      },
      quotes: {
        statements: [
          filled("quotes", "'draft','open','accepted','rejected','expired','invoiced','open'", "valid_until"),
          lined("quote"),
        ],
        filters: { status: "open", company_id: nobody() },
        common: "reference",
        rare: "zeldzaam",
        excepted: {},
      },
    },
  };
};
