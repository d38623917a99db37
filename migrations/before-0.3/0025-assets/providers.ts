import { type StepContext, tenantTable } from "../../step.ts";

/** The catalogue of providers an organisation works with (assets §1). */
export async function providerTables({ sql, application }: StepContext): Promise<void> {
  await sql(`
    create table providers (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      kind text not null check (kind in ('email', 'dns', 'registrar', 'hosting')),
      name text not null check (name <> ''),
      config jsonb not null default '{}',
      active boolean not null default true,
      position int not null default 0,
      unique (organisation_id, id)
    );
    create index on providers (organisation_id, position, name collate kantoor_text, id);
    create index on providers (organisation_id, updated_at);
  `);
  await sql(tenantTable("providers", application));
}
