import { keptCount } from "./kept-counts.ts";
import { UP_TO_END } from "./linked.ts";
import { columnsOf } from "./order.ts";

/** Records of the other table that are read in order; if their rows do not fill the page, all rows are sorted. */
const PARENTS = 2000;

/** How another table orders the rows of a list. */
export interface ParentOrder {
  /** The table of the list, alias `t`. */
  table: string;
  /** The other table, alias `c`. */
  parent: string;
  /** The column of the other table that the rows refer to; default `id`. */
  key?: string;
  /** The order of the other table, with its collation: an index of that table has this order. */
  by: readonly string[];
  /** Which records of the other table count; default all. */
  named?: string;
  /** SQL of the rows `t` of record `c`, from its `from` clause on; an index has them in the order of `ties`. */
  rows: string;
  /** The join from all rows `t` to their record `c`. */
  join: string;
  /** Which rows of the list count; default all. */
  where?: string;
  /** The order of rows of one record. */
  ties: string;
}

/**
 * The first rows in the order of another table (`Sort.first`): record by record, each with its rows, until the page is full. Records with
 * equal keys share a rank, so the last group is read whole. If the first records have too few rows, everything is sorted; rows without a
 * record come last in both directions.
 */
export function firstByParent({ table, parent, key = "id", by, named = "true", rows, join, where = "true", ties }: ParentOrder) {
  const keys = by.map((_, index) => `k${index}`);
  return (descending: boolean): string => {
    const order = (expressions: readonly string[], nulls = "") =>
      expressions.map((expression) => `${expression}${descending ? " desc" : ""}${nulls}`).join(", ");
    const keysOf = (alias: string) => keys.map((key) => `${alias}.${key}`);
    return `with near as materialized (select array(select t.id from (
          select u.id, ${keysOf("p").join(", ")}
            from (select c.${key}, ${by.map((expression, index) => `${expression} as ${keys[index]}`).join(", ")} from ${parent} c
                   where c.organisation_id = $1 and ${named}
                   order by ${order(by)} fetch first ${PARENTS} rows with ties) p
           cross join lateral unnest(array(select t.id ${rows.replaceAll(/\bc\./g, "p.")} and ${where} order by ${ties} limit ${UP_TO_END})) u(id)
           order by ${order(keysOf("p"))} fetch first ${UP_TO_END} rows with ties) l
        join ${table} t on t.organisation_id = $1 and t.id = l.id order by ${order(keysOf("l"))}, ${ties} limit ${UP_TO_END}) as ids)
      select case when cardinality(ids) = ${UP_TO_END} then ids else array(select t.id from ${table} t ${join}
        where t.organisation_id = $1 and ${where} order by ${order(by, " nulls last")}, ${ties} limit ${UP_TO_END}) end from near`;
  };
}

/** Like `firstByParent`, for a list with a column that refers to the record. */
export const firstByReference = (
  order: Pick<ParentOrder, "table" | "parent" | "key" | "by" | "where" | "ties"> & { column: string },
) => {
  const { table, parent, column, key = "id" } = order;
  return firstByParent({
    ...order,
    rows: `from ${table} t where t.organisation_id = $1 and t.${column} = c.${key}`,
    join: `left join ${parent} c on c.organisation_id = t.organisation_id and c.${key} = t.${column}`,
  });
};

/** The sort key of a person: their name, or their email address (conventions §10). */
const personName = (alias: string): string => `coalesce(nullif(${alias}.full_name, ''), ${alias}.email)`;

/**
 * Joins row `t` to the name of a person, for an order and for a page of rows. Its limit makes the plan look up one person at a time:
 * the accounts table spans all organisations.
 * @param id SQL of the account's id
 */
export const personForOrder = (alias: string, id: string): string =>
  `left join lateral (select ${personName("a")} as name from accounts a where a.id = ${id} limit 1) ${alias} on true`;

/** The account ids in a column, each found from the previous one in the column's index; ends with null. */
const people = (table: string, column: string): string => {
  const another = (after: string) =>
    `(select o.${column} from ${table} o where o.organisation_id = $1${after} order by o.${column} limit 1)`;
  return `held (id) as (${another("")} union all select ${another(` and o.${column} > held.id`)} from held where held.id is not null)`;
};

/**
 * The first rows in the order of a person that a column refers to (`Sort.first`): person by person, each with their rows. Rows without a
 * person, or with a deleted account, come last. People of the same name share a rank, so the last group is read whole. An index must begin
 * with the organisation and the column and have the order of `ties`.
 */
export function firstByPerson({
  table,
  column,
  where = "true",
  ties,
}: {
  table: string;
  column: string;
  where?: string;
  ties: string;
}) {
  return (descending: boolean): string => {
    const order = `called${descending ? " desc" : ""} nulls last`;
    const theirs = (whose: string) =>
      `array(select t.id from ${table} t where t.organisation_id = $1 and t.${column} ${whose} and ${where} order by ${ties} limit ${UP_TO_END})`;
    return `with recursive ${people(table, column)},
      people as (select h.id, n.name collate kantoor_text as called from (select id from held where id is not null union all select null) h
        left join lateral (select ${personName("a")} as name from accounts a where a.id = h.id limit 1) n on true),
      found as (
        select u.id, p.called from (select id, called from people order by ${order}) p
         cross join lateral unnest(case when p.id is null then ${theirs("is null")} else ${theirs("= p.id")} end) u(id)
         order by ${order} fetch first ${UP_TO_END} rows with ties)
      select array(select t.id from found f join ${table} t on t.organisation_id = $1 and t.id = f.id
                    order by f.${order}, ${ties} limit ${UP_TO_END})`;
  };
}

