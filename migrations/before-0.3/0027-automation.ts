import { type Step, tenantTable } from "../step.ts";

/** Rules of automation, their triggers and their runs (platform chapter §2). */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table automation_rules (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        name text not null check (name <> ''),
        trigger_event text not null check (trigger_event <> ''),
        conditions jsonb not null default '{}',
        -- In the order in which they run: id, position, action_type and config of each.
        actions jsonb not null default '[]',
        enabled boolean not null default true,
        position int not null default 0,
        unique (organisation_id, id)
      );
      create index on automation_rules (organisation_id, position, created_at, id);
      create index on automation_rules (organisation_id, updated_at);
      create index on automation_rules (organisation_id, trigger_event, position, created_at, id) where enabled;

      -- Without a foreign key to organisations, like trail and outbox: each of many rows of a write would lock that one row.
      create table automation_runs (
        id uuid primary key,
        organisation_id uuid not null,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        rule_id uuid,
        rule_name text not null,
        trigger_event text not null,
        entity_type text not null,
        entity_id uuid not null,
        -- The client of the record, as it was then; it outlives both.
        company_id uuid,
        status text not null default 'pending' check (status in ('pending', 'running', 'succeeded', 'failed', 'skipped')),
        depth int not null default 0 check (depth >= 0),
        payload jsonb not null default '{}',
        steps jsonb not null default '[]',
        error text,
        started_at timestamptz,
        finished_at timestamptz,
        -- The execution that has begun it.
        claimed_by uuid,
        -- What makes an event the same as an earlier one to its rule: a digest.
        identity text not null,
        unique (organisation_id, id),
        constraint automation_runs_identity_key unique (organisation_id, rule_id, identity),
        constraint automation_runs_rule_fkey foreign key (organisation_id, rule_id) references automation_rules (organisation_id, id)
          on delete set null (rule_id)
      );
      create index on automation_runs (organisation_id, created_at desc, id desc);
      create index on automation_runs (organisation_id, rule_id, created_at desc, id desc);
      create index on automation_runs (organisation_id, updated_at, created_at desc, id);
      -- What counts them reads nothing else: those without a client, and those of the clients one sees.
      create index on automation_runs (organisation_id, company_id);
      -- What waits and what is under way is little, and looked for every few minutes.
      create index on automation_runs (organisation_id, status, created_at) where status in ('pending', 'running');

      -- A run whose rule goes is another one than before.
      create trigger reference_cleared before update of rule_id on automation_runs for each row
        when (new.version = old.version) execute function count_cleared_reference();
    `);
    await sql(`
      -- Nodes remember the rules of an organisation by its access revision.
      create trigger access_changed after insert or delete or update of name, trigger_event, conditions, enabled, position on automation_rules
        for each row execute function bump_access_of_row();
    `);
    for (const table of ["automation_rules", "automation_runs"]) await sql(tenantTable(table, application));
  },
};

export default step;
