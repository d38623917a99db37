import type { Step } from "./step.ts";

/**
 * A report that was sent never changes; its correction is a revision of its own (workspace-reporting §1.5). The constraint keeps its name:
 * nodes of the version before queue runs by it, and their reports are the first revision.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      alter table reports
        add column revision int not null default 1 check (revision >= 1),
        -- It was withdrawn from the portal, or is a correction: a run does not publish it, a person does.
        add column is_held boolean not null default false,
        drop constraint reports_one,
        add constraint reports_one unique (organisation_id, company_id, audience, period_start, revision);`);
  },
};

export default step;
