import { refusal } from "../../errors/errors.ts";
import { flag, instant, multiline, optional, readInstant, type TProperties, Type } from "../../schema/schema.ts";
import type { Statement, TextRow } from "../../sql/statement.ts";
import type { Projection } from "../projection.ts";
import { type ListingSpec, type Sort, sortKeys, updatedSince } from "./listing-spec.ts";
import { BY_CHANGE, ordersOf, sortName } from "./order.ts";
import { type PageStatement, PageStatements } from "./page-statements.ts";
import { formOf, type Position, valuesOf } from "./position.ts";
import { type SearchFunction, searchFunctions } from "./search.ts";
import { searchWords } from "./words.ts";

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
  /** Begins the page behind this position, instead of at the offset. */
  after?: Position | undefined;
  /** Sources of the selection; null is unrestricted. */
  selection: string[] | null;
}

/** Defaults for omitted parameters, over HTTP and from other actors. */
export const LIST_DEFAULTS = { limit: 50, offset: 0, count: true } as const;
/** The parameters of a paged list in an action. */
export type ListQuery = Partial<Omit<ListRequest, "filters" | "selection" | "after">>;

/** The query parameters of every paged list. An operation with `sort` documents `invalid_sort`. */
export function listQuery(sorts: Readonly<Record<string, Sort>>) {
  return {
    limit: optional(Type.Integer({ minimum: 1, maximum: 200, default: LIST_DEFAULTS.limit })),
    offset: optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: LIST_DEFAULTS.offset })),
    q: optional(multiline(200)),
    sort: optional(Type.String({ description: `One of ${sortKeys(sorts).join(", ")}`, "x-sort-keys": sortKeys(sorts) })),
    count: optional(flag(LIST_DEFAULTS.count)),
    updated_since: optional(instant()),
  } satisfies TProperties;
}
/** The query parameter of every plain array of stored rows. */
export const sinceQuery = { updated_since: optional(instant()) } satisfies TProperties;

/** Deepest row for which a sort's own `first` is used. */
const FIRST = 10_000;

/** A page as a list reads it. */
export interface PageRead {
  /** JSON text. */
  items: string;
  /** All rows that match, or without a count those on the page. */
  total: number;
  /** The position of the page's last row if others follow it, else null. */
  last: Position | null;
}

/** A page's statement with its values, and how its rows are read. */
export interface PageBound {
  bound: [Statement, unknown[]];
  read(rows: readonly TextRow[]): PageRead;
}

/** A compiled list. */
export interface Listing {
  spec: ListingSpec;
  /** Whether the joins of a plain page keep its order, so that its rows need no ordinal. */
  keepsOrder: boolean;
  /** `create function` statements of the search, named by their content so that an older node keeps its own. */
  functions: SearchFunction[];
  /** A page; the organisation is `$1`. Rows changed since an instant are in the order of their change, whatever `sort` says. */
  page(organisationId: string, wanted: ListRequest): PageBound;
}

/** Restores the order of a page's rows after a join. Each row ends with its ordinal; sorting here costs less than in PostgreSQL. */
function inOrder(rows: readonly TextRow[]): readonly TextRow[] {
  if (rows[0]?.values.at(-1) === null) return rows;
  const place = ({ values }: TextRow) => Number(values.at(-1));
  return rows.toSorted((one, other) => place(one) - place(other));
}

/** A page whose values ask for one row more than its limit, which tells whether others follow. */
export function pageBound(
  projected: Projection,
  { statement, position }: PageStatement,
  values: unknown[],
  { limit, count }: Pick<ListRequest, "limit" | "count">,
): PageBound {
  return {
    bound: [statement, values],
    read(rows) {
      const isEmpty = count && rows.length === 1 && rows[0]?.values.every((value, index) => index === 0 || value === null);
      const found = isEmpty ? [] : inOrder(rows);
      const shown = found.length > limit ? found.slice(0, limit) : found;
      const last = shown === found ? undefined : shown.at(-1);
      return {
        items: projected.items(shown, count ? 1 : 0),
        total: count ? Number(rows[0]?.values[0]) : shown.length,
        last: last ? position.map((column) => last.values[column] ?? null) : null,
      };
    },
  };
}

/** Compiles a list: the table of orders, the search functions and, on first use, one statement per combination of filters. */
export function listing(spec: ListingSpec, projected: Projection): Listing {
  const filters = Object.entries({ ...spec.filters, updated_since: updatedSince(spec) });
  const functions = spec.searchable ? searchFunctions(spec, ordersOf(spec, "sources"), filters) : [];
  const statements = new PageStatements(spec, projected, filters, functions);
  const offered = new Set(sortKeys(spec.sorts));
  const compiled = new Map<string, PageStatement>();
  /** The statement of a page, compiled on first use. */
  const once = (form: string, compile: () => PageStatement): PageStatement => {
    const made = compiled.get(form) ?? compile();
    compiled.set(form, made);
    return made;
  };

  return {
    spec,
    keepsOrder: projected.keepsOrder,
    functions,
    page(organisationId, wanted) {
      const { limit, offset, count, q: typed, updated_since, after = [], filters: given = {}, selection } = wanted;
      const asked = requestedSort(wanted.sort, offered) ?? spec.order;
      const sort = updated_since === undefined ? asked : BY_CHANGE;
      const values: Record<string, unknown> = { ...given };
      if (updated_since !== undefined) values["updated_since"] = readInstant(updated_since);
      const window = [organisationId, limit + 1, offset];
      const restricted = selection !== null;
      const form = `${sort} ${count} ${formOf(after)}`;
      const words = spec.searchable ? searchWords(typed) : undefined;
      if (words) {
        const found = once(`${form} q`, () => statements.ofFoundRows({ sort, count, after }));
        const slots = [...window, selection, words, ...filters.map(([name]) => values[name] ?? null)];
        return pageBound(projected, found, [...slots, ...valuesOf(after)], wanted);
      }
      const present = filters.flatMap(([name]) => (values[name] === undefined ? [] : [name]));
      const isPlain = present.length === 0 && !restricted && after.length === 0;
      if (isPlain && limit + offset <= FIRST && spec.sorts[sortName(sort)]?.first) {
        const first = once(`${form} first rows`, () => statements.ofFirstRows({ sort, count }));
        return pageBound(projected, first, window, wanted);
      }
      const filtered = once(`${form} ${present.join()} ${restricted}`, () =>
        statements.ofFilteredRows({ sort, count, present, restricted, after }),
      );
      const slots = [...window, ...present.map((name) => values[name]), ...(restricted ? [selection] : [])];
      return pageBound(projected, filtered, [...slots, ...valuesOf(after)], wanted);
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
