import { type Step, tenantTable } from "./step.ts";

/** The ids of clients and contacts that were merged into others, so that old links find the record that was kept. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`create table record_aliases (
      organisation_id uuid not null references organisations (id),
      old_id uuid not null,
      company_id uuid,
      contact_id uuid,
      created_at timestamptz not null default statement_timestamp(),
      primary key (organisation_id, old_id),
      check (num_nonnulls(company_id, contact_id) = 1),
      foreign key (organisation_id, company_id) references companies (organisation_id, id) on delete cascade,
      foreign key (organisation_id, contact_id) references contacts (organisation_id, id) on delete cascade);
    create index on record_aliases (organisation_id, company_id) where company_id is not null;
    create index on record_aliases (organisation_id, contact_id) where contact_id is not null;`);
    await sql(tenantTable("record_aliases", application));
  },
};

export default step;
