import { refusal } from "../../declare/errors.ts";
import { flag, instant, multiline, optional, readInstant, type TProperties, Type } from "../../declare/schema.ts";
import { NOBODY_RESTRICTED, type Projection } from "../projection.ts";
import { type Statement, type TextRow, textStatement } from "../statement.ts";
import { type Filter, type ListingSpec, type Sort, sortKeys } from "./listing-spec.ts";
import { columnsOf, type Order, searchFunctions } from "./search.ts";
import { wordsOf } from "./words.ts";

/** The validated request of a list. */
export interface ListRequest {
  limit: number;
  offset: number;
  count: boolean;
  sort?: string | undefined;
  q?: string | undefined;
  updated_since?: string | undefined;
  /** Values of the spec's filters; undefined does not filter. */
  filters?: Record<string, unknown>;
  /** Sources of the selection; null is unrestricted. */
  selection: string[] | null;
}

/** Defaults for omitted parameters, over HTTP and from other actors. */
export const LIST_DEFAULTS = { limit: 50, offset: 0, count: true } as const;
/** The parameters of a paged list in an action. */
export type ListQuery = Partial<Omit<ListRequest, "filters" | "selection">>;

/** The query parameters of every paged list. An operation with `sort` documents `invalid_sort`. */
export function listQuery(sorts: Readonly<Record<string, Sort>>) {
  return {
    limit: optional(Type.Integer({ minimum: 1, maximum: 200, default: LIST_DEFAULTS.limit })),
    offset: optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: LIST_DEFAULTS.offset })),
    q: optional(multiline(200)),
    sort: optional(Type.String({ description: `One of ${sortKeys(sorts).join(", ")}` })),
    count: optional(flag(LIST_DEFAULTS.count)),
    updated_since: optional(instant()),
  } satisfies TProperties;
}
/** The query parameter of every plain array of stored rows. */
export const sinceQuery = { updated_since: optional(instant()) } satisfies TProperties;

/** Rows to read per wanted row when looking for changed ones: a few at first, then more; and the maximum. */
const LOOKS = { each: [4, 20], most: 10_000 };
/** Most changed rows that are collected and sorted when the first looks fail; with more, walking the order is shorter. */
const FEW = 7000;

/** Deepest row for which a sort's own `first` is used. */
const FIRST = 10_000;

/** The column that `updated_since` compares. */
const changeOf = ({ changed = "t.updated_at" }: Pick<ListingSpec, "changed">) => changed;
/** Filters rows created or changed at or after an instant. */
export const updatedSince = (spec: Pick<ListingSpec, "changed">): Filter => ({
  type: "timestamptz",
  when: (slot) => `${changeOf(spec)} >= ${slot}`,
});

/** A compiled list. */
export interface Listing {
  spec: ListingSpec;
  /** Whether the joins of a plain page keep its order, so that its rows need no ordinal. */
  keepsOrder: boolean;
  /** `create function` statements of the search, named by their content so that an older node keeps its own. */
  functions: { name: string; sql: string }[];
  /** The statement and values of a page; the organisation is `$1`. Pass its rows to `read`. */
  page(organisationId: string, wanted: ListRequest): [Statement, unknown[]];
  /** Reads the rows of a page: `items` as JSON text, and the total, or without `count` the number of rows on the page. */
  read(rows: readonly TextRow[], count: boolean): { items: string; total: number };
}

/** Restores the order of a page's rows after a join. Each row ends with its ordinal; sorting here costs less than in PostgreSQL. */
function inOrder(rows: readonly TextRow[]): readonly TextRow[] {
  if (rows[0]?.values.at(-1) === null) return rows;
  const place = ({ values }: TextRow) => Number(values.at(-1));
  return rows.toSorted((one, other) => place(one) - place(other));
}

