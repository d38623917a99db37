import type { Step } from "../step.ts";

const ROSTERS = ["company_assignees", "project_assignees", "task_assignees"];

/**
 * Orders that lists had to sort all rows for: tasks by status and contacts by the name they are shown by, which the order of moments by
 * contact walks; invoices by what is outstanding and agreements by the length of their periods. And the counts of open tasks by project or
 * client, which read the index of statuses alone: it takes the place of one without those columns. What finds the rosters of a deleted account
 * has no order any more, so that a look for the next person of an organisation cannot walk through those of all.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      create index tasks_of_status_by_position on tasks (organisation_id, status, position, created_at, id);
      create index tasks_of_status_by_due_date on tasks (organisation_id, status, due_date) include (project_id, company_id);
      drop index tasks_of_status;

      ${ROSTERS.map(
        (roster) => `
      create index ${roster}_of_account on ${roster} using hash (account_id);
      drop index ${roster}_account_id_idx;`,
      ).join("")}

      create index contacts_by_shown_name on contacts (organisation_id,
        (coalesce(nullif(trim(coalesce(first_name, '') || ' ' || coalesce(last_name, '')), ''), email)) collate kantoor_text, id);

      create index invoices_by_outstanding on invoices (organisation_id, outstanding, created_at desc, id);
      create index invoices_by_outstanding_down on invoices (organisation_id, outstanding desc, created_at desc, id);

      create index subscriptions_by_months on subscriptions (organisation_id,
        ((case interval when 'monthly' then 1 when 'quarterly' then 3 else 12 end) * interval_count), name collate kantoor_text, id);
      create index subscriptions_by_months_down on subscriptions (organisation_id,
        ((case interval when 'monthly' then 1 when 'quarterly' then 3 else 12 end) * interval_count) desc, name collate kantoor_text, id);
    `);
  },
};

export default step;
