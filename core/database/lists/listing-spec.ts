/**
 * A key of `sort`: the SQL to order by, or several of an unnamed order, each with its own ` desc`. Text ignores case. `join` is added if the
 * key needs another table; `sources` is the restricted selection, null when there is none. "Empty last" is written out only if a value can
 * be empty: an index read backwards cannot provide it.
 */
export interface Sort {
  by: string | readonly string[];
  text?: boolean;
  mayBeEmpty?: boolean;
  join?: string | ((sources: string) => string);
  /**
   * For a key in another table, which no index of this one can order: SQL of an array with the ids of the first `$2 + $3` rows of
   * organisation `$1`, which reads little more than those. Only pages without filter, search or selection use it.
   */
  first?: (descending: boolean) => string;
  /** True when no index has the order, because it would cost every write more than it saves: the rows found are sorted. */
  unindexed?: boolean;
  /** True for a default order that callers cannot request. */
  unnamed?: boolean;
}

/** The valid values of `sort`. */
export const sortKeys = (sorts: Readonly<Record<string, Sort>>): string[] =>
  Object.entries(sorts).flatMap(([key, { unnamed }]) => (unnamed ? [] : [key, `-${key}`]));

/** A filter: its PostgreSQL type and the condition for a value in `slot`; `sources` as for a sort. */
export interface Filter {
  type: string;
  when: (slot: string, sources: string) => string;
  /**
   * For a condition on a link table: SQL of the ids of the rows that meet it, each once. An index of that table finds them, so that a page
   * of few rows reads only those (`linked.ts`).
   */
  ids?: (slot: string, sources: string) => string;
}

/** Everything a list can do. Its statements, search function and query parameters are derived from this. */
export interface ListingSpec {
  table: string;
  sorts: Record<string, Sort>;
  /** The default order, a key of `sorts`, `-` for descending. It is the tiebreak of every other order. */
  order: string;
  /** A tiebreak other than the default order, a key of `sorts`. */
  ties?: string;
  filters?: Record<string, Filter>;
  /** True when the table has `search_text`, so that `q` is offered. */
  searchable?: boolean;
  /** The column that `updated_since` compares; default `t.updated_at`. Rows that never change have only `t.created_at`. */
  changed?: string;
  /** The condition of a restricted selection; `slot` holds its sources. */
  visible?: (slot: string) => string;
  /**
   * Set if triggers count the table's rows (`keepsCount` of the migrations), so that the total of the whole list reads a few rows at any size;
   * `by` is the filter that compares the column by which they are counted, alone as fast. Without it every total counts the rows that match.
   */
  kept?: true | { by: string };
}

/** The column that `updated_since` compares. */
export const changeOf = ({ changed = "t.updated_at" }: Pick<ListingSpec, "changed">): string => changed;
/** Filters rows created or changed at or after an instant. */
export const updatedSince = (spec: Pick<ListingSpec, "changed">): Filter => ({
  type: "timestamptz",
  when: (slot) => `${changeOf(spec)} >= ${slot}`,
});
