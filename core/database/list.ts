import { refusal } from "../declare/errors.ts";
import { flag, instant, multiline, optional, readInstant, type TProperties, Type } from "../declare/schema.ts";
import { type Filter, type ListingSpec, type Sort, sortKeys } from "./listing-spec.ts";
import { jsonArray, NOBODY_RESTRICTED, type Projection } from "./projection.ts";
import { searchFunctions } from "./search.ts";
import { type Statement, statement } from "./statement.ts";

/** What a caller asks of a list, already validated. */
export interface ListRequest {
  limit: number;
  offset: number;
  count: boolean;
  sort?: string | undefined;
  q?: string | undefined;
  updated_since?: string | undefined;
  /** Values of the spec's filters; undefined is not filtered. */
  filters?: Record<string, unknown>;
  /** Sources of the selection; null is unrestricted. */
  selection: string[] | null;
}

/** What a caller gets that leaves it out, over HTTP or as another actor. */
export const LIST_DEFAULTS = { limit: 50, offset: 0, count: true } as const;
/** The parameters of a paged list as an action has them. */
export type ListQuery = Partial<Omit<ListRequest, "filters" | "selection">>;

/** The query parameters every paged list takes. With `sort` among them an operation documents `invalid_sort`. */
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

/** The filter of rows created or changed at or after an instant. */
export const updatedSince = ({ changed = "t.updated_at" }: Pick<ListingSpec, "changed">): Filter => ({
  type: "timestamptz",
  when: (slot) => `${changed} >= ${slot}`,
});

/** A compiled list. */
export interface Listing {
  spec: ListingSpec;
  /** `create function` statements of the search, named by their content so that an old node keeps its own. */
  functions: { name: string; sql: string }[];
  /** The statement and values that give `items` (JSON text) and `total`; the organisation is `$1`. */
  page(organisationId: string, wanted: ListRequest): [Statement, unknown[]];
}

function orders(
  { sorts, order, ties: tiebreak = order }: ListingSpec,
  sources: string,
): Map<string, { clause: string; join: string }> {
  const part = (key: string): string => {
    const descending = key.startsWith("-");
    const { by, text: isText, mayBeEmpty } = sorts[descending ? key.slice(1) : key] as Sort;
    return `${by}${isText ? " collate kantoor_text" : ""}${descending ? " desc" : ""}${descending && mayBeEmpty ? " nulls last" : ""}`;
  };
  const name = (key: string) => key.replace(/^-/, "");
  const made = new Map<string, { clause: string; join: string }>();
  const unnamed = sorts[name(order)]?.unnamed ? [order] : [];
  for (const key of [...sortKeys(sorts), ...unnamed]) {
    const ties = name(key) === name(tiebreak) ? [] : [part(tiebreak)];
    // The default order's own index, read backwards, gives the ids backwards too.
    const last = ties.length === 0 && key.startsWith("-") ? "t.id desc" : "t.id";
    const joins = new Set([sorts[name(key)]?.join, sorts[name(tiebreak)]?.join].filter((join) => join !== undefined));
    const join = [...joins].map((one) => (typeof one === "string" ? one : one(sources))).join(" ");
    made.set(key, { clause: [part(key), ...ties, last].join(", "), join });
  }
  return made;
}

/** Compiles a list: the table of orders, the search functions, and on first use one statement per combination of filters. */
export function listing(spec: ListingSpec, projected: Projection): Listing {
  const order = orders(spec, "sources");
  const filters = Object.entries({ ...spec.filters, updated_since: updatedSince(spec) });
  const statements = new Map<string, Statement>();
  const offered = new Set(sortKeys(spec.sorts));
  const functions = spec.searchable ? searchFunctions(spec, order, filters) : [];

  function compile(sort: string, present: readonly string[], restricted: boolean, count: boolean): Statement {
    const sources = restricted ? `$${present.length + 4}::uuid[]` : NOBODY_RESTRICTED;
    const { clause, join } = orders(spec, sources).get(sort) as { clause: string; join: string };
    let slot = 3;
    const conditions = ["t.organisation_id = $1"];
    for (const [name, { type, when }] of filters)
      if (present.includes(name)) conditions.push(when(`$${++slot}::${type}`, sources));
    if (restricted) conditions.push((spec.visible as NonNullable<typeof spec.visible>)(sources));
    const where = conditions.join(" and ");
    const chosen = `(select t.* from ${spec.table} t ${join} where ${where} order by ${clause} limit $2 offset $3)`;
    const total = count ? `(select count(*)::int from ${spec.table} t where ${where})` : "null::int";
    return statement(`select ${jsonArray(projected.rows(chosen, sources))} as items, ${total} as total`);
  }

  function compileSearch(sort: string, count: boolean): Statement {
    const [search, matches] = functions as unknown as [{ name: string }, { name: string }];
    const given = filters.map(([, { type }], index) => `$${index + 6}::${type}`);
    const common = ["$5::text", "$4::uuid[]", ...given].join(", ");
    const chosen = `(select t.* from ${search.name}(${common}, '${sort}', $2, $3) with ordinality f(id, n)
      join ${spec.table} t on t.organisation_id = $1 and t.id = f.id order by f.n)`;
    const total = count ? `${matches.name}(${common})` : "null::int";
    return statement(`select ${jsonArray(projected.rows(chosen, "$4::uuid[]"))} as items, ${total} as total`);
  }

  return {
    spec,
    functions,
    page(organisationId, { limit, offset, count, sort: asked, q: typed, updated_since, filters: given = {}, selection }) {
      const named = asked?.trim();
      const sort = named || spec.order;
      if (named && !offered.has(named))
        throw refusal("invalid_sort", "errors.invalid_sort", { fields: { sort: "errors.invalid_sort" } });
      const values: Record<string, unknown> = { ...given };
      if (updated_since !== undefined) values["updated_since"] = readInstant(updated_since);
      // The character that keeps the fields of `search_text` apart finds nothing when a caller types it.
      const q = spec.searchable ? typed?.trim().replaceAll("\u001f", "\u001e") : "";
      const key = `${sort} ${count} ${q ? "q" : filters.map(([name]) => (values[name] === undefined ? 0 : 1)).join("")} ${selection !== null}`;
      let text = statements.get(key);
      if (!text) {
        const present = filters.flatMap(([name]) => (values[name] === undefined ? [] : [name]));
        text = q ? compileSearch(sort, count) : compile(sort, present, selection !== null, count);
        statements.set(key, text);
      }
      if (q) return [text, [organisationId, limit, offset, selection, q, ...filters.map(([name]) => values[name] ?? null)]];
      const present = filters.flatMap(([name]) => (values[name] === undefined ? [] : [values[name]]));
      return [text, [organisationId, limit, offset, ...present, ...(selection === null ? [] : [selection])]];
    },
  };
}
