import { createHash } from "node:crypto";
import type { Filter, ListingSpec } from "./listing-spec.ts";

/** Rows looked at to learn whether a term is common; an organisation with fewer in its sample is small, and all ways are short. */
const SAMPLE = 100;
/** Hits in the sample from which a term counts as common: from there on walking the index is cheaper than collecting all matches. */
const COMMON = 3;
/** One row in 64, by the index of `searchIndexes` (migrations), which holds them in the order of the last three bytes: a random one. */
const ONE_IN_64 = "get_byte(uuid_send(t.id), 13) < 4";
const RANDOM_ORDER = "substring(uuid_send(t.id) from 14)";
const RANDOM_KEY = "get_byte(uuid_send(t.id), 13) * 65536 + get_byte(uuid_send(t.id), 14) * 256 + get_byte(uuid_send(t.id), 15)";
/** Rows of the organisation: 64 times a sample that is whole, else by how far among the 4 × 65536 random keys the sample reached. */
const ROWS_HELD = `64 * sampled * case when sampled < ${SAMPLE} then 1 else 262144 / greatest(last_key, 1) end`;
/** Rows the walk may pass: as many as collecting all matches would cost, so that a term at the far end of the order costs twice at most. */
const BUDGET = `greatest(4 * (page + skip) * ${SAMPLE} / hits, 2 * hits * rows_held / ${SAMPLE})`;

/** SQL of one order, and the join it needs. */
export interface Order {
  clause: string;
  join: string;
}

/**
 * The search of a list, as functions that run as the owner, take the organisation from the setting alone and give one ordered page of ids.
 *
 * Under row-level security LIKE is no index condition, because it is not leakproof; and where security is forced, the owner's queries
 * get no statistics for it either, so the planner cannot know a common term from a rare one. Hence we look ourselves: a random sample
 * of the organisation's rows tells which it is. A common term is found by walking the order's index until the page is full, within a budget;
 * a rare one through the trigram index, all matches then sorted. Every text is fixed, so nothing is planned per call.
 */
export function searchFunctions(spec: ListingSpec, orders: ReadonlyMap<string, Order>, filters: readonly [string, Filter][]) {
  const { table, sorts, visible } = spec;
  const filtered = [
    ...filters.map(([name, { when }]) => ` and (f_${name} is null or ${when(`f_${name}`, "sources")})`),
    ...(visible ? [` and (sources is null or ${visible("sources")})`] : []),
  ].join("");
  // LIKE is what the trigram index answers; where rows are looked at one by one, strpos says the same in less time.
  const indexed = `t.search_text like needle${filtered}`;
  const wanted = `strpos(t.search_text, term) > 0${filtered}`;
  const all = `${table} t where t.organisation_id = organisation`;
  const columnsOf = (...texts: string[]) =>
    [...new Set(["t.id", "t.organisation_id", ...texts.flatMap((text) => text.match(/\bt\.\w+/g) ?? [])])].join(", ");
  const sortColumns = columnsOf(...Object.values(sorts).map(({ by }) => by));
  const filterColumns = columnsOf(wanted);
  const collected = ({ clause, join }: Order) => `
      return query with found as materialized (select ${sortColumns} from ${all} and ${indexed})
        select t.id from found t ${join} order by ${clause} limit page offset skip;`;
  const walked = ({ clause }: Order, limit: string) =>
    `(select ${filterColumns} from ${all} order by ${clause} limit ${limit}) t where ${wanted}`;
  const branch = (order: Order) =>
    order.join
      ? collected(order)
      : `
      select count(*) filter (where ${wanted}), count(*), max(${RANDOM_KEY}) into hits, sampled, last_key
        from (select ${filterColumns} from ${all} and ${ONE_IN_64} order by ${RANDOM_ORDER} limit ${SAMPLE}) t;
      if hits >= ${COMMON} then
        rows_held := ${ROWS_HELD};
        ids := array(select t.id from ${walked(order, BUDGET)} limit page offset skip);
        if cardinality(ids) = page then return query select unnest(ids); return; end if;
      end if;${collected(order)}`;

  const parameters = ["q text", "sources uuid[]", ...filters.map(([name, { type }]) => `f_${name} ${type}`)].join(", ");
  const head = (more: string, returns: string) => `(${parameters}${more}) returns ${returns}
    language plpgsql stable security definer set search_path = public as $search$
    declare organisation uuid := current_organisation(); hits bigint; sampled bigint; last_key bigint; rows_held bigint; ids uuid[];
      term text := lower(q collate "und-x-icu");
      needle text := '%' || replace(replace(replace(term, '\\', '\\\\'), '%', '\\%'), '_', '\\_') || '%';
    begin`;
  const cases = [...orders].map(
    ([key, order]) => `
    when '${key}' then${branch(order)}`,
  );
  const search = `${head(", sort text, page bigint, skip bigint", "setof uuid")} case sort${cases.join("")}
    end case; end $search$`;
  const matches = `${head("", "int")} select count(*) into hits from ${all} and ${indexed}; return hits::int; end $search$`;
  return [named(table, "search", search), named(table, "matches", matches)];
}

/** A name that carries a digest of the text: a new version makes a new function, and a node of the old one keeps its own. */
function named(table: string, kind: string, text: string): { name: string; sql: string } {
  const name = `${table}_${kind}_${createHash("sha1").update(text).digest("hex").slice(0, 8)}`;
  return { name, sql: `create function ${name}${text}` };
}
