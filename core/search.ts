import { createHash } from "node:crypto";
import type { Filter, ListingSpec } from "./list.ts";

/** Rows looked at to learn whether a term is common. */
const SAMPLE = 100;
/** Hits in the sample from which a term counts as common: from there on walking the index is cheaper than collecting all matches. */
const COMMON = 3;

/** SQL of one order, and the join it needs. */
export interface Order {
  clause: string;
  join: string;
}

/**
 * The search of a list, as functions that run as the owner, take the organisation from the setting alone and give one ordered page of ids.
 *
 * Under row-level security LIKE is no index condition, because it is not leakproof; and where security is forced, the owner's queries
 * get no statistics for it either, so the planner cannot know a common term from a rare one. Hence we look ourselves: a sample of rows
 * in the asked order tells which it is. A common term is found by walking the order's index until the page is full, within a budget;
 * a rare one through the trigram index, all matches then sorted. Every text is fixed, so nothing is planned per call.
 */
export function searchFunctions(spec: ListingSpec, orders: ReadonlyMap<string, Order>, filters: readonly [string, Filter][]) {
  const { table, sorts, visible } = spec;
  const wanted = [
    "t.search_text like needle",
    ...filters.map(([name, { when }]) => `(f_${name} is null or ${when(`f_${name}`)})`),
    ...(visible ? [`(sources is null or ${visible("sources")})`] : []),
  ].join(" and ");
  const all = `${table} t where t.organisation_id = organisation`;
  const columns = new Set([
    "t.id",
    "t.organisation_id",
    ...Object.values(sorts).flatMap(({ by }) => by.match(/\bt\.\w+/g) ?? []),
  ]);
  const collected = ({ clause, join }: Order) => `
      return query with found as materialized (select ${[...columns].join(", ")} from ${all} and ${wanted})
        select t.id from found t ${join} order by ${clause} limit page offset skip;`;
  const walked = ({ clause }: Order, limit: string) =>
    `(select t.* from ${all} order by ${clause} limit ${limit}) t where ${wanted}`;
  const branch = (order: Order) =>
    order.join
      ? collected(order)
      : `
      select count(*) into hits from ${walked(order, String(SAMPLE))};
      if hits >= ${COMMON} then
        ids := array(select t.id from ${walked(order, `4 * (page + skip) * ${SAMPLE} / hits`)} limit page offset skip);
        if cardinality(ids) = page then return query select unnest(ids); return; end if;
      end if;${collected(order)}`;

  const parameters = ["q text", "sources uuid[]", ...filters.map(([name, { type }]) => `f_${name} ${type}`)].join(", ");
  const head = (more: string, returns: string) => `(${parameters}${more}) returns ${returns}
    language plpgsql stable security definer set search_path = public as $search$
    declare organisation uuid := current_organisation(); hits bigint; ids uuid[];
      needle text := '%' || replace(replace(replace(lower(q collate "und-x-icu"), '\\', '\\\\'), '%', '\\%'), '_', '\\_') || '%';
    begin`;
  const cases = [...orders].map(
    ([key, order]) => `
    when '${key}' then${branch(order)}`,
  );
  const search = `${head(", sort text, page bigint, skip bigint", "setof uuid")} case sort${cases.join("")}
    end case; end $search$`;
  const matches = `${head("", "int")} select count(*) into hits from ${all} and ${wanted}; return hits::int; end $search$`;
  return [named(table, "search", search), named(table, "matches", matches)];
}

/** A name that carries a digest of the text: a new version makes a new function, and a node of the old one keeps its own. */
function named(table: string, kind: string, text: string): { name: string; sql: string } {
  const name = `${table}_${kind}_${createHash("sha1").update(text).digest("hex").slice(0, 8)}`;
  return { name, sql: `create function ${name}${text}` };
}
