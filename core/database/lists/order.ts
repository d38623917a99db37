import { changeOf, type ListingSpec, type Sort, sortKeys } from "./listing-spec.ts";

/** One expression that a list is ordered by, on alias `t` or on that of the order's join. Empty values come last in both directions. */
export interface OrderPart {
  sql: string;
  descending: boolean;
  mayBeEmpty: boolean;
}

/** SQL of one order, its parts (the id is the last), the join it needs, and whether an index has it. */
export interface Order {
  parts: readonly OrderPart[];
  clause: string;
  join: string;
  isIndexed: boolean;
}

/** The order of changed rows, whatever the request sorts by. No list has a key of this name, because the parameter has it. */
export const BY_CHANGE = "updated_since";

/** A key of `sort` without its `-`. */
export const sortName = (key: string): string => key.replace(/^-/, "");

/** The columns of alias `t` that the texts use, as a select list. */
export const columnsOf = (...texts: string[]): string =>
  [...new Set(texts.flatMap((text) => text.match(/\bt\.\w+/g) ?? []))].join(", ");

/** `order by` of parts. */
export const clauseOf = (parts: readonly OrderPart[]): string =>
  parts
    .map(
      ({ sql, descending, mayBeEmpty }) => `${sql}${descending ? " desc" : ""}${descending && mayBeEmpty ? " nulls last" : ""}`,
    )
    .join(", ");

/** The parts of a key of `sort`. */
function partsOf({ by, text: isText, mayBeEmpty = false }: Sort, descending: boolean): OrderPart[] {
  if (typeof by === "string") return [{ sql: `${by}${isText ? " collate kantoor_text" : ""}`, descending, mayBeEmpty }];
  return by.map((one) => ({ sql: one.replace(/ desc$/, ""), descending: one.endsWith(" desc"), mayBeEmpty }));
}

/** The orders of a list by key of `sort`, with the default order also if callers cannot request it, and that of changed rows. */
export function ordersOf(spec: Pick<ListingSpec, "sorts" | "order" | "ties" | "changed">, sources: string): Map<string, Order> {
  const { sorts, order, ties: tiebreak = order } = spec;
  const sortOf = (key: string) => sorts[sortName(key)] as Sort;
  const id = (descending: boolean): OrderPart => ({ sql: "t.id", descending, mayBeEmpty: false });
  const made = new Map<string, Order>();
  const unnamed = sortOf(order).unnamed ? [order] : [];
  for (const key of [...sortKeys(sorts), ...unnamed]) {
    const isTiebreak = sortName(key) === sortName(tiebreak);
    const ties = isTiebreak ? [] : partsOf(sortOf(tiebreak), tiebreak.startsWith("-"));
    // Reading the default order's own index backwards reverses the ids too.
    const parts = [...partsOf(sortOf(key), key.startsWith("-")), ...ties, id(isTiebreak && key.startsWith("-"))];
    const joins = new Set([sortOf(key).join, sortOf(tiebreak).join].filter((join) => join !== undefined));
    const join = [...joins].map((one) => (typeof one === "string" ? one : one(sources))).join(" ");
    made.set(key, { parts, clause: clauseOf(parts), join, isIndexed: !join && !sortOf(key).unindexed });
  }
  const changed = [{ sql: changeOf(spec), descending: false, mayBeEmpty: false }, id(false)];
  return made.set(BY_CHANGE, { parts: changed, clause: clauseOf(changed), join: "", isIndexed: true });
}
