import { type Step, tenantTable } from "./step.ts";

/** Kinds of records whose lists are copied, and their tables (core/declare/module.ts, `copied`). */
const TABLES: Readonly<Record<string, string>> = {
  ads_account: "ads_accounts",
  ai_report: "ai_reports",
  automation_rule: "automation_rules",
  checklist_template: "task_checklist_templates",
  company: "companies",
  company_group: "company_groups",
  contact: "contacts",
  contact_type: "contact_types",
  custom_field: "custom_field_definitions",
  domain: "domains",
  edge_account: "edge_accounts",
  edge_zone: "edge_zones",
  hosting: "hostings",
  interaction: "interactions",
  interaction_kind: "interaction_kinds",
  invoice: "invoices",
  invoice_template: "invoice_templates",
  leave_request: "leave_requests",
  leave_type: "leave_types",
  marketing_link: "marketing_links",
  payment_account: "payment_accounts",
  product: "products",
  project: "projects",
  provider: "providers",
  quote: "quotes",
  registrar_account: "registrar_accounts",
  registrar_domain: "registrar_domains",
  report: "reports",
  report_template: "report_templates",
  report_tone: "report_tones",
  role: "roles",
  service_account: "service_accounts",
  subscription: "subscriptions",
  subscription_template: "subscription_templates",
  subscription_type: "subscription_types",
  task: "tasks",
  task_label: "task_labels",
  task_status: "task_statuses",
  task_template: "task_templates",
  tax_rate: "tax_rates",
  time_entry: "time_entries",
  time_entry_type: "time_entry_types",
  uptime_instance: "uptime_instances",
  uptime_monitor: "uptime_monitors",
  uptime_profile: "uptime_profiles",
  webhook_endpoint: "webhook_endpoints",
  website: "websites",
};

/** Columns whose change lets a row leave the view of some of its readers. */
const DECIDING: Readonly<Record<string, readonly string[]>> = {
  ads_account: ["company_id"],
  ai_report: ["company_id"],
  contact: ["linked"],
  domain: ["company_id"],
  edge_zone: ["domain_id"],
  hosting: ["company_id"],
  interaction: ["status", "owner_account_id", "company_id", "project_id", "task_id"],
  invoice: ["company_id"],
  leave_request: ["user_id"],
  marketing_link: ["company_id"],
  project: ["company_id"],
  quote: ["company_id"],
  report: ["company_id", "audience", "published_at"],
  subscription: ["company_id"],
  task: ["company_id", "project_id", "visible_to_client"],
  time_entry: ["user_id", "company_id", "project_id", "task_id"],
  uptime_monitor: ["company_id"],
  website: ["company_id"],
};

/** Kinds with a client of their own: rows without one are seen by every reader, or by none with a selection. */
const OWN_CLIENT = {
  shared: ["ads_account", "hosting", "uptime_monitor"],
  strict: ["domain", "marketing_link", "subscription", "website"],
};
const named = (kinds: readonly string[]) => kinds.map((kind) => `'${kind}'`).join(", ");

