import { filesOfRecord, type StepContext, searchIndexes, tenantTable } from "../../step.ts";

/** Hosting, and the website of a domain (assets §4). */
export async function websiteTables({ sql, application }: StepContext): Promise<void> {
  await sql(`
    create table hostings (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      name text not null check (name <> ''),
      company_id uuid,
      provider_id uuid,
      ip_address text,
      contact_type text check (contact_type in ('agency', 'company', 'employee', 'contact')),
      contact_id uuid,
      custom jsonb not null default '{}',
      search_text text not null generated always as (
        lower(name collate "und-x-icu") || E'\\x1f' || lower(coalesce(ip_address, '') collate "und-x-icu")
      ) stored,
      unique (organisation_id, id),
      -- Of a client that goes it is everybody's.
      constraint hostings_company_fkey foreign key (organisation_id, company_id) references companies (organisation_id, id)
        on delete set null (company_id),
      constraint hostings_provider_fkey foreign key (organisation_id, provider_id)
        references providers (organisation_id, id) on delete set null (provider_id)
    );
    create index on hostings (organisation_id, name collate kantoor_text, id);
    create index on hostings (organisation_id, ip_address collate kantoor_text, name collate kantoor_text, id);
    create index on hostings (organisation_id, ip_address collate kantoor_text desc nulls last, name collate kantoor_text, id);
    create index on hostings (organisation_id, created_at, name collate kantoor_text, id);
    create index on hostings (organisation_id, updated_at, name collate kantoor_text, id);
    create index on hostings (organisation_id, company_id, name collate kantoor_text, id);
    create index on hostings (organisation_id, provider_id) where provider_id is not null;
    ${searchIndexes("hostings", "name collate kantoor_text, id")}

    create table websites (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      domain_id uuid not null,
      -- That of its domain, by which it is seen and sorted.
      company_id uuid not null,
      -- On the apex; false stands for www.
      root boolean not null default true,
      technical_owner_type text check (technical_owner_type in ('agency', 'company', 'employee', 'contact')),
      technical_owner_id uuid,
      hosting_id uuid,
      uptime_enabled boolean not null default false,
      custom jsonb not null default '{}',
      -- That of its domain.
      search_text text not null default '',
      unique (organisation_id, id),
      constraint websites_domain_key unique (organisation_id, domain_id),
      constraint websites_domain_fkey foreign key (organisation_id, domain_id) references domains (organisation_id, id)
        on delete cascade,
      constraint websites_hosting_fkey foreign key (organisation_id, hosting_id)
        references hostings (organisation_id, id) on delete set null (hosting_id)
    );
    create index on websites (organisation_id, created_at desc, id desc);
    create index on websites (organisation_id, updated_at, created_at desc, id);
    create index on websites (organisation_id, company_id, created_at desc, id);
    create index on websites (organisation_id, uptime_enabled, created_at desc, id);
    create index on websites (organisation_id, uptime_enabled desc, created_at desc, id);
    -- Those that nothing hosts too.
    create index on websites (organisation_id, hosting_id, created_at desc, id);
    ${searchIndexes("websites", "created_at desc, id desc")}

    -- What a website has of its domain, by whichever door either is written. The lock keeps a domain from changing until the website is there to follow.
    create function take_from_domain() returns trigger language plpgsql as $$
    declare domain record;
    begin
      select d.company_id, d.search_text into domain from domains d
       where d.organisation_id = new.organisation_id and d.id = new.domain_id for share;
      if found then
        new.company_id := domain.company_id;
        new.search_text := domain.search_text;
      -- A row for another organisation is refused by row security, as in any table.
      elsif new.organisation_id::text = current_setting('app.organisation_id', true) then
        raise foreign_key_violation using constraint = 'websites_domain_fkey', message = 'a website needs the domain it is of';
      end if;
      return new;
    end $$;
    create trigger taken_from_domain before insert or update of domain_id on websites for each row execute function take_from_domain();
    create function give_to_website() returns trigger language plpgsql as $$
    begin
      update websites set company_id = new.company_id, search_text = new.search_text,
          version = version + 1, updated_at = statement_timestamp()
       where organisation_id = new.organisation_id and domain_id = new.id;
      return null;
    end $$;
    create trigger given_to_website after update of name, label, company_id on domains for each row
      when (new.search_text <> old.search_text or new.company_id <> old.company_id) execute function give_to_website();

    -- A reference that is cleared because its row goes is a change of the row that had it.
    create function count_cleared_reference() returns trigger language plpgsql as $$
    begin
      new.version := old.version + 1;
      new.updated_at := statement_timestamp();
      return new;
    end $$;
    create trigger reference_cleared before update of company_id, provider_id on hostings for each row
      when (new.version = old.version) execute function count_cleared_reference();
    create trigger reference_cleared before update of hosting_id on websites for each row
      when (new.version = old.version) execute function count_cleared_reference();
    create trigger reference_cleared before update of registrar_provider_id, dns_provider_id, email_provider_id on domains for each row
      when (new.version = old.version) execute function count_cleared_reference();
  `);
  for (const table of ["hostings", "websites"]) await sql(tenantTable(table, application));
  await sql(filesOfRecord("websites", "website") + filesOfRecord("hostings", "hosting"));
}
