import { enqueue, queryAll } from "../database/query.ts";
import { request } from "../request/context.ts";
import { type Bound, statement } from "../sql/statement.ts";
import { reportChange } from "../trail/record-changes.ts";
import { type Move, movesOf } from "./move-statements.ts";
import { kindsOf, referencesTo, tableOfKind } from "./references.ts";

/** The number of rows of a table. */
export interface RowCount {
  table: string;
  count: number;
}

/** What a merge did with the rows that named the merged record. */
export interface MovedReferences {
  moved: RowCount[];
  /** Rows that a unique key allows once, which the kept record has already. */
  dropped: RowCount[];
}

interface Written {
  count: number;
  ids: string[];
}

/** Adds up the rows of each table, in the order of the tables. */
function countsOf(written: readonly (readonly [Move, Written])[], effect: Move["effect"]): RowCount[] {
  const counts = new Map<string, number>();
  for (const [move, { count }] of written)
    if (move.effect === effect && count > 0) counts.set(move.reference.table, (counts.get(move.reference.table) ?? 0) + count);
  return [...counts].map(([table, count]) => ({ table, count }));
}

/** Reports a change to outgoing webhooks; a record that is not the row itself changes with it. */
function report({ shown, effect, reference }: Move, ids: readonly string[]): void {
  if (!shown || ids.length === 0) return;
  const isItself = shown.record === "id";
  reportChange(shown.kind, ids, effect === "dropped" && isItself ? "deleted" : "updated", [shown.field]);
  const owner = tableOfKind(shown.kind);
  if (isItself || owner === reference.table) return;
  const touch = statement(`update ${owner} t set version = t.version + 1, updated_at = statement_timestamp()
    where t.organisation_id = $1 and t.id = any($2::uuid[])`);
  enqueue(touch, [request().organisation.id, ids]);
}

/**
 * Moves every reference to a record to another of its kind, in the running transaction and in one round trip. The caller has locked both
 * records, so that no reference with a foreign key is added meanwhile.
 */
export async function moveReferences(kind: string, from: string, to: string): Promise<MovedReferences> {
  const moves = (await referencesTo(kind)).flatMap(movesOf);
  const place = [request().organisation.id, from, to];
  const bound = moves.map(({ text, takesKinds }): Bound => [text, takesKinds ? [...place, kindsOf(kind)] : place]);
  const results = (await queryAll(...bound)) as unknown as [Written][];
  const written = moves.map((move, index) => [move, (results[index] as [Written])[0]] as const);
  for (const [move, { ids }] of written) report(move, ids);
  return { moved: countsOf(written, "moved"), dropped: countsOf(written, "dropped") };
}
