import { type Filter, type ListingSpec, updatedSince } from "../../../core/database/lists/listing-spec.ts";
import { NOBODY_RESTRICTED } from "../../../core/database/projection.ts";
import { request } from "../../../core/request/context.ts";
import { readInstant } from "../../../core/schema/schema.ts";
import { type Bound, type Statement, statement } from "../../../core/sql/statement.ts";

/**
 * Compiles figures over all rows of a list, using the list's own filters and selection, so that no sum includes rows the list does not
 * show (conventions §23).
 * @param select the figures, over alias `t`
 * @returns builds the statement for given filter values; it returns one row. `updated_since` is passed as the caller sent it
 */
export function figures(
  spec: Pick<ListingSpec, "table" | "filters" | "changed" | "visible">,
  select: string,
): (given: Readonly<Record<string, unknown>>) => Bound {
  const { table, visible } = spec;
  const filters: Record<string, Filter> = { ...spec.filters, updated_since: updatedSince(spec) };
  const statements = new Map<string, Statement>();

  function compile(present: readonly string[], isRestricted: boolean): Statement {
    const sources = isRestricted ? `$${present.length + 2}::uuid[]` : NOBODY_RESTRICTED;
    const conditions = present.map((name, index) => {
      const { type, when } = filters[name] as Filter;
      return when(`$${index + 2}::${type}`, sources);
    });
    const seen = isRestricted && visible ? [visible(sources)] : [];
    const where = ["t.organisation_id = $1", ...conditions, ...seen].join(" and ");
    return statement(`select ${select} from ${table} t where ${where}`);
  }

  return (given) => {
    const { organisation, principal } = request();
    const selection = (visible && principal?.selection) || null;
    const present = Object.keys(filters).filter((name) => given[name] !== undefined);
    const key = `${present.join()} ${selection !== null}`;
    let text = statements.get(key);
    if (!text) statements.set(key, (text = compile(present, selection !== null)));
    const values = present.map((name) => (name === "updated_since" ? readInstant(given[name] as string) : given[name]));
    return [text, [organisation.id, ...values, ...(selection === null ? [] : [selection])]];
  };
}
