import type { Step } from "./step.ts";

/** What switches the triggers off, in front of each trigger's own condition. */
const GUARD = "current_setting('app.whole_organisation', true) is distinct from 'on'";

/** Triggers of tables with an organisation that nothing switches off yet, as they are written. */
const UNGUARDED = `
  select pg_get_triggerdef(g.oid) as text, case g.tgenabled when 'A' then
           format('alter table %s enable always trigger %I', g.tgrelid::regclass, g.tgname) end as always from pg_trigger g join pg_class c on c.oid = g.tgrelid
   where not g.tgisinternal and c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
     and pg_get_triggerdef(g.oid) !~ 'app.whole_organisation'
     and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organisation_id' and not a.attisdropped)
   order by c.relname, g.tgname`;

/** A trigger that does nothing while an operator writes or deletes a whole organisation. */
function guarded(text: string): string {
  const replacing = text.replace(/^CREATE TRIGGER/, "CREATE OR REPLACE TRIGGER");
  const own = / WHEN \((.*)\) EXECUTE FUNCTION /.exec(replacing);
  if (!own) return replacing.replace(" EXECUTE FUNCTION ", ` WHEN (${GUARD}) EXECUTE FUNCTION `);
  return replacing.replace(own[0], () => ` WHEN (${GUARD} AND ${own[1]}) EXECUTE FUNCTION `);
}

async function guardAll(sql: (text: string) => Promise<{ rows: Record<string, unknown>[] }>): Promise<void> {
  for (const { text, always } of (await sql(UNGUARDED)).rows) {
    await sql(guarded(text as string));
    // A replaced trigger no longer runs where those of a replica are silent, unless this is said again.
    if (always !== null) await sql(always as string);
  }
}

/**
 * A restored organisation's rows are those of its backup, with the rows that triggers had derived from them; a purged one's go with them. So
 * the triggers of tables with an organisation do nothing in a transaction with `app.whole_organisation`. Each is replaced in a transaction of
 * its own, because replacing one waits for those who write its table.
 */
const step: Step = {
  async ahead(sql) {
    await guardAll(sql);
    return [];
  },
  up: ({ sql }) => guardAll(sql),
};

export default step;
