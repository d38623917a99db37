import { type Step, tenantTable } from "../step.ts";

const SHARED = `id uuid primary key,
        organisation_id uuid not null references organisations (id),
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp()`;
const ACTOR = `actor_account_id uuid,
        actor_service_account_id uuid,
        actor_name text,
        impersonator_name text`;
const OF_ACCOUNT = "foreign key (organisation_id, account_id) references ads_accounts (organisation_id, id) on delete cascade";

/** Policies of advertising, what was decided, and what was sent to the provider (marketing-ads §3.8-3.10). */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table ads_policies (
        ${SHARED},
        -- Null: what holds for all accounts.
        account_id uuid,
        protected_terms text[] not null default '{}',
        banned_phrases text[] not null default '{}',
        always_exclude text[] not null default '{}',
        max_daily_budget numeric check (max_daily_budget >= 0),
        max_budget_increase_pct numeric check (max_budget_increase_pct >= 0),
        max_cpc numeric check (max_cpc >= 0),
        waste_min_cost numeric check (waste_min_cost >= 0),
        waste_min_clicks int check (waste_min_clicks >= 0),
        steering text not null default '',
        ad_copy_rules text not null default '',
        unique (organisation_id, id),
        constraint ads_policies_one unique nulls not distinct (organisation_id, account_id),
        ${OF_ACCOUNT}
      );
      create index on ads_policies (organisation_id, updated_at);

      create table ads_intents (
        ${SHARED},
        account_id uuid not null,
        operation text not null,
        collection text not null,
        -- SHA-256 of what is sent: while the outcome of a write is not known, the same one is not sent again.
        digest text collate "C" not null,
        state text collate "C" not null default 'pending' check (state in ('pending', 'applied', 'refused', 'unknown')),
        -- The request that it was sent for: a node that takes over an Idempotency-Key finds it again.
        work_id uuid,
        activity text not null,
        resource text not null,
        requested int not null,
        skipped int not null,
        planned jsonb not null,
        outcome jsonb,
        error_code text,
        settled_at timestamptz,
        ${ACTOR},
        unique (organisation_id, id),
        ${OF_ACCOUNT}
      );
      create unique index ads_intents_open on ads_intents (organisation_id, account_id, digest) where state in ('pending', 'unknown');
      create index ads_intents_unsettled on ads_intents (organisation_id, created_at) where state in ('pending', 'unknown');
      create index on ads_intents (organisation_id, account_id, state, created_at desc, id desc);
      create index on ads_intents (organisation_id, work_id) where work_id is not null;

      create table ads_decisions (
        ${SHARED},
        account_id uuid not null,
        -- The write that it was made by.
        intent_id uuid,
        subject_type text collate "C" not null,
        subject text not null,
        -- The subject as it is compared.
        subject_key text collate "C" not null,
        scope text collate "C" not null,
        decision text collate "C" not null,
        reason text not null default '',
        applied boolean not null default false,
        source text collate "C" not null check (source in ('manual', 'write')),
        payload jsonb not null default '{}',
        ${ACTOR},
        expires_on date,
        withdrawn_at timestamptz,
        withdrawn_by_account_id uuid,
        withdrawn_by_service_account_id uuid,
        withdrawn_by_name text,
        unique (organisation_id, id),
        ${OF_ACCOUNT},
        foreign key (organisation_id, intent_id) references ads_intents (organisation_id, id)
      );
      create index on ads_decisions (organisation_id, account_id, created_at desc, id desc);
      create index on ads_decisions (organisation_id, account_id, subject_key, scope, created_at desc, id desc);
      create index on ads_decisions (organisation_id, account_id, updated_at);
      create index on ads_decisions (organisation_id, intent_id) where intent_id is not null;

      -- Who changes a budget, one after another: what a change may be depends on what the budget is.
      create table ads_budget_turns (
        organisation_id uuid not null references organisations (id),
        account_id uuid not null,
        budget_id text collate "C" not null,
        holder uuid not null,
        held_until timestamptz not null,
        primary key (organisation_id, account_id, budget_id),
        ${OF_ACCOUNT}
      );
    `);
    for (const table of ["ads_policies", "ads_intents", "ads_decisions", "ads_budget_turns"])
      await sql(tenantTable(table, application));
  },
};

export default step;
