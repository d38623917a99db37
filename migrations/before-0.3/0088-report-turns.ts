import { type Step, tenantTable } from "../step.ts";

/**
 * The turns of models for the prose of reports, one for each report and run. A turn is stored before the model is asked, so that a run that
 * is repeated after a crash neither pays twice nor asks twice (workspace-reporting §1.5).
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table report_turns (
        organisation_id uuid not null references organisations (id),
        report_id uuid not null,
        -- The run that asked: the same in every attempt at it.
        run_id uuid not null,
        began_at timestamptz not null default statement_timestamp(),
        -- Null while the answer is unknown.
        ended_at timestamptz,
        -- {key: text}; null while the answer is unknown.
        narrative jsonb,
        -- [{code, detail}]
        warnings jsonb not null default '[]',
        primary key (organisation_id, report_id, run_id),
        check ((ended_at is null) = (narrative is null)),
        foreign key (organisation_id, report_id) references reports (organisation_id, id) on delete cascade
      );
    `);
    await sql(tenantTable("report_turns", application));
  },
};

export default step;
