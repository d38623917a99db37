/** The rows a page needs: all up to its end. */
const ROWS = "($2::bigint + $3::bigint)";

/**
 * The ids of the first rows by a name in another table: each holder of a name in turn, with all its websites. Holders with the same name
 * rank equally, so the last of them come with all their websites too.
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

/** The first websites by name, domain by domain (assets §4). */
export const firstByName = (descending: boolean): string =>
  firstBy(
    "domains o",
    "label",
    "select s.id, s.created_at from websites s where s.organisation_id = $1 and s.domain_id = o.id offset 0",
    descending,
  );

/** The first websites by client, client by client. */
export const firstByCompany = (descending: boolean): string =>
  firstBy(
    "companies o",
    "name",
    "select s.id, s.created_at from websites s where s.organisation_id = $1 and s.company_id = o.id offset 0",
    descending,
  );

/** The first websites by hosting: per hosting no more than a page, then the websites without hosting. */
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
