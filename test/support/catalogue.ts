import type pg from "pg";

/** Objects of a new cluster have smaller ids. */
const FIRST = 16_384;

/** The system catalogues that describe a schema, each with the column that says whose row it is. */
const CATALOGUES: Readonly<Record<string, string>> = {
  pg_aggregate: "aggfnoid",
  pg_am: "oid",
  pg_amop: "oid",
  pg_amproc: "oid",
  pg_attrdef: "oid",
  pg_attribute: "attrelid",
  pg_cast: "oid",
  pg_class: "oid",
  pg_collation: "oid",
  pg_constraint: "oid",
  pg_conversion: "oid",
  pg_default_acl: "oid",
  pg_depend: "objid",
  pg_description: "objoid",
  pg_enum: "oid",
  pg_event_trigger: "oid",
  pg_extension: "oid",
  pg_foreign_data_wrapper: "oid",
  pg_foreign_server: "oid",
  pg_foreign_table: "ftrelid",
  pg_index: "indexrelid",
  pg_inherits: "inhrelid",
  pg_init_privs: "objoid",
  pg_language: "oid",
  pg_namespace: "oid",
  pg_opclass: "oid",
  pg_operator: "oid",
  pg_opfamily: "oid",
  pg_partitioned_table: "partrelid",
  pg_policy: "oid",
  pg_proc: "oid",
  pg_publication: "oid",
  pg_range: "rngtypid",
  pg_rewrite: "oid",
  pg_seclabel: "objoid",
  pg_sequence: "seqrelid",
  pg_statistic_ext: "oid",
  pg_transform: "oid",
  pg_trigger: "oid",
  pg_ts_config: "oid",
  pg_ts_dict: "oid",
  pg_type: "oid",
  pg_user_mapping: "oid",
};

/** Ids, what describes files, statistics and rows, and trees of expressions, which are full of ids. */
const LEFT_OUT = new Set(
  ["oid", "relfilenode", "relpages", "reltuples", "relallvisible", "relallfrozen", "relfrozenxid", "relminmxid"].concat(
    // The value of a column in rows that are older than it; whether a table had a trigger at any time.
    ["atthasmissing", "attmissingval", "relhastriggers"],
    ["adbin", "conbin", "indexprs", "indpred", "polqual", "polwithcheck", "proargdefaults", "prosqlbody", "ev_action", "ev_qual"],
    ["tgqual", "typdefaultbin", "stxexprs", "partexprs", "relpartbound"],
  ),
);

/** Rows of a catalogue that are of this database, and the text and the order that PostgreSQL gives an object. */
const ROWS: Readonly<Record<string, string>> = {
  pg_attrdef:
    "select to_jsonb(c) || jsonb_build_object('text', pg_get_expr(adbin, adrelid)) as row from pg_attrdef c where oid >= $1",
  pg_constraint: `select to_jsonb(c) || jsonb_build_object('text', pg_get_constraintdef(oid), 'nth', case contype when 'f' then rank() over (partition by confrelid order by oid) end) as row
    from pg_constraint c where oid >= $1`,
  pg_index: `select to_jsonb(c) || jsonb_build_object('text', pg_get_indexdef(indexrelid), 'nth', rank() over (partition by indrelid order by indexrelid)) as row
    from pg_index c where indexrelid >= $1`,
  pg_namespace: "select to_jsonb(c) as row from pg_namespace c where nspname !~ '^pg_(toast_)?temp'",
  pg_policy: `select to_jsonb(c) || jsonb_build_object('text', array[pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)]) as row
    from pg_policy c where oid >= $1`,
  pg_proc:
    "select to_jsonb(c) || jsonb_build_object('text', case when prokind <> 'a' then pg_get_functiondef(oid) end) as row from pg_proc c where oid >= $1",
  pg_rewrite: "select to_jsonb(c) || jsonb_build_object('text', pg_get_ruledef(oid)) as row from pg_rewrite c where oid >= $1",
  pg_statistic_ext:
    "select to_jsonb(c) || jsonb_build_object('text', pg_get_statisticsobjdef(oid)) as row from pg_statistic_ext c where oid >= $1",
  pg_trigger: "select to_jsonb(c) || jsonb_build_object('text', pg_get_triggerdef(oid)) as row from pg_trigger c where oid >= $1",
};

