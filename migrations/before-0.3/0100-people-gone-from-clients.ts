import type { Step } from "../step.ts";

/** People that a client or a group of clients shows, by table: the table of that record and the column that names it. */
const LINKS: readonly (readonly [table: string, record: string, column: string])[] = [
  ["company_assignees", "companies", "company_id"],
  ["company_group_memberships", "company_groups", "group_id"],
];

/**
 * A deleted account leaves the rosters of clients, and a deleted membership its groups: both move the version and `updated_at` of the client
 * or group, as `0064-deletions-move-what-they-cut` does for the links of other records.
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
