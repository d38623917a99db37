/**
 * A key of `sort`: the SQL to order by; text ignores case; `join` is added where the key needs another table, `sources` being the
 * restricted selection, null when there is none. Only where a value may be empty is "empty last" spelled out, because an index that is read backwards cannot give it.
 */
export interface Sort {
  by: string;
  text?: boolean;
  mayBeEmpty?: boolean;
  join?: string | ((sources: string) => string);
  /**
   * Where the key stands in another table, so that no index of this one has its order: an array of the ids of the first `$2 + $3` rows
   * of the organisation `$1` in it, as SQL that looks at little more than those. It serves pages that nothing narrows.
   */
  first?: (descending: boolean) => string;
  /** True where no index has the order, because it would cost every write more than it saves: what is found is sorted. */
  unindexed?: boolean;
  /** True for an order that a list has when nothing is asked, and that no caller can name. */
  unnamed?: boolean;
}

/** The keys a caller may give as `sort`. */
export const sortKeys = (sorts: Readonly<Record<string, Sort>>): string[] =>
  Object.entries(sorts).flatMap(([key, { unnamed }]) => (unnamed ? [] : [key, `-${key}`]));

/** A filter: its PostgreSQL type and the condition for a value in `slot`; `sources` as for a sort. */
export interface Filter {
  type: string;
  when: (slot: string, sources: string) => string;
}

/** Everything one list can do. Its statements, its search function and its query parameters are derived from this. */
export interface ListingSpec {
  table: string;
  sorts: Record<string, Sort>;
  /** The default order, a key of `sorts`, `-` for descending. It is the tiebreak of every other order. */
  order: string;
  /** Another tiebreak than the default order, a key of `sorts`. */
  ties?: string;
  filters?: Record<string, Filter>;
  /**
   * The filter that every question has and the column it compares, where the indexes have that column after the organisation: rows of one
   * person alone. What looks for changes goes over those rows, and over no other's.
   */
  within?: { filter: string; column: string };
  /** True when the table has `search_text`, so that `q` is offered. */
  searchable?: boolean;
  /** What `updated_since` compares; default `t.updated_at`. Rows that never change have only `t.created_at`. */
  changed?: string;
  /** The condition of a restricted selection; `slot` holds its sources. */
  visible?: (slot: string) => string;
}