const REFERENCES = `select fktable::text as table, fkcols[1] as column, pktable::text as target from pg_get_catalog_foreign_keys()
  where cardinality(fkcols) = 1 and pkcols = '{oid}'`;
/** References to an object of the catalogue that another column names. */
const BY_CLASS: Readonly<Record<string, string>> = { objoid: "classoid", objid: "classid", refobjid: "refclassid" };

type Row = Record<string, unknown>;
type Names = Map<string, string>;

/** The catalogue that a column refers to; undefined for a column that is no reference. */
const targetOf = (table: string, column: string, row: Row, targets: Names, classes: Names): string | undefined =>
  BY_CLASS[column] === undefined ? targets.get(`${table}.${column}`) : classes.get(String(row[BY_CLASS[column]]));

const idsOf = (value: unknown): number[] =>
  [value]
    .flat()
    .filter((one) => /^[1-9]\d*$/.test(String(one)))
    .map(Number);

/**
 * The schema of a database as PostgreSQL's own catalogues describe it: one line for each of their rows, with names in place of ids.
 * Two databases of one cluster with the same lines differ only in their rows and in what `LEFT_OUT` lists.
 */
export async function catalogueOf(client: pg.Client): Promise<string[]> {
  await client.query("set search_path = public");
  const named = async (text: string): Promise<Names> =>
    new Map((await client.query<{ key: string; name: string }>(text)).rows.map(({ key, name }) => [key, name]));
  const targets = await named(`select r.table || '.' || r.column as key, target as name from (${REFERENCES}) r`);
  const classes = await named(
    "select oid::text as key, relname::text as name from pg_class where relnamespace = 'pg_catalog'::regnamespace",
  );
  const found: [table: string, row: Row][] = [];
  for (const [table, key] of Object.entries(CATALOGUES)) {
    const text = ROWS[table] ?? `select to_jsonb(c) as row from ${table} c where ${key} >= $1`;
    const { rows } = await client.query<{ row: Row }>(text, text.includes("$1") ? [FIRST] : []);
    found.push(...rows.map(({ row }) => [table, row] as [string, Row]));
  }
  const used = new Map<string, [target: string, id: number]>();
  for (const [table, row] of found) {
    used.set(`${table} ${row["oid"]}`, [table, Number(row["oid"] ?? 0)]);
    for (const [column, value] of Object.entries(row)) {
      const target = targetOf(table, column, row, targets, classes);
      if (target !== undefined) for (const id of idsOf(value)) used.set(`${target} ${id}`, [target, id]);
    }
  }
  const asked = [...used.values()].filter(([, id]) => id !== 0);
  const { rows } = await client.query<{ key: string; name: string }>(
    `select k.target || ' ' || k.id as key, concat_ws(' ', i.type, i.identity) as name
       from unnest($1::text[], $2::oid[]) k (target, id), pg_identify_object(k.target::regclass, k.id, 0) i`,
    [asked.map(([target]) => target), asked.map(([, id]) => id)],
  );
  const names: Names = new Map(rows.map(({ key, name }) => [key, name]));
  const nameOf = (target: string, value: unknown): unknown =>
    Array.isArray(value) ? value.map((one) => nameOf(target, one)) : (names.get(`${target} ${value}`) ?? value);
  const shown = ([table, row]: [string, Row]): string => {
    const facts = Object.entries(row)
      .filter(([column]) => !LEFT_OUT.has(column))
      .map(([column, value]) => {
        const target = targetOf(table, column, row, targets, classes);
        return [column, target === undefined ? value : nameOf(target, value)];
      });
    return `${table} ${names.get(`${table} ${row["oid"]}`) ?? ""} ${JSON.stringify(Object.fromEntries(facts))}`;
  };
  // Tables of long values and the triggers of references are named by ids.
  const withoutIds = (line: string) =>
    line
      .replace(/pg_toast_(\d+)/g, (_, id) => `long values of ${names.get(`pg_class ${id}`)}`)
      .replace(/(RI_ConstraintTrigger_[ac])_\d+/g, "$1");
  return found.map(shown).map(withoutIds).sort();
}
