import { keepsSearchText, type Step, searchIndexes, tenantTable } from "./step.ts";

/** Triggers of tables with an organisation do nothing while an operator writes a whole one. */
const GUARD = "when (current_setting('app.whole_organisation', true) is distinct from 'on')";
const SEARCHED = ["counter_name", "counter_iban", "description", "reference", "note"];

const SHARED = `
        id uuid primary key default gen_random_uuid(),
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,`;

/** Statements of bank accounts, their entries, and what of an entry was booked on which invoice. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table bank_statements (${SHARED}
        statement_key text not null,
        file_name text not null,
        format text not null,
        account text not null,
        currency text not null,
        number text,
        from_day date not null,
        to_day date not null check (to_day >= from_day),
        -- Null where the file has no balances, or they do not follow from its entries.
        opening numeric(14, 2),
        closing numeric(14, 2),
        balances boolean not null default true,
        entry_count int not null,
        -- Entries that no earlier statement had.
        added_count int not null,
        pending_count int not null default 0,
        unique (organisation_id, id),
        constraint bank_statements_key unique (organisation_id, statement_key)
      );
      create index on bank_statements (organisation_id, to_day, id);
      create index on bank_statements (organisation_id, updated_at);

      create table bank_entries (${SHARED}
        statement_id uuid not null,
        entry_key text not null,
        position int not null,
        account text not null,
        booked_on date not null,
        value_on date,
        amount numeric(14, 2) not null,
        currency text not null,
        counter_iban text,
        counter_name text,
        description text not null default '',
        reference text,
        bank_reference text,
        kind text not null check (kind in ('payment', 'bank_costs', 'interest')),
        reversal boolean not null default false,
        return_reason text,
        original_amount numeric(14, 2),
        original_currency text,
        state text not null default 'open' check (state in ('open', 'proposed', 'matched', 'ignored')),
        ignored_as text,
        note text,
        -- The sum of its allocations.
        matched_amount numeric(14, 2) not null default 0,
        open_amount numeric(14, 2) not null generated always as (amount - matched_amount) stored,
        -- The client of its allocations, if they are all of one.
        company_id uuid,
        proposals jsonb not null default '[]',
        search_text text not null default '',
        unique (organisation_id, id),
        constraint bank_entries_key unique (organisation_id, entry_key),
        constraint bank_entries_statement_fkey foreign key (organisation_id, statement_id)
          references bank_statements (organisation_id, id) on delete cascade,
        constraint bank_entries_company_fkey foreign key (organisation_id, company_id)
          references companies (organisation_id, id),
        check (ignored_as is null or matched_amount = 0),
        -- Never more than the entry, nor against its direction.
        check (case when amount >= 0 then matched_amount between 0 and amount else matched_amount between amount and 0 end)
      );
      create index on bank_entries (organisation_id, booked_on, id);
      create index on bank_entries (organisation_id, updated_at);
      create index on bank_entries (organisation_id, state, booked_on, id);
      create index on bank_entries (organisation_id, statement_id, booked_on, id);
      create index on bank_entries (organisation_id, company_id, booked_on, id);
      create index on bank_entries (organisation_id, account, booked_on, id);
      create index on bank_entries (organisation_id, counter_iban) where matched_amount <> 0;

      create table bank_allocations (${SHARED}
        entry_id uuid not null,
        invoice_id uuid not null,
        payment_id uuid not null,
        -- In the currency of the entry.
        amount numeric(14, 2) not null check (amount <> 0),
        -- What was booked, in the currency of the invoice.
        invoice_amount numeric(12, 2) not null check (invoice_amount <> 0),
        unique (organisation_id, id),
        constraint bank_allocations_payment unique (organisation_id, payment_id),
        constraint bank_allocations_entry_fkey foreign key (organisation_id, entry_id)
          references bank_entries (organisation_id, id) on delete cascade,
        constraint bank_allocations_invoice_fkey foreign key (organisation_id, invoice_id)
          references invoices (organisation_id, id),
        constraint bank_allocations_payment_fkey foreign key (organisation_id, payment_id)
          references invoice_payments (organisation_id, id) on delete cascade
      );
      create index on bank_allocations (organisation_id, entry_id);
      create index on bank_allocations (organisation_id, invoice_id);

      create table bank_settings (
        organisation_id uuid primary key references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        match_exact boolean not null default false
      );

      create trigger noted_deletion before delete on bank_statements for each row ${GUARD} execute function note_deleted('bank_statement');
      create trigger noted_deletion before delete on bank_entries for each row ${GUARD} execute function note_deleted('bank_entry');
    `);
    await sql(
      ["bank_statements", "bank_entries", "bank_allocations", "bank_settings"]
        .map((table) => tenantTable(table, application))
        .join(""),
    );
    await sql(
      `${keepsSearchText("bank_entries", SEARCHED)}
      create or replace trigger searched before insert or update of ${SEARCHED.join(", ")} on bank_entries for each row
        ${GUARD} execute function bank_entries_searched();
      alter table bank_entries enable always trigger searched;
      ${searchIndexes("bank_entries", "booked_on, id")}`,
    );
  },
};

export default step;
