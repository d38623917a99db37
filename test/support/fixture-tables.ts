import type pg from "pg";
import { searchIndexes, tenantTable } from "../../migrations/step.ts";
import { entryListing } from "./fixture-entries.ts";
import { siteListing } from "./fixture-sites.ts";

const APPLICATION = '"kantoor_app"';

/** Makes the tables and search functions of the fixture module, as a migration step and the migrator would. */
export async function createFixtureTables(sql: pg.ClientBase): Promise<void> {
  await sql.query(`
    create table fixture_sites (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      company_id uuid not null,
      name text not null check (name <> ''),
      url text,
      status text not null default 'live' check (status in ('draft', 'live', 'retired')),
      version int not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      search_text text not null generated always as (
        lower(name collate "und-x-icu") || E'\\x1f' || lower(coalesce(url, '') collate "und-x-icu")
      ) stored,
      unique (organisation_id, id),
      foreign key (organisation_id, company_id) references companies (organisation_id, id) on delete cascade
    );
    create index on fixture_sites (organisation_id, company_id);
    create index on fixture_sites (organisation_id, name collate kantoor_text, id);
    create index on fixture_sites (organisation_id, updated_at, name collate kantoor_text, id);
    ${searchIndexes("fixture_sites")}

    create table fixture_entries (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      company_id uuid not null,
      account_id uuid not null,
      description text not null default '',
      minutes int not null check (minutes > 0),
      worked_on date not null,
      version int not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      search_text text not null generated always as (lower(description collate "und-x-icu")) stored,
      unique (organisation_id, id),
      foreign key (organisation_id, company_id) references companies (organisation_id, id) on delete cascade
    );
    create index on fixture_entries (organisation_id, company_id);
    create index on fixture_entries (organisation_id, account_id);
    create index on fixture_entries (organisation_id, worked_on, id);
    create index on fixture_entries (organisation_id, updated_at, worked_on, id);
    create index on fixture_entries using gin (search_text gin_trgm_ops);
  `);
  for (const table of ["fixture_sites", "fixture_entries"]) await sql.query(tenantTable(table, APPLICATION));
  for (const { name, sql: text } of [...siteListing.functions, ...entryListing.functions]) {
    await sql.query(text);
    await sql.query(`revoke all on function ${name} from public; grant execute on function ${name} to ${APPLICATION}`);
  }
}
