import type { Filter, ListingSpec } from "./listing-spec.ts";
import { columnsOf, type Order } from "./order.ts";

/** Rows to read per wanted row when looking for changed ones: a few at first, then more; and the maximum. */
const LOOKS = { each: [4, 20], most: 10_000 };
/** Most changed rows that are collected and sorted when the first looks fail; with more, walking the order is shorter. */
const FEW = 7000;

/** The column that `updated_since` compares. */
export const changeOf = ({ changed = "t.updated_at" }: Pick<ListingSpec, "changed">): string => changed;
/** Filters rows created or changed at or after an instant. */
export const updatedSince = (spec: Pick<ListingSpec, "changed">): Filter => ({
  type: "timestamptz",
  when: (slot) => `${changeOf(spec)} >= ${slot}`,
});

/** A page of changed rows: the slot of the instant, all conditions, and those that the order's index has. */
export interface ChangedPage {
  since: string;
  where: string;
  within: string;
  order: Order;
}

/**
 * The ids of a page of changed rows. A plan that serves every organisation cannot know how many changed, or where in the order they are,
 * so we look in widening steps: either the changed rows are few enough to sort, or the page is found near the start of the order.
 * Otherwise the order is walked until the page is full. PostgreSQL does not run the steps it does not need.
 */
export function idsChanged(spec: ListingSpec, { since, where, within, order: { clause, join, isIndexed } }: ChangedPage): string {
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
