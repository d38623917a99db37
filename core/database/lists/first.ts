/** Rows up to the end of the page: those of the pages before it are found, too. */
const ROWS = "($2::bigint + $3::bigint)";
/** Records of another table that are looked at in their order; where their rows do not fill the page, all rows are sorted. */
const PARENTS = 2000;
/** Rows of one person that are all fetched to be sorted; of one with more, the list's own order soon meets enough. */
const FEW = 5000;

/** What the rows of a list are ordered by, in another table. */
export interface ParentOrder {
  /** The table of the list, alias `t`. */
  table: string;
  /** The other table, alias `c`. */
  parent: string;
  /** The column of the other table that rows name; default `id`. */
  key?: string;
  /** What orders the other table, with its collation: an index of it has this order. */
  by: readonly string[];
  /** Which records of the other table count; default all. */
  named?: string;
  /** The rows `t` of record `c`, from `from` on; an index has them in the order of `ties`. */
  rows: string;
  /** The join from all rows `t` to their record `c`. */
  join: string;
  /** Which rows of the list count; default all. */
  where?: string;
  /** What orders rows of one record. */
  ties: string;
}

/**
 * The first rows in the order of another table (`Sort.first`): its records one after another, each with its rows, until the page is full.
 * Records of the same place share it, therefore the last of them with all of theirs. Where the first records have too few rows, everything
 * is sorted; rows without a record come last in both directions.
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
           cross join lateral unnest(array(select t.id ${rows.replaceAll(/\bc\./g, "p.")} and ${where} order by ${ties} limit ${ROWS})) u(id)
           order by ${order(keysOf("p"))} fetch first ${ROWS} rows with ties) l
        join ${table} t on t.organisation_id = $1 and t.id = l.id order by ${order(keysOf("l"))}, ${ties} limit ${ROWS}) as ids)
      select case when cardinality(ids) = ${ROWS} then ids else array(select t.id from ${table} t ${join}
        where t.organisation_id = $1 and ${where} order by ${order(by, " nulls last")}, ${ties} limit ${ROWS}) end from near`;
  };
}

/** The same for a list whose column names the record. */
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

/** What a person sorts by: their name, else their address (conventions §10). */
export const personName = (alias: string): string => `coalesce(nullif(${alias}.full_name, ''), ${alias}.email)`;

/**
 * The join from row `t` to the name of a person, for an order and for a page of rows. Its limit keeps a plan at one look-up per person:
 * accounts are those of all organisations.
 * @param id SQL of the account's id
 */
export const personForOrder = (alias: string, id: string): string =>
  `left join lateral (select ${personName("a")} as name from accounts a where a.id = ${id} limit 1) ${alias} on true`;

/** The ids of people that a column names, found from one to the next in its index, and null in the end. */
const people = (table: string, column: string): string => {
  const another = (after: string) =>
    `(select o.${column} from ${table} o where o.organisation_id = $1${after} order by o.${column} limit 1)`;
  return `held (id) as (${another("")} union all select ${another(` and o.${column} > held.id`)} from held where held.id is not null)`;
};

/**
 * The first rows in the order of a person that a column names (`Sort.first`): person after person, each with theirs, and those without one
 * or whose account is gone last. People of the same name share a place, therefore the last of them with all of theirs. An index begins with
 * the organisation and the column and has the order of `ties`.
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
      `array(select t.id from ${table} t where t.organisation_id = $1 and t.${column} ${whose} and ${where} order by ${ties} limit ${ROWS})`;
    return `with recursive ${people(table, column)},
      people as (select h.id, n.name collate kantoor_text as called from (select id from held where id is not null union all select null) h
        left join lateral (select ${personName("a")} as name from accounts a where a.id = h.id limit 1) n on true),
      found as (
        select u.id, p.called from (select id, called from people order by ${order}) p
         cross join lateral unnest(case when p.id is null then ${theirs("is null")} else ${theirs("= p.id")} end) u(id)
         order by ${order} fetch first ${ROWS} rows with ties)
      select array(select t.id from found f join ${table} t on t.organisation_id = $1 and t.id = f.id
                    order by f.${order}, ${ties} limit ${ROWS})`;
  };
}

/**
 * The first rows in the order of the person that a roster stars (`Sort.first`): person after person, each with the rows they are the primary
 * assignee of, then those without one until the page is full. People of the same name share a place, therefore the last of them with all of
 * theirs. The few rows of a person are looked up by an array of their ids, so that no plan walks the whole list for them.
 * @param owner the column of the roster that names the row
 * @param ties the list's default order, which an index has
 */
export function firstByRoster({ table, roster, owner, ties }: { table: string; roster: string; owner: string; ties: string }) {
  const primary = `from ${roster} r where r.organisation_id = $1 and r.is_primary`;
  const inOrder = `order by ${ties} limit ${ROWS}`;
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
         order by ${order} fetch first ${ROWS} rows with ties),
      sorted as materialized (select array(select t.id from assigned s join ${table} t on t.organisation_id = $1 and t.id = s.id
                               order by s.${order}, ${ties} limit ${ROWS}) as ids)
      select case when cardinality(ids) = ${ROWS} then ids else ids || array(select t.id from ${table} t where t.organisation_id = $1
          and (select true ${primary} and r.${owner} = t.id) is null ${inOrder}) end from sorted`;
  };
}
