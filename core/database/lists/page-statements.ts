import { type Statement, textStatement } from "../../sql/statement.ts";
import { NOBODY_RESTRICTED, type Projection } from "../projection.ts";
import { keptTotal } from "./kept-counts.ts";
import { type LinkedCondition, linkedIds, rowByRow, UP_TO_END } from "./linked.ts";
import type { Filter, ListingSpec, Sort } from "./listing-spec.ts";
import { columnsOf, type Order, type OrderPart, ordersOf, sortName } from "./order.ts";
import { conditionsBehind, type Position } from "./position.ts";
import type { SearchFunction } from "./search.ts";

/** More rows than any table has. */
const ALL = 2_147_483_647;

/** The form of a page's statement: everything but its values. */
export interface PageForm {
  sort: string;
  count: boolean;
  /** Names of the filters with a value, in the order of the list. */
  present: readonly string[];
  restricted: boolean;
  /** The position that the page begins behind; only which of its values are empty counts. */
  after: Position;
}

/** A statement of pages, and the columns of its rows that hold their position in the order. */
export interface PageStatement {
  statement: Statement;
  position: readonly number[];
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
    this.#shown = projected.columns("", "sources");
  }

  /** The first rows of an order that has `first`, without filter, search or selection. */
  ofFirstRows({ sort, count }: Pick<PageForm, "sort" | "count">): PageStatement {
    const { table, sorts } = this.#spec;
    const first = (sorts[sortName(sort)] as Sort).first as NonNullable<Sort["first"]>;
    const ids = `unnest((${first(sort.startsWith("-"))})[($3::bigint + 1)::int : ($3::bigint + $2::bigint)::int])`;
    const total = keptTotal(this.#spec, [], "") ?? `count(*)::int from ${table} t where t.organisation_id = $1`;
    const order = this.#orderOf(sort, NOBODY_RESTRICTED);
    return this.#answered(this.#byIds(ids, order), order, NOBODY_RESTRICTED, count ? total : null);
  }

  /** The rows that meet the filters; each has its slot from `$4` on, then comes the selection, and last the position. */
  ofFilteredRows({ sort, count, present, restricted, after }: PageForm): PageStatement {
    const { table, visible } = this.#spec;
    const sources = restricted ? `$${present.length + 4}::uuid[]` : NOBODY_RESTRICTED;
    const order = this.#orderOf(sort, sources);
    const filtered = this.#filtered(present, sources);
    const whole = ["t.organisation_id = $1", ...(restricted ? [(visible as NonNullable<typeof visible>)(sources)] : [])];
    const behind = conditionsBehind(order, after, present.length + whole.length + 3);
    const where = [...whole, ...filtered.map(({ when }) => when)].join(" and ");
    if (filtered.every(({ ids }) => ids === undefined)) {
      const kept = restricted ? undefined : keptTotal(this.#spec, present, "$4");
      const total = kept ?? `count(*)::int from ${table} t where ${where}`;
      return this.#answered(this.#numbered(this.#rowsInOrder(order, where, behind)), order, sources, count ? total : null);
    }
    const links = filtered.flatMap(({ ids }) => ids ?? []);
    // The ids of a single link table replace its condition.
    const isReplaced = ({ ids }: LinkedCondition) => ids !== undefined && links.length === 1;
    const others = [...whole, ...filtered.filter((one) => !isReplaced(one)).map(({ when }) => when)].join(" and ");
    const checked = [...whole, ...filtered.map(({ when, ids }) => (ids === undefined ? when : rowByRow(when)))].join(" and ");
    const near = (rows: number) => this.#near(order, checked, behind, rows);
    const ids = linkedIds(links, order.isIndexed ? near : undefined, UP_TO_END);
    const rows = this.#rowsInOrder({ ...order, isIndexed: false }, `${others} and t.id = any(${ids}::uuid[])`, behind);
    // Without another condition the links themselves are the rows.
    const isAll = whole.length === 1 && filtered.length === 1;
    const total = isAll
      ? `count(*)::int from (${links[0]}) n`
      : `count(*)::int from ${table} t where ${others} and t.id = any(array(${links[0]}))`;
    return this.#answered(this.#numbered(rows), order, sources, count ? total : null);
  }

  /** The rows that the search finds: the selection is `$4`, the words are `$5`, every filter has its slot from `$6` on, then the position. */
  ofFoundRows({ sort, count, after }: Pick<PageForm, "sort" | "count" | "after">): PageStatement {
    const [search, matches] = this.#functions as unknown as [SearchFunction, SearchFunction];
    const given = this.#filters.map(([, { type }], index) => `$${index + 6}::${type}`);
    const common = ["$5::text[]", "$4::uuid[]", ...given].join(", ");
    const order = this.#orderOf(sort, "$4::uuid[]");
    const behind = conditionsBehind(order, after, given.length + 6);
    const found = `t.organisation_id = $1 and t.id = any(array(select ${search.name}(${common}, '${sort}', ${ALL}, 0)))`;
    const chosen =
      behind.length === 0
        ? this.#byIds(`${search.name}(${common}, '${sort}', $2, $3)`, order)
        : this.#numbered(this.#rowsInOrder({ ...order, isIndexed: false }, found, behind));
    return this.#answered(chosen, order, "$4::uuid[]", count ? `${matches.name}(${common})` : null);
  }

  #orderOf(sort: string, sources: string): Order {
    return ordersOf(this.#spec, sources).get(sort) as Order;
  }

  /** The filters that are present. */
  #filtered(present: readonly string[], sources: string): LinkedCondition[] {
    return this.#filters
      .filter(([name]) => present.includes(name))
      .map(([, { type, when, ids }], index) => {
        const slot = `$${index + 4}::${type}`;
        return { when: when(slot, sources), ids: ids?.(slot, sources) };
      });
  }

  /** The columns of a page's rows: those that are shown, and those of the order, under a name of their own if they are in another table. */
  #columns({ parts }: Order): string {
    const own = columnsOf("t.id, t.organisation_id", this.#shown, ...parts.map(({ sql }) => sql));
    return [own, ...joinedParts(parts)].join(", ");
  }

  /** The rows of a page, from a function or array that returns their ids in order. */
  #byIds(ids: string, order: Order): string {
    const join = order.parts.every(({ sql }) => isOfList(sql)) ? "" : order.join;
    return `(select ${this.#columns(order)}, f.ordinal from ${ids} with ordinality f(id, ordinal)
      join ${this.#spec.table} t on t.organisation_id = $1 and t.id = f.id ${join})`;
  }

  /**
   * The rows of a page that meet a condition, in order.
   * @param behind the conditions of rows behind a position. With an index of the order, each is a search of its own in it; otherwise the
   * rows have to be sorted anyway
   */
  #rowsInOrder(order: Order, where: string, behind: readonly string[]): string {
    const select = (condition: string) =>
      `select ${this.#columns(order)} from ${this.#spec.table} t ${order.join} where ${condition} order by ${order.clause} limit $2 offset $3`;
    if (behind.length > 0 && order.isIndexed) {
      const each = behind.map((condition) => `(${select(`${where} and ${condition}`)})`).join(" union all ");
      return `select * from (${each}) t order by ${order.clause} limit $2`;
    }
    if (behind.length > 0) return select(`${where} and (${behind.map((condition) => `(${condition})`).join(" or ")})`);
    return select(where);
  }

  /** The ids of the rows up to the end of a page that meet a condition, among the first rows of an order that an index has. */
  #near({ clause }: Order, condition: string, behind: readonly string[], rows: number): string {
    const select = (place: string) =>
      `select t.* from ${this.#spec.table} t where t.organisation_id = $1${place} order by ${clause} limit ${rows}`;
    const each = behind.map((place) => `(${select(` and ${place}`)})`).join(" union all ");
    const first = behind.length === 0 ? select("") : `select * from (${each}) t order by ${clause} limit ${rows}`;
    return `select t.id from (${first}) t where ${condition} order by ${clause} limit ${UP_TO_END}`;
  }

  /** Ordered rows with their ordinals. */
  #numbered(ordered: string): string {
    const ordinal = this.#projected.keepsOrder ? "null::bigint" : "row_number() over ()";
    return `(select o.*, ${ordinal} as ordinal from (${ordered}) o)`;
  }

  #answered(chosen: string, { parts }: Order, sources: string, total: string | null): PageStatement {
    return pageStatement(this.#projected, chosen, parts, sources, total);
  }
}