function orders({ sorts, order, ties: tiebreak = order }: ListingSpec, sources: string): Map<string, Order> {
  const part = (key: string): string => {
    const descending = key.startsWith("-");
    const { by, text: isText, mayBeEmpty } = sorts[descending ? key.slice(1) : key] as Sort;
    return `${by}${isText ? " collate kantoor_text" : ""}${descending ? " desc" : ""}${descending && mayBeEmpty ? " nulls last" : ""}`;
  };
  const name = (key: string) => key.replace(/^-/, "");
  const made = new Map<string, Order>();
  const unnamed = sorts[name(order)]?.unnamed ? [order] : [];
  for (const key of [...sortKeys(sorts), ...unnamed]) {
    const ties = name(key) === name(tiebreak) ? [] : [part(tiebreak)];
    // Reading the default order's own index backwards reverses the ids too.
    const last = ties.length === 0 && key.startsWith("-") ? "t.id desc" : "t.id";
    const joins = new Set([sorts[name(key)]?.join, sorts[name(tiebreak)]?.join].filter((join) => join !== undefined));
    const join = [...joins].map((one) => (typeof one === "string" ? one : one(sources))).join(" ");
    const isIndexed = !join && !sorts[name(key)]?.unindexed;
    made.set(key, { clause: [part(key), ...ties, last].join(", "), join, isIndexed });
  }
  return made;
}

