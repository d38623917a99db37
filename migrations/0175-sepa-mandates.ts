import { filesOfRecord, type Step, tenantTable } from "./step.ts";

/** Triggers of tables with an organisation do nothing while an operator writes a whole one. */
const GUARD = "when (current_setting('app.whole_organisation', true) is distinct from 'on')";

/** Mandates of clients for SEPA direct debit. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table sepa_mandates (
        id uuid primary key default gen_random_uuid(),
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        company_id uuid not null,
        reference text not null,
        scheme text not null check (scheme in ('core', 'b2b')),
        iban text not null,
        bic text,
        account_holder text not null,
        signed_on date not null,
        -- The first day on which nothing may be collected under it; null while it is live.
        revoked_on date check (revoked_on >= signed_on),
        unique (organisation_id, id),
        constraint sepa_mandates_company_fkey foreign key (organisation_id, company_id)
          references companies (organisation_id, id) on delete cascade
      );
      -- Banks compare references without regard to case.
      create unique index sepa_mandates_reference on sepa_mandates (organisation_id, upper(reference));
      create index on sepa_mandates (organisation_id, created_at desc, id);
      create index on sepa_mandates (organisation_id, updated_at);
      create index on sepa_mandates (organisation_id, company_id);

      create trigger noted_deletion before delete on sepa_mandates for each row ${GUARD} execute function note_deleted('sepa_mandate');
      ${filesOfRecord("sepa_mandates", "sepa_mandate").replace("for each row", `for each row ${GUARD}`)}
    `);
    await sql(tenantTable("sepa_mandates", application));
  },
};

export default step;
