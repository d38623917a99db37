/** SQL of the number of rows up to the end of a page, including those of earlier pages. */
export const UP_TO_END = "($2::bigint + $3::bigint)";
/** Most links of one record whose rows are fetched by id and sorted at once; with more, the list's own order often has enough of them soon. */
const FEW = 5000;

/**
 * A filter by a link table: the rows that the table links to the record in the slot. The key of the table is owner and record, and an index
 * of it begins with the organisation and the record.
 * @param owner the column that refers to the row of the list
 * @param record the column that refers to the other record
 */
export const linkedBy = (table: string, owner: string, record: string) => ({
  type: "uuid",
  when: (slot: string): string =>
    `exists (select 1 from ${table} o where o.organisation_id = t.organisation_id and o.${owner} = t.id and o.${record} = ${slot})`,
  ids: (slot: string): string => `select o.${owner} from ${table} o where o.organisation_id = $1 and o.${record} = ${slot}`,
});

/** Rows at the beginning of the list's order that are read where a link table has more than few: they often hold the whole page. */
const NEAR = 2500;

/** A filter of a statement: its condition on row `t`, and the ids of its link table if it has one. */
export interface LinkedCondition {
  when: string;
  ids: string | undefined;
}

/**
 * SQL of an array with the ids of all rows that can be on a page, which link tables limit. A plan is made once for all values, so without
 * it PostgreSQL walks the order of the list, or sorts all of it, however few rows a link table has for the value. A row that is fetched by
 * its id costs 1.1 pages, one that a walk passes 5 (measured on 100,000 tasks).
 * @param ids the ids of each filter by a link table
 * @param near given a number of rows: SQL of the ids of the page's rows among so many first rows of the list's order, in which the rows of
 * earlier pages count; undefined without an index of that order
 * @param page SQL of the number of rows up to the end of the page
 */
export function linkedIds(ids: readonly string[], near: ((rows: number) => string) | undefined, page: string): string {
  const members = ids.map((one, index) => `array(${one} limit ${FEW + 1}) as m${index}`);
  const few = ids.map((_, index) => `when cardinality(m${index}) <= ${FEW} then m${index}`);
  const all = `array(${ids[0]})`;
  const many =
    near === undefined
      ? all
      : `(select case when cardinality(n.ids) = ${page} then n.ids else ${all} end from (select array(${near(NEAR)}) as ids) n)`;
  return `(select case ${few.join(" ")} else ${many} end from (select ${members.join(", ")} offset 0) m)`;
}

/** A condition that PostgreSQL checks row by row, in the order of the rows: it never makes a join of it. */
export const rowByRow = (condition: string): string => `(select ${condition})`;
