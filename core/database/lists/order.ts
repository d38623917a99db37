import { type ListingSpec, type Sort, sortKeys } from "./listing-spec.ts";

/** SQL of one order, the join it needs, and whether an index has it. */
export interface Order {
  clause: string;
  join: string;
  isIndexed: boolean;
}

/** A key of `sort` without its `-`. */
export const sortName = (key: string): string => key.replace(/^-/, "");

/** The columns of alias `t` that the texts use, as a select list. */
export const columnsOf = (...texts: string[]): string =>
  [...new Set(texts.flatMap((text) => text.match(/\bt\.\w+/g) ?? []))].join(", ");

/** The orders of a list by key of `sort`, with the default order also if callers cannot request it. */
export function ordersOf({ sorts, order, ties: tiebreak = order }: ListingSpec, sources: string): Map<string, Order> {
  const part = (key: string): string => {
    const descending = key.startsWith("-");
    const { by, text: isText, mayBeEmpty } = sorts[sortName(key)] as Sort;
    return `${by}${isText ? " collate kantoor_text" : ""}${descending ? " desc" : ""}${descending && mayBeEmpty ? " nulls last" : ""}`;
  };
  const made = new Map<string, Order>();
  const unnamed = sorts[sortName(order)]?.unnamed ? [order] : [];
  for (const key of [...sortKeys(sorts), ...unnamed]) {
    const ties = sortName(key) === sortName(tiebreak) ? [] : [part(tiebreak)];
    // Reading the default order's own index backwards reverses the ids too.
    const last = ties.length === 0 && key.startsWith("-") ? "t.id desc" : "t.id";
    const joins = new Set([sorts[sortName(key)]?.join, sorts[sortName(tiebreak)]?.join].filter((join) => join !== undefined));
    const join = [...joins].map((one) => (typeof one === "string" ? one : one(sources))).join(" ");
    const isIndexed = !join && !sorts[sortName(key)]?.unindexed;
    made.set(key, { clause: [part(key), ...ties, last].join(", "), join, isIndexed });
  }
  return made;
}