/**
 * The first rows in the order of their own column (`Sort.first`): value by value, each with its rows, until the page is full. One index
 * gives both directions; it begins with the organisation and the column and has the order of `ties`. No row may lack a value.
 */
export function firstByValue({ table, column, ties }: { table: string; column: string; ties: string }) {
  return (descending: boolean): string => {
    const next = (after: string) => `(select (select o.${column} from ${table} o where o.organisation_id = $1${after}
        order by o.${column}${descending ? " desc" : ""} limit 1) as value offset 0) v`;
    const rows = (limit: string) => `cross join lateral (select array(select t.id from ${table} t
        where t.organisation_id = $1 and t.${column} = v.value order by ${ties} limit ${limit}) as ids offset 0) r`;
    return `with recursive found (n, value, ids, total) as (
        select 1, v.value, r.ids, cardinality(r.ids) from ${next("")} ${rows(UP_TO_END)}
        union all
        select f.n + 1, v.value, r.ids, f.total + cardinality(r.ids) from found f
         cross join lateral ${next(` and o.${column} ${descending ? "<" : ">"} f.value`)} ${rows(`${UP_TO_END} - f.total`)}
         where f.total < ${UP_TO_END} and f.value is not null)
      select array(select u.id from found f cross join lateral unnest(f.ids) with ordinality u(id, place) order by f.n, u.place)`;
  };
}

/**
 * The first rows in the order of a column that is true or false (`Sort.first`): the rows of one, then of the other, each in the order of
 * `ties`, whose index has the column.
 */
export function firstByFlag({ table, column, ties }: { table: string; column: string; ties: string }) {
  const rows = (is: boolean, limit: string) =>
    `array(select t.id from ${table} t where t.organisation_id = $1 and ${is ? "" : "not "}t.${column} order by ${ties} limit ${limit})`;
  return (descending: boolean): string =>
    `select a.ids || ${rows(!descending, `${UP_TO_END} - cardinality(a.ids)`)} from (select ${rows(descending, UP_TO_END)} as ids offset 0) a`;
}

/** What a walk pays for a row that it passes, against a row that is fetched by its id (measured: 4 pages and 1.2). */
const PASSED = 3.4;
/** A walk reads so many times the rows that it needs if those of a person are spread evenly; then their rows are fetched. */
const UNEVEN = 4;

/**
 * The first rows in the order of their primary assignee on a roster (`Sort.first`): name by name, each with the rows of the people of that
 * name, then rows without one until the page is full. Few rows of a name are fetched by their ids and sorted. Where it has many, the
 * beginning of the list's order often has enough of them. The two cost the same at the root of the list's length, so that a page of a list
 * ten times as long costs at most three times as much.
 * @param table a table with a kept count
 * @param owner the column of the roster that refers to the row
 * @param ties the list's default order, which an index has
 */
export function firstByRoster({ table, roster, owner, ties }: { table: string; roster: string; owner: string; ties: string }) {
  const primary = `from ${roster} r where r.organisation_id = $1 and r.is_primary`;
  const all = `from ${table} t where t.organisation_id = $1`;
  return (descending: boolean): string =>
    `with recursive ${people(roster, "account_id")},
      named as materialized (select row_number() over (order by called${descending ? " desc" : ""}) as n, array_agg(id) as ids from (
        select held.id, ${personName("a")} collate kantoor_text as called from held
         cross join lateral (select full_name, email from accounts where id = held.id limit 1) a) p group by called),
      size as materialized (select ${keptCount(table)} as rows),
      found (n, ids, total) as (
        select 0::bigint, array[]::uuid[], 0
        union all
        select p.n, g.ids, f.total + cardinality(g.ids) from found f join named p on p.n = f.n + 1
         cross join lateral (select ${UP_TO_END} - f.total as page, ceil(sqrt(${PASSED} * (${UP_TO_END} - f.total) * (select rows from size)))::bigint as few offset 0) a
         cross join lateral (select array(select r.${owner} ${primary} and r.account_id = any(p.ids) limit a.few + 1) as ids offset 0) m
         cross join lateral (select case when cardinality(m.ids) <= a.few
             then array(select t.id ${all} and t.id = any(m.ids) order by ${ties} limit a.page)
             else array(select t.id from (select ${columnsOf("t.id", ties)} ${all} order by ${ties} limit (${UNEVEN / PASSED} * a.few)::bigint) t
               where (select r.account_id ${primary} and r.${owner} = t.id) = any(p.ids) order by ${ties} limit a.page) end as ids offset 0) w
         cross join lateral (select case when cardinality(m.ids) <= a.few or cardinality(w.ids) = a.page then w.ids
             else array(select t.id ${all} and t.id = any(array(select r.${owner} ${primary} and r.account_id = any(p.ids)))
               order by ${ties} limit a.page) end as ids offset 0) g
         where f.total < ${UP_TO_END}),
      sorted as materialized (select array(select u.id from found f cross join lateral unnest(f.ids) with ordinality u(id, place)
                               order by f.n, u.place) as ids)
      select case when cardinality(ids) = ${UP_TO_END} then ids else ids || array(select t.id ${all}
          and (select true ${primary} and r.${owner} = t.id) is null order by ${ties} limit ${UP_TO_END} - cardinality(ids)) end from sorted`;
}
