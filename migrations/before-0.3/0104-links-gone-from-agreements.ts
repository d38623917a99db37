import type { Step } from "../step.ts";

/** Links that an agreement or a type of agreements shows, by table: the table of that record and the column that names it. */
const LINKS: readonly (readonly [table: string, record: string, column: string])[] = [
  ["subscription_projects", "subscriptions", "subscription_id"],
  ["subscription_tasks", "subscriptions", "subscription_id"],
  ["subscription_type_task_templates", "subscription_types", "subscription_type_id"],
];

/**
 * A deleted project, task or task template leaves the agreements and types of agreements that name it: each deletion moves their version and
 * `updated_at`, as `0064-deletions-move-what-they-cut` does for the links of other records.
 */
const step: Step = {
  async up({ sql }) {
    for (const [table, record, column] of LINKS)
      await sql(`
        create trigger link_lost_by_deletion after delete on ${table} referencing old table as gone for each statement
          when (pg_trigger_depth() > 0) execute function link_lost_by_deletion('${record}', '${column}');`);
  },
};

export default step;
