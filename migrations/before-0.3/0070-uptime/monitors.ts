import { type StepContext, tenantTable } from "../../step.ts";

/** Monitors, their last results, and the monitors of a server that are deliberately not tracked. */
export async function monitorTables({ sql, application }: StepContext): Promise<void> {
  await sql(`
    create table uptime_monitors (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      updated_at timestamptz not null default statement_timestamp(),
      version int not null default 1,
      instance_id uuid not null,
      -- The number of the monitor on its server; null until it is there.
      remote_id int,
      name text not null check (name <> ''),
      monitor_type text not null check (monitor_type <> ''),
      target text,
      port int,
      interval_seconds int,
      retries int,
      parent_id uuid,
      profile_id uuid,
      website_id uuid,
      domain_id uuid,
      hosting_id uuid,
      company_id uuid,
      -- True where the client was named; else it is that of the website, domain or hosting.
      company_given boolean not null default false,
      active boolean not null default true,
      sync_status text not null default 'pending' check (sync_status in ('pending', 'active', 'drift', 'missing', 'error')),
      drift_fields text[] not null default '{}',
      -- Fields that were changed here and have not been written to the server yet.
      unpushed text[] not null default '{}',
      adopted boolean not null default false,
      -- The host of the target and its parent domains, most specific first, without www: what websites and domains are matched by.
      host_names text[] not null default '{}',
      last_status text check (last_status in ('down', 'up', 'pending', 'maintenance')),
      last_status_since timestamptz,
      last_heartbeat_at timestamptz,
      last_error text,
      last_synced_at timestamptz,
      unique (organisation_id, id),
      constraint uptime_monitors_remote_key unique (organisation_id, instance_id, remote_id),
      check (num_nonnulls(website_id, domain_id, hosting_id) <= 1),
      constraint uptime_monitors_instance_fkey foreign key (organisation_id, instance_id)
        references uptime_instances (organisation_id, id) on delete cascade,
      constraint uptime_monitors_parent_fkey foreign key (organisation_id, parent_id)
        references uptime_monitors (organisation_id, id) on delete set null (parent_id),
      constraint uptime_monitors_profile_fkey foreign key (organisation_id, profile_id)
        references uptime_profiles (organisation_id, id) on delete set null (profile_id),
      constraint uptime_monitors_website_fkey foreign key (organisation_id, website_id)
        references websites (organisation_id, id) on delete set null (website_id),
      constraint uptime_monitors_domain_fkey foreign key (organisation_id, domain_id)
        references domains (organisation_id, id) on delete set null (domain_id),
      constraint uptime_monitors_hosting_fkey foreign key (organisation_id, hosting_id)
        references hostings (organisation_id, id) on delete set null (hosting_id),
      constraint uptime_monitors_company_fkey foreign key (organisation_id, company_id)
        references companies (organisation_id, id) on delete set null (company_id)
    );
    create index on uptime_monitors (organisation_id, name collate kantoor_text, id);
    create index on uptime_monitors (organisation_id, instance_id, name collate kantoor_text, id);
    create index on uptime_monitors (organisation_id, company_id, name collate kantoor_text, id);
    create index on uptime_monitors (organisation_id, updated_at);
    create index on uptime_monitors (organisation_id, parent_id) where parent_id is not null;
    create index on uptime_monitors (organisation_id, profile_id) where profile_id is not null;
    create index on uptime_monitors (organisation_id, website_id) where website_id is not null;
    create index on uptime_monitors (organisation_id, domain_id) where domain_id is not null;
    create index on uptime_monitors (organisation_id, hosting_id) where hosting_id is not null;

    create table uptime_heartbeats (
      id uuid primary key,
      organisation_id uuid not null references organisations (id),
      created_at timestamptz not null default statement_timestamp(),
      monitor_id uuid not null,
      status text not null check (status in ('down', 'up', 'pending', 'maintenance')),
      at timestamptz not null,
      ping_ms int,
      message text,
      unique (organisation_id, id),
      constraint uptime_heartbeats_key unique (organisation_id, monitor_id, at, status),
      constraint uptime_heartbeats_monitor_fkey foreign key (organisation_id, monitor_id)
        references uptime_monitors (organisation_id, id) on delete cascade
    );
    create index on uptime_heartbeats (organisation_id, monitor_id, at desc, id);
    create index on uptime_heartbeats (organisation_id, at);

    create table uptime_untracked (
      organisation_id uuid not null references organisations (id),
      instance_id uuid not null,
      remote_id int not null,
      primary key (organisation_id, instance_id, remote_id),
      foreign key (organisation_id, instance_id) references uptime_instances (organisation_id, id) on delete cascade
    );

    -- A monitor has the client of what it watches, by whichever door either is written, unless one was named.
    create function uptime_monitor_client() returns trigger language plpgsql as $$
    begin
      if not new.company_given then
        new.company_id := coalesce(
          (select w.company_id from websites w where w.organisation_id = new.organisation_id and w.id = new.website_id),
          (select d.company_id from domains d where d.organisation_id = new.organisation_id and d.id = new.domain_id),
          (select h.company_id from hostings h where h.organisation_id = new.organisation_id and h.id = new.hosting_id));
      end if;
      return new;
    end $$;
    create trigger client_of_anchor before insert or update of website_id, domain_id, hosting_id, company_id, company_given
      on uptime_monitors for each row execute function uptime_monitor_client();
    create function uptime_client_moved() returns trigger language plpgsql as $$
    begin
      execute format('update uptime_monitors set company_given = company_given, version = version + 1, updated_at = statement_timestamp()
        where organisation_id = $1 and %I = $2 and not company_given', tg_argv[0]) using new.organisation_id, new.id;
      return null;
    end $$;
    create trigger client_to_monitors after update of company_id on websites for each row
      when (new.company_id is distinct from old.company_id) execute function uptime_client_moved('website_id');
    create trigger client_to_monitors after update of company_id on domains for each row
      when (new.company_id is distinct from old.company_id) execute function uptime_client_moved('domain_id');
    create trigger client_to_monitors after update of company_id on hostings for each row
      when (new.company_id is distinct from old.company_id) execute function uptime_client_moved('hosting_id');
    create trigger moved_by_deletion before update of parent_id, profile_id, website_id, domain_id, hosting_id, company_id on uptime_monitors
      for each row when (pg_trigger_depth() > 0 and new.version = old.version
        and (old.parent_id is not null and new.parent_id is null or old.profile_id is not null and new.profile_id is null
          or old.website_id is not null and new.website_id is null or old.domain_id is not null and new.domain_id is null
          or old.hosting_id is not null and new.hosting_id is null or old.company_id is not null and new.company_id is null))
      execute function moved_by_deletion();
  `);
  for (const table of ["uptime_monitors", "uptime_heartbeats", "uptime_untracked"]) await sql(tenantTable(table, application));
}
