import { refusal } from "../../errors/errors.ts";
import { flag, instant, multiline, optional, readInstant, type TProperties, Type } from "../../schema/schema.ts";
import type { Statement, TextRow } from "../../sql/statement.ts";
import type { Projection } from "../projection.ts";
import { updatedSince } from "./changed-rows.ts";
import { type ListingSpec, type Sort, sortKeys } from "./listing-spec.ts";
import { ordersOf, sortName } from "./order.ts";
import { PageStatements } from "./page-statements.ts";
import { type SearchFunction, searchFunctions } from "./search.ts";
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

/** Deepest row for which a sort's own `first` is used. */
const FIRST = 10_000;

/** A compiled list. */
export interface Listing {
  spec: ListingSpec;
  /** Whether the joins of a plain page keep its order, so that its rows need no ordinal. */
  keepsOrder: boolean;
  /** `create function` statements of the search, named by their content so that an older node keeps its own. */
  functions: SearchFunction[];
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

/** Compiles a list: the table of orders, the search functions and, on first use, one statement per combination of filters. */
export function listing(spec: ListingSpec, projected: Projection): Listing {
  const filters = Object.entries({ ...spec.filters, updated_since: updatedSince(spec) });
  const functions = spec.searchable ? searchFunctions(spec, ordersOf(spec, "sources"), filters) : [];
  const statements = new PageStatements(spec, projected, filters, functions);
  const offered = new Set(sortKeys(spec.sorts));
  const compiled = new Map<string, Statement>();
  /** The statement of a page, compiled on first use. */
  const once = (form: string, compile: () => Statement): Statement => {
    const made = compiled.get(form) ?? compile();
    compiled.set(form, made);
    return made;
  };

  return {
    spec,
    keepsOrder: projected.keepsOrder,
    functions,
    page(organisationId, { limit, offset, count, sort: key, q: typed, updated_since, filters: given = {}, selection }) {
      const sort = requestedSort(key, offered) ?? spec.order;
      const values: Record<string, unknown> = { ...given };
      if (updated_since !== undefined) values["updated_since"] = readInstant(updated_since);
      const window = [organisationId, limit, offset];
      const restricted = selection !== null;
      const words = spec.searchable ? wordsOf(typed) : undefined;
      if (words) {
        const text = once(`${sort} ${count} q`, () => statements.ofFoundRows({ sort, count }));
        return [text, [...window, selection, words, ...filters.map(([name]) => values[name] ?? null)]];
      }
      const present = filters.flatMap(([name]) => (values[name] === undefined ? [] : [name]));
      if (present.length === 0 && !restricted && limit + offset <= FIRST && spec.sorts[sortName(sort)]?.first)
        return [once(`${sort} ${count} first rows`, () => statements.ofFirstRows({ sort, count })), window];
      const text = once(`${sort} ${count} ${present.join()} ${restricted}`, () =>
        statements.ofFilteredRows({ sort, count, present, restricted }),
      );
      return [text, [...window, ...present.map((name) => values[name]), ...(restricted ? [selection] : [])]];
    },
    read(rows, count) {
      if (!count) return { items: projected.items(inOrder(rows)), total: rows.length };
      const total = Number(rows[0]?.values[0]);
      const isEmpty = rows.length === 1 && rows[0]?.values.every((value, index) => index === 0 || value === null) === true;
      return { items: isEmpty ? "[]" : projected.items(inOrder(rows), 1), total };
    },
  };
}

/** The key of `sort`, undefined if blank. @throws 400 for one that the list does not offer */
function requestedSort(key: string | undefined, offered: ReadonlySet<string>): string | undefined {
  const named = key?.trim() || undefined;
  if (named !== undefined && !offered.has(named))
    throw refusal("invalid_sort", "errors.invalid_sort", { fields: { sort: "errors.invalid_sort" } });
  return named;
}
