import type { Step } from "../step.ts";

/**
 * Links of a record that its answer shows and that go with the record at their other end: each change of them by such a deletion is a change
 * of the record. By table: the record's table and the column that names it.
 */
const LINKS: readonly (readonly [table: string, record: string, column: string])[] = [
  ["interaction_contacts", "interactions", "interaction_id"],
  ["task_label_links", "tasks", "task_id"],
  ["task_assignees", "tasks", "task_id"],
  ["project_assignees", "projects", "project_id"],
  ["contact_links", "contacts", "contact_id"],
];

/**
 * A deletion that empties a reference, or takes a link, moves the version and `updated_at` of the record that had it, so that its ETag is
 * another one and `updated_since` finds it. A write of the service moves them itself: only what a foreign key does is looked at, which runs
 * within a trigger.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      create function moved_by_deletion() returns trigger language plpgsql as $$
      begin
        new.version := old.version + 1;
        new.updated_at := statement_timestamp();
        return new;
      end $$;
      comment on function moved_by_deletion is 'The state of a row whose reference a deletion elsewhere has emptied';

      create function link_lost_by_deletion() returns trigger language plpgsql as $$
      begin
        execute format('update %I t set version = t.version + 1, updated_at = statement_timestamp()
          from (select distinct organisation_id, %2$I as id from gone) g where t.organisation_id = g.organisation_id and t.id = g.id',
          tg_argv[0], tg_argv[1]);
        return null;
      end $$;
      comment on function link_lost_by_deletion is 'The state of a record that lost links to a deleted record';`);

    const { rows } = await sql(`
      select c.relname as "table", array_agg(distinct a.attname::text order by a.attname::text) as columns
        from pg_constraint f
        join pg_class c on c.oid = f.conrelid and c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
        join pg_attribute a on a.attrelid = c.oid and a.attnum = any(coalesce(f.confdelsetcols, f.conkey)) and not a.attnotnull
       where f.contype = 'f' and f.confdeltype = 'n'
         and (select count(*) from pg_attribute v where v.attrelid = c.oid and not v.attisdropped and v.attname in ('version', 'updated_at')) = 2
       group by c.relname order by c.relname`);
    for (const { table, columns } of rows as { table: string; columns: string[] }[])
      await sql(`
        create trigger moved_by_deletion before update of ${columns.join(", ")} on ${table} for each row
          when (pg_trigger_depth() > 0 and new.version = old.version
            and (${columns.map((column) => `old.${column} is not null and new.${column} is null`).join(" or ")}))
          execute function moved_by_deletion();`);
    for (const [table, record, column] of LINKS)
      await sql(`
        create trigger link_lost_by_deletion after delete on ${table} referencing old table as gone for each statement
          when (pg_trigger_depth() > 0) execute function link_lost_by_deletion('${record}', '${column}');`);
  },
};

export default step;