/** Compiles a list: the table of orders, the search functions and, on first use, one statement per combination of filters. */
export function listing(spec: ListingSpec, projected: Projection): Listing {
  const order = orders(spec, "sources");
  const filters = Object.entries({ ...spec.filters, updated_since: updatedSince(spec) });
  const statements = new Map<string, Statement>();
  const sortOf = (key: string) => spec.sorts[key.replace(/^-/, "")] as Sort;
  const offered = new Set(sortKeys(spec.sorts));
  const functions = spec.searchable ? searchFunctions(spec, order, filters) : [];

  /** The columns that a projection reads. They are named, so a column added to the table later does not appear. */
  const shown = columnsOf("t.id, t.organisation_id", projected.columns("", "sources"));
  /** The rows of a page, from a function or array that returns their ids in order. */
  const byIds = (ids: string) => `(select ${shown}, f.ordinal from ${ids} with ordinality f(id, ordinal)
      join ${spec.table} t on t.organisation_id = $1 and t.id = f.id)`;
  const place = projected.keepsOrder ? "null::bigint" : "row_number() over ()";
  const placed = (ordered: string) => `(select o.*, ${place} as ordinal from (${ordered}) o)`;
  /** With a count, the first column of each row holds the total; an empty page is one row with nothing but the total. */
  const answered = (chosen: string, sources: string, total: string | null) => {
    const rows = projected.columns(chosen, sources, "t.ordinal");
    return textStatement(
      total === null ? rows : `select c.total, r.* from (select (select ${total}) as total) c left join (${rows}) r on true`,
    );
  };

  /**
   * The ids of a page of changed rows. A plan that serves every organisation cannot know how many changed, or where in the order they are,
   * so we look in widening steps: either the changed rows are few enough to sort, or the page is found near the start of the order.
   * Otherwise the order is walked until the page is full. PostgreSQL does not run the steps it does not need.
   */
  function idsChanged(since: string, where: string, { clause, join, isIndexed }: Order, within: string): string {
    const from = `${spec.table} t where t.organisation_id = $1${within}`;
    const needed = columnsOf("t.id, t.organisation_id", where, clause, join);
    const ids = (source: string) =>
      `array(select t.id from ${source} t ${join} where ${where} order by ${clause} limit $2 offset $3)`;
    const change = changeOf(spec);
    const changed = (columns: string, limit: string) =>
      `(select ${columns} from ${from} and ${change} >= ${since} order by ${change} desc limit ${limit})`;
    const collected = (most: string) =>
      ` when (select count(*) from ${changed("1", `${most} + 1`)} c) <= ${most} then ${ids(changed(needed, most))}`;
    const looks = LOOKS.each.map((each, n) => ({
      near: `near${n}`,
      most: `least(${each} * ($2::bigint + $3::bigint), ${LOOKS.most})`,
    }));
    const near = looks.map(
      ({ near, most }) =>
        `${near} as materialized (select ${ids(`(select ${needed} from ${from} order by ${clause} limit ${most})`)} as ids)`,
    );
    const found = looks.map(({ near, most }) =>
      // Without an index of the order, its start cannot be read.
      [
        collected(most),
        isIndexed ? ` when cardinality((select ids from ${near})) = $2::bigint then (select ids from ${near})` : "",
      ].join(""),
    );
    return `unnest((${isIndexed ? `with ${near.join(", ")}` : ""} select case${found.join("")}${collected(`${FEW}`)} else ${ids(spec.table)} end))`;
  }

  function compileFirst(sort: string, count: boolean): Statement {
    const first = sortOf(sort).first as NonNullable<Sort["first"]>;
    const chosen = byIds(`unnest((${first(sort.startsWith("-"))})[($3::bigint + 1)::int : ($3::bigint + $2::bigint)::int])`);
    const total = `count(*)::int from ${spec.table} t where t.organisation_id = $1`;
    return answered(chosen, NOBODY_RESTRICTED, count ? total : null);
  }

  function compile(sort: string, present: readonly string[], restricted: boolean, count: boolean): Statement {
    const sources = restricted ? `$${present.length + 4}::uuid[]` : NOBODY_RESTRICTED;
    const order = orders(spec, sources).get(sort) as Order;
    let slot = 3;
    let within = "";
    const conditions = ["t.organisation_id = $1"];
    for (const [name, { type, when }] of filters) {
      if (!present.includes(name)) continue;
      conditions.push(when(`$${++slot}::${type}`, sources));
      if (name === spec.within?.filter) within = ` and ${spec.within.column} = $${slot}::${type}`;
    }
    if (restricted) conditions.push((spec.visible as NonNullable<typeof spec.visible>)(sources));
    const where = conditions.join(" and ");
    // `updated_since` is the last filter.
    const chosen =
      present.includes("updated_since") && !order.clause.startsWith(changeOf(spec))
        ? byIds(idsChanged(`$${slot}::timestamptz`, where, order, within))
        : placed(`select ${shown} from ${spec.table} t ${order.join} where ${where} order by ${order.clause} limit $2 offset $3`);
    return answered(chosen, sources, count ? `count(*)::int from ${spec.table} t where ${where}` : null);
  }

  function compileSearch(sort: string, count: boolean): Statement {
    const [search, matches] = functions as unknown as [{ name: string }, { name: string }];
    const given = filters.map(([, { type }], index) => `$${index + 6}::${type}`);
    const common = ["$5::text[]", "$4::uuid[]", ...given].join(", ");
    const chosen = byIds(`${search.name}(${common}, '${sort}', $2, $3)`);
    return answered(chosen, "$4::uuid[]", count ? `${matches.name}(${common})` : null);
  }

  return {
    spec,
    keepsOrder: projected.keepsOrder,
    functions,
    page(organisationId, { limit, offset, count, sort: key, q: typed, updated_since, filters: given = {}, selection }) {
      const named = key?.trim();
      const sort = named || spec.order;
      if (named && !offered.has(named))
        throw refusal("invalid_sort", "errors.invalid_sort", { fields: { sort: "errors.invalid_sort" } });
      const values: Record<string, unknown> = { ...given };
      if (updated_since !== undefined) values["updated_since"] = readInstant(updated_since);
      const words = spec.searchable ? wordsOf(typed) : undefined;
      const present = filters.flatMap(([name]) => (values[name] === undefined ? [] : [name]));
      const isFirst = !words && present.length === 0 && selection === null && limit + offset <= FIRST && !!sortOf(sort).first;
      const way = words ? "q" : isFirst ? "first rows" : present.join();
      const known = `${sort} ${count} ${way} ${selection !== null}`;
      let text = statements.get(known);
      if (!text) {
        if (words) text = compileSearch(sort, count);
        else text = isFirst ? compileFirst(sort, count) : compile(sort, present, selection !== null, count);
        statements.set(known, text);
      }
      const asked = words
        ? [selection, words, ...filters.map(([name]) => values[name] ?? null)]
        : present.map((name) => values[name]);
      return [text, [organisationId, limit, offset, ...asked, ...(words || selection === null ? [] : [selection])]];
    },
    read(rows, count) {
      if (!count) return { items: projected.items(inOrder(rows)), total: rows.length };
      const total = Number(rows[0]?.values[0]);
      const isEmpty = rows.length === 1 && rows[0]?.values.every((value, index) => index === 0 || value === null) === true;
      return { items: isEmpty ? "[]" : projected.items(inOrder(rows), 1), total };
    },
  };
}
