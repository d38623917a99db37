import { queryAll } from "../database/query.ts";
import { catalogue } from "../declare/catalogue/catalogue.ts";
import { reportedKinds } from "../declare/record-events.ts";
import type { ReferenceDeclaration } from "../declare/references.ts";
import { statement } from "../sql/statement.ts";

/** A column that can name a record of one kind. */
export interface Reference {
  readonly table: string;
  readonly column: string;
  readonly declared: ReferenceDeclaration;
  /** All columns of the table. */
  readonly columns: ReadonlySet<string>;
}

/** A type of record whose answer shows a reference. */
export interface ShownReference {
  readonly kind: string;
  readonly field: string;
  /** The column with the record's id. */
  readonly record: string;
  /** SQL condition on the row `t` for which it is shown. */
  readonly when: string;
}

/** The columns with a foreign key to the ids of table `$1`. */
const FOREIGN_KEYS = statement(`select c.relname::text as "table", a.attname::text as "column"
  from pg_constraint k join pg_class c on c.oid = k.conrelid
 cross join lateral unnest(k.conkey, k.confkey) u(own, other)
  join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.own
  join pg_attribute o on o.attrelid = k.confrelid and o.attnum = u.other and o.attname = 'id'
 where k.contype = 'f' and k.confrelid = to_regclass('public.' || $1)`);
const COLUMNS = statement(`select c.relname::text as "table", array_agg(a.attname::text) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
 where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by 1`);

const PLAIN = /^[a-z][a-z0-9_]*$/;

/** The table of a kind of record. @throws TypeError for a kind without a list that copies follow */
export function tableOfKind(kind: string): string {
  const table = catalogue().records.get(kind)?.copied?.table;
  if (table === undefined) throw new TypeError(`no module declares the table of a '${kind}'`);
  return table;
}

/** The kinds of record that are the same record: a client's logo is a file of the client. */
export function kindsOf(kind: string): readonly string[] {
  const seen = catalogue().records.get(kind)?.seen?.[0];
  return [...catalogue().records].flatMap(([name, declared]) => (name === kind || declared.seen?.[0] === seen ? [name] : []));
}

/** The declared references, by table and column. */
export const declaredReferences = (): ReadonlyMap<string, ReferenceDeclaration> =>
  new Map(catalogue().built.flatMap(({ manifest: { references = {} } }) => Object.entries(references)));

/**
 * The columns that can name a record of a kind: those of PostgreSQL's foreign keys, and the declared ones without a key, by table and column.
 * The order is that in which a merge locks their rows.
 */
export async function referencesTo(kind: string): Promise<Reference[]> {
  const [keys, tables] = (await queryAll([FOREIGN_KEYS, [tableOfKind(kind)]], [COLUMNS, []])) as unknown as [
    { table: string; column: string }[],
    { table: string; columns: string[] }[],
  ];
  const columns = new Map(tables.map((one) => [one.table, new Set(one.columns)]));
  const declared = declaredReferences();
  const soft = [...declared].flatMap(([name, { to, kind: by }]) =>
    by !== undefined || to === kind || to === "any" ? [name] : [],
  );
  const names = new Set([...keys.map(({ table, column }) => `${table}.${column}`), ...soft]);
  return [...names].toSorted().map((name) => {
    const [table = "", column = ""] = name.split(".");
    const has = columns.get(table);
    if (!has?.has(column) || !PLAIN.test(table) || !PLAIN.test(column)) throw new TypeError(`${name} is not a column of a table`);
    return { table, column, declared: declared.get(name) ?? {}, columns: has };
  });
}

/** The type of record whose answer shows a reference, if outgoing webhooks report its changes. */
export function shownBy({ table, column, columns }: Reference): ShownReference | null {
  const reported = [...catalogue().records].filter(([kind]) => reportedKinds().has(kind));
  for (const [kind, { loses = [] }] of reported)
    for (const { field, table: of, column: by = field, record = "id", when = "true" } of loses)
      if (of === table && by === column) return { kind, field, record, when };
  const own = columns.has("id") ? reported.find(([, { copied }]) => copied?.table === table) : undefined;
  return own ? { kind: own[0], field: column, record: "id", when: "true" } : null;
}
