import type { Model } from "../database/model.ts";
import { query } from "../database/query.ts";
import { catalogue } from "../declare/catalogue/catalogue.ts";
import type { LostReference } from "../declare/module.ts";
import { request } from "../request/context.ts";
import { type Statement, statement } from "../sql/statement.ts";
import { reportChange } from "./record-changes.ts";

/** Selects the records of a type that have a reference to one of the records `$2`. */
const referring = (kind: string, { field, table, column = field, record = "id", when = "true" }: LostReference): string =>
  `select '${kind}' as kind, '${field}' as field, t.${record} as id from ${table} t
    where t.organisation_id = $1 and t.${column} = any($2::uuid[]) and ${when}`;

const statements = new Map<string, Statement | null>();

/** The statement for records of a table; null if no type of record declares a reference to them. */
function statementFor(table: string): Statement | null {
  let known = statements.get(table);
  if (known === undefined) {
    const parts = [...catalogue().records].flatMap(([kind, { loses = [] }]) =>
      loses.flatMap((reference) => (reference.to === table ? referring(kind, reference) : [])),
    );
    statements.set(table, (known = parts.length === 0 ? null : statement(parts.join(" union all "))));
  }
  return known;
}

/**
 * Reports to outgoing webhooks (platform §5.9) which records lose a reference when these records are deleted. Every deletion of a record to
 * which others refer calls it first, with the records locked.
 */
export async function reportLostReferences({ table }: Pick<Model, "table">, ids: readonly string[]): Promise<void> {
  const text = statementFor(table);
  if (!text || ids.length === 0) return;
  const found = await query<{ kind: string; field: string; id: string }>(text, [request().organisation.id, ids]);
  for (const { kind, field, id } of found) reportChange(kind, [id], "updated", [field]);
}
