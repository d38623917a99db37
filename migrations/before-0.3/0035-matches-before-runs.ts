import { type Step, tenantTable } from "../step.ts";

/**
 * What a write leaves where it sets rules off: one row for all the runs of an event, which become rows of `automation_runs` when a job
 * begins with them or the runs are listed. A run has an entry in eight indexes, and the write waited for those of twenty.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      -- Like the runs without a foreign key to organisations.
      create table automation_matches (
        id uuid not null,
        organisation_id uuid not null,
        created_at timestamptz not null default statement_timestamp(),
        trigger_event text not null,
        entity_type text not null,
        entity_id uuid not null,
        company_id uuid,
        depth int not null check (depth >= 0),
        payload jsonb not null,
        identity text not null,
        -- In the order in which they run. As lists of their own they stay small enough to stand in the row.
        run_ids uuid[] not null,
        rule_ids uuid[] not null,
        rule_names text[] not null,
        primary key (organisation_id, id)
      ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
    `);
    await sql(tenantTable("automation_matches", application));
  },
};

export default step;
