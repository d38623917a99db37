import type { Step } from "./step.ts";

/**
 * A plan made while a table was nearly empty is wrong once it has grown. To analyse the table replaces its plans, on every connection, and
 * keeps those of other tables; `discard plans` made a connection plan all of its statements again. Only the owner can analyse a table.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create function jobs.analyse(grown oid[]) returns void language plpgsql security definer set search_path = pg_catalog as $$
      declare
        one regclass;
      begin
        for one in select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where c.oid = any(grown) and c.relkind = 'r' and n.nspname in ('public', 'jobs') loop
          -- A table that is locked is being analysed already, or is about to change its plans.
          execute format('analyze (skip_locked) %s', one);
        end loop;
      end $$;

      revoke all on function jobs.analyse(oid[]) from public;
      grant execute on function jobs.analyse(oid[]) to ${application};
    `);
  },
};

export default step;
