import type pg from "pg";

/** Tables of organisations that a backup of one leaves out, with the reason: what would act or open the organisation once more. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  account_tokens: "links of mails that were sent before",
  ads_budget_turns: "turns of running nodes",
  ai_reservations: "calls that were running",
  api_keys: "keys, some of which may have been revoked since",
  automation_matches: "runs of rules that waited",
  drive_provisions: "folders that were still to be made at the provider",
  edge_zone_leases: "turns of running nodes",
  idempotency_keys: "answers to repeated requests",
  impersonations: "visits of administrators",
  leave_calendar_tokens: "addresses of calendars",
  notification_push_devices: "browsers that register again",
  notification_push_keys: "keys of those browsers",
  oauth_approvals: "approvals of programs",
  oauth_clients: "programs that register again",
  oauth_codes: "sign-ins of programs that were under way",
  oauth_refresh_tokens: "tokens of programs",
  organisation_domains: "another organisation may have the domain since",
  outbox: "events and jobs that waited",
  outside_acts: "acts outside that waited",
  report_turns: "turns of running nodes",
  service_access_grants: "access of the operator",
  sessions: "sign-ins",
  sign_in_challenges: "sign-ins that were under way",
  task_calendar_tokens: "addresses of calendars",
  uptime_leases: "turns of running nodes",
  workspace_calendar_channels: "notifications that the provider was asked for",
  workspace_ended_grants: "grants that were still to be ended at the provider",
};

/** Which rows of a table a backup includes, where it leaves out those that still wait to be sent or to run. */
export const ONLY_ROWS: Readonly<Record<string, string>> = {
  automation_runs: "status not in ('pending', 'running')",
  impex_jobs: "status not in ('queued', 'running')",
  mails: "status <> 'queued'",
  notification_deliveries: "status not in ('pending', 'sending')",
  sms_messages: "status <> 'queued'",
  webhook_deliveries: "status <> 'pending'",
};

/** A table with rows of organisations, as the catalogue describes it. Names are quoted for SQL. */
export interface OrganisationTable {
  name: string;
  /** Stored columns in order, without generated ones. */
  columns: string[];
  /** Columns of the primary key that are ids of the organisation's own rows. */
  ids: string[];
  /** Columns that refer to an account. */
  accounts: string[];
  /** Nullable sealed columns: what they contain opens at their own row alone. */
  sealed: string[];
  /** Columns whose values are unique in the whole installation, other than ids. */
  unique: string[];
  /** Columns that are set once all rows are there, because they refer to a table that refers back. */
  later: string[];
}

interface Found extends Omit<OrganisationTable, "later"> {
  parents: { table: string; columns: string[]; optional: boolean }[];
}

const TABLES = `
  with tenant as (select c.oid, c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organisation_id' and not a.attisdropped
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace)
  select format('%I', t.relname) as name,
    (select array_agg(quote_ident(a.attname) order by a.attnum) from pg_attribute a
      where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    array(select quote_ident(a.attname) from pg_index x join pg_attribute a on a.attrelid = x.indrelid and a.attnum = any(x.indkey::int2[])
      where x.indrelid = t.oid and x.indisprimary and a.atttypid = 'uuid'::regtype and a.attname <> 'organisation_id'
        and not exists (select from pg_constraint k where k.conrelid = t.oid and k.contype = 'f' and k.confrelid = 'accounts'::regclass and k.conkey = array[a.attnum])) as ids,
    array(select quote_ident(a.attname) from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
      where k.conrelid = t.oid and k.contype = 'f' and k.confrelid = 'accounts'::regclass and cardinality(k.conkey) = 1) as accounts,
    array(select quote_ident(a.attname) from pg_attribute a join pg_type y on y.oid = a.atttypid
      where a.attrelid = t.oid and not a.attisdropped and y.typname = 'sealed' and not a.attnotnull) as sealed,
    array(select quote_ident(a.attname) from pg_index x join pg_attribute a on a.attrelid = x.indrelid and a.attnum = any(x.indkey::int2[])
      where x.indrelid = t.oid and x.indisunique and a.atttypid <> 'uuid'::regtype and not a.attidentity = 'a'
        and not exists (select from pg_attribute o where o.attrelid = t.oid and o.attnum = any(x.indkey::int2[]) and o.attname in ('id', 'organisation_id'))) as unique,
    coalesce((select jsonb_agg(jsonb_build_object('table', quote_ident(p.relname), 'optional', f.optional, 'columns', f.columns) order by p.relname, f.columns)
      from pg_constraint k join tenant p on p.oid = k.confrelid cross join lateral (
        select bool_or(not a.attnotnull) as optional, array_agg(quote_ident(a.attname) order by a.attnum) as columns from pg_attribute a
         where a.attrelid = k.conrelid and a.attnum = any(k.conkey) and a.attname <> 'organisation_id') f
      where k.conrelid = t.oid and k.contype = 'f' and k.confrelid <> k.conrelid), '[]') as parents
  from tenant t order by t.relname collate "C"`;

/** Whether a table refers to another one, also by those between. */
function isAbove(found: readonly Found[], above: string, name: string, seen = new Set<string>()): boolean {
  if (name === above) return true;
  seen.add(name);
  const parents = found.find((table) => table.name === name)?.parents ?? [];
  return parents.some(({ table }) => !seen.has(table) && isAbove(found, above, table, seen));
}

/**
 * Tables in an order in which their rows can be inserted. Where tables refer to each other in a circle, one of the references is set later.
 * @throws Error for a circle of references that all must have a value
 */
function inOrder(found: readonly Found[]): OrganisationTable[] {
  const names = new Set(found.map(({ name }) => name));
  let left = found.map((table) => ({
    ...table,
    later: [] as string[],
    parents: table.parents.filter((parent) => names.has(parent.table)),
  }));
  const ordered: OrganisationTable[] = [];
  const placed = new Set<string>();
  while (left.length > 0) {
    const isFree = ({ parents }: Found) => parents.every(({ table }) => placed.has(table));
    const free = left.filter(isFree);
    if (free.length === 0) {
      const waits = ({ table }: { table: string }) => !placed.has(table);
      const first = left.find(({ name, parents }) =>
        parents.filter(waits).every(({ table, optional }) => optional && isAbove(left, name, table)),
      );
      if (!first) throw new Error(`rows of ${left.map(({ name }) => name).join(", ")} refer to each other`);
      first.later.push(...first.parents.filter(waits).flatMap(({ columns }) => columns));
      free.push(first);
    }
    for (const { parents: _, ...table } of free) {
      ordered.push(table);
      placed.add(table.name);
    }
    left = left.filter(({ name }) => !placed.has(name));
  }
  return ordered;
}

/** Every table with rows of organisations, whether or not a backup includes it, in an order in which rows can be inserted. */
export async function organisationTables(client: pg.ClientBase): Promise<OrganisationTable[]> {
  return inOrder((await client.query<Found>(TABLES)).rows);
}

/** The tables that a backup of one organisation includes. */
export const includedTables = async (client: pg.ClientBase): Promise<OrganisationTable[]> =>
  (await organisationTables(client)).filter(({ name }) => LEFT_OUT[name] === undefined);
