/** The rows that a page looks at: all up to its end. */
const ROWS = "($2::bigint + $3::bigint)";

/**
 * The ids of the first rows by a name that stands in another table: the holders of names one after another, each with its websites. Those
 * with the same name share a place, therefore the last of them with all of theirs.
 * @param holder `<table> o`, whose rows have the name
 * @param websites the websites `s` of one of them
 */
const firstBy = (holder: string, name: string, websites: string, descending: boolean): string => {
  const order = `o.${name} collate kantoor_text${descending ? " desc" : ""}`;
  return `with held as materialized (
      select w.id, w.created_at, o.${name} from ${holder} cross join lateral (${websites}) w
       where o.organisation_id = $1 order by ${order} fetch first ${ROWS} rows with ties)
    select array(select o.id from held o order by ${order}, o.created_at desc, o.id limit ${ROWS}) as ids`;
};

/** The first websites by name: those of one domain after another (assets §4). */
export const firstByName = (descending: boolean): string =>
  firstBy(
    "domains o",
    "label",
    "select s.id, s.created_at from websites s where s.organisation_id = $1 and s.domain_id = o.id offset 0",
    descending,
  );

/** The first websites by client: those of one client after another. */
export const firstByCompany = (descending: boolean): string =>
  firstBy(
    "companies o",
    "name",
    "select s.id, s.created_at from websites s where s.organisation_id = $1 and s.company_id = o.id offset 0",
    descending,
  );

/** The first websites by what hosts them: of each hosting no more than a page has, then those that nothing here hosts. */
export const firstByHosting = (descending: boolean): string =>
  `with first as materialized (${firstBy(
    "hostings o",
    "name",
    `select s.id, s.created_at from websites s where s.organisation_id = $1 and s.hosting_id = o.id
      order by s.created_at desc, s.id limit ${ROWS}`,
    descending,
  )})
    select case when cardinality(ids) = ${ROWS} then ids else ids || array(select s.id from websites s
      where s.organisation_id = $1 and s.hosting_id is null order by s.created_at desc, s.id limit ${ROWS}) end from first`;
