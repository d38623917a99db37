import { FEW, UP_TO_END } from "./linked.ts";

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
export const personName = (alias: string): string => `coalesce(nullif(${alias}.full_name, ''), ${alias}.email)`;

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

/**
 * The first rows in the order of their primary assignee on a roster (`Sort.first`): person by person, each with their rows, then rows
 * without one until the page is full. People of the same name share a rank, so the last group is read whole. A person's few rows are
 * looked up by an array of ids, so that no plan walks the whole list for them.
 * @param owner the column of the roster that refers to the row
 * @param ties the list's default order, which an index has
 */
export function firstByRoster({ table, roster, owner, ties }: { table: string; roster: string; owner: string; ties: string }) {
  const primary = `from ${roster} r where r.organisation_id = $1 and r.is_primary`;
  const inOrder = `order by ${ties} limit ${UP_TO_END}`;
  return (descending: boolean): string => {
    const order = `called${descending ? " desc" : ""}`;
    return `with recursive ${people(roster, "account_id")},
      people as (select held.id, ${personName("a")} collate kantoor_text as called from held
        cross join lateral (select full_name, email from accounts where id = held.id limit 1) a),
      assigned as (
        select u.id, p.called from (select id, called from people order by ${order}) p cross join lateral unnest(case
            when (select count(*) from (select 1 ${primary} and r.account_id = p.id limit ${FEW + 1}) n) <= ${FEW}
            then array(select t.id from ${table} t where t.organisation_id = $1
                          and t.id = any(array(select r.${owner} ${primary} and r.account_id = p.id)) ${inOrder})
            else array(select t.id from ${table} t where t.organisation_id = $1
                          and (select r.account_id ${primary} and r.${owner} = t.id) = p.id ${inOrder}) end) u(id)
         order by ${order} fetch first ${UP_TO_END} rows with ties),
      sorted as materialized (select array(select t.id from assigned s join ${table} t on t.organisation_id = $1 and t.id = s.id
                               order by s.${order}, ${ties} limit ${UP_TO_END}) as ids)
      select case when cardinality(ids) = ${UP_TO_END} then ids else ids || array(select t.id from ${table} t where t.organisation_id = $1
          and (select true ${primary} and r.${owner} = t.id) is null ${inOrder}) end from sorted`;
  };
}