/**
 * What the copies of a list have to remove (conventions §10): `gone_rows` keeps for 90 days which rows were deleted or left the view of some
 * readers, and who those readers were. Triggers fill it, so no writer can forget it. They are row triggers: a cascade deletes the rows below a
 * record after the record itself, and only a trigger before the deletion still finds the record's client.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table gone_rows (
        id uuid not null default gen_random_uuid(),
        organisation_id uuid not null references organisations (id) on delete cascade,
        entity_type text not null,
        entity_id uuid not null,
        reason text not null check (reason in ('deleted', 'left_view')),
        gone_at timestamptz not null default statement_timestamp(),
        -- Null for a kind without clients, empty for a row without one.
        companies uuid[],
        for_clients boolean not null,
        -- A permission that its readers need in addition, unless they are one of the persons.
        needs text,
        persons uuid[] not null default '{}',
        primary key (organisation_id, id)
      );
      comment on table gone_rows is 'Rows that copies of lists have to remove, with their former readers (conventions §10)';
      create index on gone_rows (organisation_id, entity_type, gone_at, id);
      create index on gone_rows (organisation_id, entity_id, entity_type, gone_at) where reason = 'deleted';
      create index on gone_rows (organisation_id, gone_at);
      ${tenantTable("gone_rows", application)}

      -- The clients that a source of selections had when they were deleted.
      create table former_selections (
        organisation_id uuid not null references organisations (id) on delete cascade,
        source_id uuid not null,
        company_id uuid not null,
        gone_at timestamptz not null default statement_timestamp(),
        primary key (organisation_id, source_id, company_id)
      );
      create index on former_selections (organisation_id, gone_at);
      ${tenantTable("former_selections", application)}`);

    await sql(`
      create function gone_client(organisation uuid, kind text, gone uuid) returns uuid language sql stable set search_path = public as $$
        select g.companies[1] from gone_rows g
         where g.organisation_id = organisation and g.entity_type = kind and g.entity_id = gone and g.reason = 'deleted'
         order by g.gone_at desc limit 1 $$;
      comment on function gone_client is 'The client that a deleted record had';

      create function client_of_work(organisation uuid, company uuid, project uuid, task uuid) returns uuid
        language plpgsql stable set search_path = public as $$
      declare
        client uuid := company;
        parent record;
      begin
        if client is null and project is not null then
          select p.company_id into client from projects p where p.organisation_id = organisation and p.id = project;
          if not found then client := gone_client(organisation, 'project', project); end if;
        end if;
        if client is null and task is not null then
          select t.company_id, t.project_id into parent from tasks t where t.organisation_id = organisation and t.id = task;
          client := case when found then client_of_work(organisation, parent.company_id, parent.project_id, null)
            else gone_client(organisation, 'task', task) end;
        end if;
        return client;
      end $$;
      comment on function client_of_work is 'The client of a task, contact moment or time entry: its own, else its project''s, else its task''s';

      create function row_audience(kind text, r jsonb, out companies uuid[], out for_clients boolean, out needs text, out persons uuid[])
        language plpgsql stable set search_path = public as $$
      declare
        organisation uuid := (r ->> 'organisation_id')::uuid;
        row_id uuid := (r ->> 'id')::uuid;
        client uuid := (r ->> 'company_id')::uuid;
        -- A client that no row has, for rows that no selection includes.
        none constant uuid[] := array['00000000-0000-0000-0000-000000000000'::uuid];
      begin
        for_clients := true;
        persons := '{}';
        if kind = 'company' then companies := array[row_id];
        elsif kind = 'contact' then
          companies := case when (r ->> 'linked')::boolean then array(select l.company_id from contact_links l
            where l.organisation_id = organisation and l.contact_id = row_id order by l.company_id) else '{}' end;
          for_clients := companies <> '{}';
        elsif kind in (${named(OWN_CLIENT.shared)}) then
          companies := case when client is null then '{}' else array[client] end;
          if kind = 'uptime_monitor' then
            needs := 'uptime.monitor.read:any';
            persons := array(select a.account_id from company_assignees a
              where a.organisation_id = organisation and a.company_id = client order by a.account_id);
          end if;
        elsif kind in (${named(OWN_CLIENT.strict)}) then companies := case when client is null then none else array[client] end;
        elsif kind in ('invoice', 'quote') then
          companies := case when client is null then none else array[client] end;
          for_clients := kind = 'quote' or r ->> 'status' <> 'draft';
        elsif kind = 'ai_report' then
          companies := case when client is null then none else array[client] end;
          for_clients := false;
        elsif kind = 'report' then
          companies := case when client is null then none else array[client] end;
          needs := case when r ->> 'audience' <> 'client' then 'reporting.internal.read' end;
          for_clients := needs is null and r ->> 'published_at' is not null and not exists (select 1 from reports n
            where n.organisation_id = organisation and n.company_id = client and n.audience = r ->> 'audience'
              and n.period_start = (r ->> 'period_start')::date and n.published_at is not null and n.revision > (r ->> 'revision')::int);
        elsif kind = 'project' then
          companies := case when client is null then '{}' else array[client] end;
          for_clients := client is not null;
        elsif kind in ('task', 'interaction', 'time_entry') then
          for_clients := kind <> 'interaction' or client is not null and not r ? 'inherited';
          client := client_of_work(organisation, client, (r ->> 'project_id')::uuid, (r ->> 'task_id')::uuid);
          companies := case when client is null then '{}' else array[client] end;
          for_clients := for_clients and client is not null and (kind <> 'task' or (r ->> 'visible_to_client')::boolean);
          if kind = 'time_entry' and not r ? 'inherited' and coalesce(r ->> 'company_id', r ->> 'project_id', r ->> 'task_id') is null then
            needs := 'time.entry.read:any';
            persons := array[(r ->> 'user_id')::uuid];
          elsif kind = 'interaction' and r ->> 'status' <> 'logged' then
            -- No permission opens a moment that waits for its owner.
            needs := '';
            persons := array_remove(array[(r ->> 'owner_account_id')::uuid], null);
          end if;
        elsif kind = 'edge_zone' and r ->> 'domain_id' is not null then
          select array[d.company_id] into companies from domains d where d.organisation_id = organisation and d.id = (r ->> 'domain_id')::uuid;
          if companies is null then
            client := gone_client(organisation, 'domain', (r ->> 'domain_id')::uuid);
            companies := case when client is null then none else array[client] end;
          end if;
        elsif kind = 'edge_zone' then companies := '{}';
        elsif kind = 'leave_request' then
          needs := 'leave.request.read:any';
          persons := array[(r ->> 'user_id')::uuid];
        end if;
      end $$;
      comment on function row_audience is 'Who reads a row of a list: the clients of it, and the persons or the permission that it needs';

      create function live_audience(kind text, of_table text, record uuid, out companies uuid[], out for_clients boolean, out needs text,
          out persons uuid[]) returns setof record language plpgsql stable rows 1 set search_path = public as $$
      begin
        if to_regclass(of_table) is null then return; end if;
        return query execute format('select a.companies, a.for_clients, a.needs, a.persons from %I t, row_audience($1, to_jsonb(t)) a where t.organisation_id = current_organisation() and t.id = $2',
          of_table) using kind, record;
      end $$;
      comment on function live_audience is 'Who reads a row now; no row for one that was deleted';

      create function note_gone(kind text, r jsonb, why text) returns void language sql volatile set search_path = public as $$
        insert into gone_rows (organisation_id, entity_type, entity_id, reason, companies, for_clients, needs, persons)
          select o.id, kind, (r ->> 'id')::uuid, why, a.companies, a.for_clients, a.needs, a.persons
            from organisations o, row_audience(kind, r) a where o.id = (r ->> 'organisation_id')::uuid $$;

      create function note_deleted() returns trigger language plpgsql set search_path = public as $$
      begin
        perform note_gone(tg_argv[0], to_jsonb(old), 'deleted');
        return old;
      end $$;

      create function note_left_view() returns trigger language plpgsql set search_path = public as $$
      begin
        if row_audience(tg_argv[0], to_jsonb(old)) is distinct from row_audience(tg_argv[0], to_jsonb(new)) then
          perform note_gone(tg_argv[0], to_jsonb(old), 'left_view');
        end if;
        return null;
      end $$;`);

    for (const [kind, table] of Object.entries(TABLES))
      await sql(`create trigger noted_deletion before delete on ${table} for each row execute function note_deleted('${kind}')`);
    for (const [kind, columns] of Object.entries(DECIDING)) {
      const changes = columns.map((column) => `old.${column} is distinct from new.${column}`).join(" or ");
      await sql(`create trigger noted_view after update of ${columns.join(", ")} on ${TABLES[kind]} for each row
        when (${changes}) execute function note_left_view('${kind}')`);
    }
  },
};

export default step;
