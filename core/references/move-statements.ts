import { type Statement, statement } from "../sql/statement.ts";
import { type Reference, type ShownReference, shownBy } from "./references.ts";

/**
 * A statement that moves references of record `$2` to record `$3` of organisation `$1`, both of the kinds `$4` if it `takesKinds`. Its one
 * row has the number of rows, and the ids of the records that show the reference.
 */
export interface Move {
  readonly reference: Reference;
  readonly effect: "cleared" | "dropped" | "moved";
  readonly shown: ShownReference | null;
  readonly text: Statement;
  readonly takesKinds: boolean;
}

/** The condition that row `alias` names the record in a slot. */
function names({ column, declared: { holds, kind } }: Reference, alias: string, slot: string): string {
  const of = `${alias}.organisation_id = $1`;
  if (holds === "list") return `${of} and ${slot}::uuid = any(${alias}.${column})`;
  // Callers may have sent an id in capitals, and JSON keeps what was sent.
  if (holds === "json") return `${of} and ${alias}.${column}::text ilike '%' || ${slot}::uuid::text || '%'`;
  const plain = `${of} and ${alias}.${column} = ${slot}::uuid`;
  return kind === undefined ? plain : `${plain} and ${alias}.${kind} = any($4::text[])`;
}

/** The new value of a column of row `t`. */
function moved({ column, declared: { holds } }: Reference): string {
  if (holds === "list")
    return `case when $3::uuid = any(t.${column}) then array_remove(t.${column}, $2::uuid)
      else array_replace(t.${column}, $2::uuid, $3::uuid) end`;
  if (holds === "json") return `regexp_replace(t.${column}::text, $2::uuid::text, $3::uuid::text, 'gi')::jsonb`;
  return "$3::uuid";
}

/** The condition that the kept record has row `k` with the values of row `t`. */
function clashes(reference: Reference, by: readonly string[]): string {
  const { kind } = reference.declared;
  const same = [...by, ...(kind === undefined ? [] : [kind])].map((column) => ` and k.${column} = t.${column}`).join("");
  return `exists (select from ${reference.table} k where ${names(reference, "k", "$3")}${same})`;
}

/** Every change of a row moves its version, so that copies and caches see it. */
const touched = (columns: ReadonlySet<string>): string[] => [
  ...(columns.has("version") ? ["version = t.version + 1"] : []),
  ...(columns.has("updated_at") ? ["updated_at = statement_timestamp()"] : []),
];

/** A statement with its result row. */
function counted(write: string, shown: ShownReference | null): Statement {
  const [returning, ids] = shown
    ? [
        `t.${shown.record} as id, ${shown.when} as is_shown`,
        "array(select distinct w.id from written w where w.is_shown order by w.id)",
      ]
    : ["1", "'{}'::uuid[]"];
  return statement(`with written as (${write} returning ${returning})
    select (select count(*)::int from written) as count, ${ids} as ids`);
}

function update(reference: Reference, sets: readonly string[], where: string): string {
  return `update ${reference.table} t set ${[...sets, ...touched(reference.columns)].join(", ")} where ${where}`;
}

/** The statements that move one reference, in their order; none for one that is left as it is. */
export function movesOf(reference: Reference): Move[] {
  const { table, column, declared } = reference;
  const { oneBy, flag, renumbered, kind, left } = declared;
  if (left !== undefined) return [];
  const shown = shownBy(reference);
  const of = names(reference, "t", "$2");
  const move = (effect: Move["effect"], write: string): Move => ({
    reference,
    effect,
    shown,
    text: counted(write, shown),
    takesKinds: kind !== undefined,
  });
  const sets = [`${column} = ${moved(reference)}`];
  if (renumbered) {
    const { column: number, by } = renumbered;
    const same = by.map((name) => ` and k.${name} = t.${name}`).join("");
    sets.push(
      `${number} = t.${number} + coalesce((select max(k.${number}) from ${table} k where ${names(reference, "k", "$3")}${same}), 0)`,
    );
  }
  return [
    ...(flag === undefined
      ? []
      : [move("cleared", update(reference, [`${flag} = false`], `${of} and t.${flag} and ${clashes(reference, [flag])}`))]),
    ...(oneBy === undefined ? [] : [move("dropped", `delete from ${table} t where ${of} and ${clashes(reference, oneBy)}`)]),
    move("moved", update(reference, sets, of)),
  ];
}
