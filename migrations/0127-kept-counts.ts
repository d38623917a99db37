import { type CountedRows, keepsCount, type Step, tenantTable } from "./step.ts";

const BY_STATUS: CountedRows = { key: (row) => `${row}.status`, moved: ["status"] };

/** The tables whose lists are counted, and the keys of their counts. */
export const COUNTED: Readonly<Record<string, CountedRows>> = {
  companies: BY_STATUS,
  contacts: {},
  domains: BY_STATUS,
  hostings: {},
  // The newest of each conversation; one that waits is counted for its owner alone, who alone sees it.
  interactions: {
    key: (row) => `case ${row}.status when 'logged' then '' else coalesce(${row}.owner_account_id::text, '-') end`,
    where: (row) => `${row}.leads`,
    moved: ["leads", "status", "owner_account_id"],
  },
  invoices: BY_STATUS,
  projects: BY_STATUS,
  quotes: BY_STATUS,
  subscriptions: BY_STATUS,
  tasks: BY_STATUS,
  time_entries: { key: (row) => `${row}.user_id::text`, moved: ["user_id"] },
  websites: {},
};

/**
 * The number of rows of large lists, so that `total` needs no count (conventions §10). Each statement that adds or removes rows adds a row of
 * changes, next to which no other writer has to wait; a job folds them. A count is the sum of both tables in one snapshot: exact in every
 * transaction. Neither table refers to `organisations`: each write would lock its row.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table kept_counts (
        organisation_id uuid not null,
        list text collate "C" not null,
        key text collate "C" not null,
        rows bigint not null,
        primary key (organisation_id, list, key)
      ) with (fillfactor = 70);
      comment on table kept_counts is 'Rows of lists by key, without the changes that are not folded yet';
      ${tenantTable("kept_counts", application)}

      create table count_changes (
        organisation_id uuid not null,
        list text collate "C" not null,
        key text collate "C" not null,
        change bigint generated always as identity,
        rows bigint not null,
        primary key (organisation_id, list, key, change)
      );
      comment on table count_changes is 'Rows that statements added to lists or removed from them, since the last fold';
      ${tenantTable("count_changes", application)}

      create function count_emptied() returns trigger language plpgsql as $$
      begin
        insert into public.count_changes (organisation_id, list, key, rows)
          select organisation_id, list, key, -sum(rows) from (
            select organisation_id, list, key, rows from public.kept_counts where list = tg_table_name
            union all select organisation_id, list, key, rows from public.count_changes where list = tg_table_name) counted
          group by 1, 2, 3 having sum(rows) <> 0;
        return null;
      end $$;

      -- One node at a time folds the changes of all organisations, so that it waits for no lock; it returns their number.
      create function fold_counts() returns bigint language plpgsql security definer set search_path = public as $$
      declare
        folded bigint := 0;
      begin
        if pg_try_advisory_xact_lock(hashtextextended('fold_counts', 0)) then
          with gone as (delete from count_changes returning organisation_id, list, key, rows),
          summed as materialized (select organisation_id, list, key, sum(rows)::bigint as rows, count(*) as changes from gone group by 1, 2, 3),
          sums as (select s.organisation_id, s.list, s.key, s.rows, coalesce(k.rows, 0) + s.rows = 0 as is_empty from summed s
            left join kept_counts k on k.organisation_id = s.organisation_id and k.list = s.list and k.key = s.key),
          emptied as (delete from kept_counts k using sums s
            where s.is_empty and k.organisation_id = s.organisation_id and k.list = s.list and k.key = s.key),
          kept as (insert into kept_counts as k (organisation_id, list, key, rows)
            select organisation_id, list, key, rows from sums where not is_empty and rows <> 0
            on conflict (organisation_id, list, key) do update set rows = k.rows + excluded.rows)
          select coalesce(sum(changes), 0)::bigint into folded from summed;
        end if;
        return folded;
      end $$;
      comment on function fold_counts is 'Adds the changes of counts to the counts that they changed';
      revoke all on function fold_counts() from public;
      grant execute on function fold_counts() to ${application};`);

    for (const [table, counted] of Object.entries(COUNTED)) await sql(keepsCount(table, counted));
  },
};

export default step;
