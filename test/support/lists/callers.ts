import type { LargeOrganisation } from "./large.ts";

/** The people of rosters in the large organisation, by how many rows they have: none, one in 10,000, or one in ten. */
export const CALLERS = { none: 0, few: 10_000, many: 10 } as const;
export type Caller = keyof typeof CALLERS;

/** Rosters, with the column that refers to the row and the table of the row. */
const ROSTERS = [
  ["task_assignees", "task_id", "tasks"],
  ["project_assignees", "project_id", "projects"],
  ["company_assignees", "company_id", "companies"],
] as const;

/** Puts three people on the rosters of the large organisation, spread evenly. @returns their accounts */
export async function callersOf(large: LargeOrganisation): Promise<Record<Caller, string>> {
  const account = (name: Caller) =>
    large.value(
      `insert into accounts (email, full_name) select '${name}@callers.test', '${name}' where $1::uuid is not null returning id`,
    );
  const accounts = { none: await account("none"), few: await account("few"), many: await account("many") };
  for (const [roster, owner, table] of ROSTERS)
    await large.add(
      roster,
      `insert into ${roster} (organisation_id, ${owner}, account_id)
        select $1, t.id, a.id from (select id, row_number() over (order by created_at, id) as n from ${table} where organisation_id = $1) t
          join accounts a on a.email = case when t.n % ${CALLERS.many} = 3 then 'many@callers.test'
            when t.n % ${CALLERS.few} = 4 then 'few@callers.test' end`,
    );
  return accounts as Record<Caller, string>;
}
