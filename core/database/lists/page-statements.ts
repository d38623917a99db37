import { type Statement, textStatement } from "../../sql/statement.ts";
import { NOBODY_RESTRICTED, type Projection } from "../projection.ts";
import { changeOf, idsChanged } from "./changed-rows.ts";
import type { Filter, ListingSpec, Sort } from "./listing-spec.ts";
import { columnsOf, type Order, ordersOf, sortName } from "./order.ts";
import type { SearchFunction } from "./search.ts";

/** The form of a page's statement: everything but its values. */
export interface PageForm {
  sort: string;
  count: boolean;
  /** Names of the filters with a value, in the order of the list. */
  present: readonly string[];
  restricted: boolean;
}

/** Compiles the statements of one list's pages. The organisation is `$1`, the limit `$2` and the offset `$3`. */
export class PageStatements {
  readonly #spec: ListingSpec;
  readonly #projected: Projection;
  readonly #filters: readonly [string, Filter][];
  readonly #functions: readonly SearchFunction[];
  /** The columns that a projection reads. They are named, so a column added to the table later does not appear. */
  readonly #shown: string;

  /** @param filters those of the list; `updated_since` is the last one */
  constructor(
    spec: ListingSpec,
    projected: Projection,
    filters: readonly [string, Filter][],
    functions: readonly SearchFunction[],
  ) {
    this.#spec = spec;
    this.#projected = projected;
    this.#filters = filters;
    this.#functions = functions;
    this.#shown = columnsOf("t.id, t.organisation_id", projected.columns("", "sources"));
  }

  /** The first rows of an order that has `first`, without filter, search or selection. */
  ofFirstRows({ sort, count }: Pick<PageForm, "sort" | "count">): Statement {
    const { table, sorts } = this.#spec;
    const first = (sorts[sortName(sort)] as Sort).first as NonNullable<Sort["first"]>;
    const ids = `unnest((${first(sort.startsWith("-"))})[($3::bigint + 1)::int : ($3::bigint + $2::bigint)::int])`;
    const total = `count(*)::int from ${table} t where t.organisation_id = $1`;
    return this.#answered(this.#byIds(ids), NOBODY_RESTRICTED, count ? total : null);
  }

  /** The rows that meet the filters; each has its slot from `$4` on, and the selection comes last. */
  ofFilteredRows({ sort, count, present, restricted }: PageForm): Statement {
    const { table, visible } = this.#spec;
    const sources = restricted ? `$${present.length + 4}::uuid[]` : NOBODY_RESTRICTED;
    const order = ordersOf(this.#spec, sources).get(sort) as Order;
    const { conditions, within, last } = this.#filtered(present, sources);
    if (restricted) conditions.push((visible as NonNullable<typeof visible>)(sources));
    const where = conditions.join(" and ");
    const chosen =
      present.includes("updated_since") && !order.clause.startsWith(changeOf(this.#spec))
        ? this.#byIds(idsChanged(this.#spec, { since: last, where, within, order }))
        : this.#inOrder(
            `select ${this.#shown} from ${table} t ${order.join} where ${where} order by ${order.clause} limit $2 offset $3`,
          );
    return this.#answered(chosen, sources, count ? `count(*)::int from ${table} t where ${where}` : null);
  }

  /** The rows that the search finds: the selection is `$4`, the words are `$5`, and every filter has its slot from `$6` on. */
  ofFoundRows({ sort, count }: Pick<PageForm, "sort" | "count">): Statement {
    const [search, matches] = this.#functions as unknown as [SearchFunction, SearchFunction];
    const given = this.#filters.map(([, { type }], index) => `$${index + 6}::${type}`);
    const common = ["$5::text[]", "$4::uuid[]", ...given].join(", ");
    const chosen = this.#byIds(`${search.name}(${common}, '${sort}', $2, $3)`);
    return this.#answered(chosen, "$4::uuid[]", count ? `${matches.name}(${common})` : null);
  }

  /** The conditions of the filters, the one that the list's indexes have, and the slot of the last filter. */
  #filtered(present: readonly string[], sources: string): { conditions: string[]; within: string; last: string } {
    const conditions = ["t.organisation_id = $1"];
    let last = "$3";
    let within = "";
    for (const [name, { type, when }] of this.#filters.filter(([name]) => present.includes(name))) {
      last = `$${conditions.length + 3}::${type}`;
      conditions.push(when(last, sources));
      if (name === this.#spec.within?.filter) within = ` and ${this.#spec.within.column} = ${last}`;
    }
    return { conditions, within, last };
  }

  /** The rows of a page, from a function or array that returns their ids in order. */
  #byIds(ids: string): string {
    return `(select ${this.#shown}, f.ordinal from ${ids} with ordinality f(id, ordinal)
      join ${this.#spec.table} t on t.organisation_id = $1 and t.id = f.id)`;
  }

  /** The rows of a page, from a select that returns them in order. */
  #inOrder(ordered: string): string {
    const ordinal = this.#projected.keepsOrder ? "null::bigint" : "row_number() over ()";
    return `(select o.*, ${ordinal} as ordinal from (${ordered}) o)`;
  }

  /** With a count, the first column of each row holds the total; an empty page is one row with nothing but the total. */
  #answered(chosen: string, sources: string, total: string | null): Statement {
    const rows = this.#projected.columns(chosen, sources, "t.ordinal");
    return textStatement(
      total === null ? rows : `select c.total, r.* from (select (select ${total}) as total) c left join (${rows}) r on true`,
    );
  }
}
