import { type Step, tenantTable } from "./step.ts";

/** Triggers of tables with an organisation do nothing while an operator writes a whole one. */
const GUARD = "when (current_setting('app.whole_organisation', true) is distinct from 'on')";

const SHARED = `
        id uuid primary key default gen_random_uuid(),
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,`;

/** Levels of dunning, the notices that were sent, and what is paused. No organisation duns before a person switches it on. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      alter table invoices add column dunning_level int not null default 0 check (dunning_level between 0 and 4);

      create table dunning_settings (
        organisation_id uuid primary key references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        enabled boolean not null default false,
        levels jsonb not null,
        -- Rates of interest for days that the table of the program lacks.
        rates jsonb not null default '[]'
      );

      create table dunning_notices (${SHARED}
        invoice_id uuid not null,
        level int not null check (level between 1 and 4),
        sent_on date not null,
        -- Null for one that did not go by mail.
        sent_to text,
        pay_by date not null check (pay_by >= sent_on),
        announces_costs boolean not null default false,
        subject text not null,
        text text not null,
        principal numeric(12, 2) not null,
        interest numeric(12, 2) not null,
        interest_parts jsonb not null default '[]',
        fee numeric(12, 2) not null,
        fees numeric(12, 2) not null,
        costs numeric(12, 2) not null,
        announced numeric(12, 2),
        total numeric(12, 2) not null,
        unique (organisation_id, id),
        -- No level is sent twice.
        constraint dunning_notices_level unique (organisation_id, invoice_id, level),
        constraint dunning_notices_invoice_fkey foreign key (organisation_id, invoice_id)
          references invoices (organisation_id, id) on delete cascade
      );

      create table dunning_pauses (${SHARED}
        company_id uuid not null,
        -- Null for all documents of the client.
        invoice_id uuid,
        reason text not null,
        -- The last day; null for no end.
        until date,
        unique (organisation_id, id),
        constraint dunning_pauses_company_fkey foreign key (organisation_id, company_id)
          references companies (organisation_id, id) on delete cascade,
        constraint dunning_pauses_invoice_fkey foreign key (organisation_id, invoice_id)
          references invoices (organisation_id, id) on delete cascade
      );
      create index on dunning_pauses (organisation_id, created_at desc, id);
      create index on dunning_pauses (organisation_id, updated_at);
      create index on dunning_pauses (organisation_id, company_id);
      create index on dunning_pauses (organisation_id, invoice_id);

      create trigger noted_deletion before delete on dunning_pauses for each row ${GUARD} execute function note_deleted('dunning_pause');
    `);
    await sql(["dunning_settings", "dunning_notices", "dunning_pauses"].map((table) => tenantTable(table, application)).join(""));
  },
};

export default step;