/**
 * The statement of a page. Each row ends with the columns of its position that it does not show anyway, and its ordinal. With a count, its
 * first column holds the total; an empty page is one row with nothing but the total.
 * @param chosen the rows of the page, with `joinedParts` and their ordinal
 * @param total SQL of the total behind `select`, null without a count
 */
export function pageStatement(
  projected: Projection,
  chosen: string,
  parts: readonly OrderPart[],
  sources: string,
  total: string | null,
): PageStatement {
  const before = total === null ? 0 : 1;
  const added: string[] = [];
  const position = parts.map(({ sql }, index) => {
    const value = sql.replace(/ collate \w+$/, "");
    const shown = projected.columnOf(value);
    if (shown !== undefined) return before + shown;
    return before + projected.width + added.push(isOfList(sql) ? value : `t.${named(index)}`) - 1;
  });
  const rows = projected.columns(chosen, sources, [...added, "t.ordinal"].join(", "));
  const text =
    total === null ? rows : `select c.total, r.* from (select (select ${total}) as total) c left join (${rows}) r on true`;
  return { statement: textStatement(text), position };
}

/** The columns of an order that come from another table than the list's, each under its own name. */
export const joinedParts = (parts: readonly OrderPart[]): string[] =>
  parts.flatMap(({ sql }, index) => (isOfList(sql) ? [] : [`${sql} as ${named(index)}`]));

/** Whether an expression needs nothing but the row `t` of the list. */
const isOfList = (sql: string): boolean => !/\b(?!t\.)[a-z]\w*\.\w/.test(sql);
const named = (index: number): string => `order_${index}`;
