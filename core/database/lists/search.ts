import { createHash } from "node:crypto";
import type { Filter, ListingSpec } from "./listing-spec.ts";

/** Longest `search_text`, in bytes, that the indexes of `searchIndexes` (migrations) include; longer rows are in indexes without it. */
const INDEXED_BYTES = 1000;
/** Rows sampled first to learn how many contain a term. An organisation that does not fill this sample is small: any method is fast. */
const SAMPLE = 100;
/** Hits in a sample that make it large enough. */
const SURE = 5;
/** One row in 64, from an index of `searchIndexes` in the order of the last three bytes, which are random. */
const ONE_IN_64 = "get_byte(uuid_send(t.id), 13) < 4";
const RANDOM_ORDER = "substring(uuid_send(t.id) from 14)";
const RANDOM_KEY = "get_byte(uuid_send(t.id), 13) * 65536 + get_byte(uuid_send(t.id), 14) * 256 + get_byte(uuid_send(t.id), 15)";
/** Rows of the organisation: 64 times a complete sample, otherwise by how far the sample reached into the 4 × 65536 random keys. */
const ROWS_HELD = "64 * looked * case when looked < size then 1 else 262144.0 / greatest(last_key, 1) end";
/** Rows that an index with the text reads at the cost of fetching one from the table (measured: 0.4 against 1 to 5 µs). */
const PRICE = 8;
/** Rows of an organisation that the trigram index skips at the cost of fetching one, however rare the term: it knows them by number. */
const PASSED = 400;
/** Expected rows of a page: the planner's own guess is so high that it would read the whole organisation to join them. */
const PAGE = 100;
/** Below this many characters a word has no trigram. */
const TRIGRAM = 3;
/** Words that the trigram index looks up together; the rows that contain these are checked for the others. */
const ASKED = 4;
/** Most changed rows that are all checked, whatever the term. */
const FEW = 2000;

/** SQL of one order, the join it needs, and whether an index has it. */
export interface Order {
  clause: string;
  join: string;
  isIndexed: boolean;
}

/** The columns of alias `t` that the texts use, as a select list. */
export const columnsOf = (...texts: string[]): string =>
  [...new Set(texts.flatMap((text) => text.match(/\bt\.\w+/g) ?? []))].join(", ");

/**
 * The search of a list, as functions that run as the owner, take the organisation only from the setting and return an ordered page of ids.
 *
 * Under row-level security LIKE is no index condition, because it is not leakproof. With forced security the owner's queries get no
 * statistics for it either, so the planner cannot tell a common term from a rare one. So we measure: a random sample of the organisation's
 * rows, as large as the root of their number, shows how many match. That decides which is cheaper: to walk the order's index until the page
 * is full, within a budget, or to collect all matches through the trigram index and sort them. The index of the default order includes the
 * text, so that walk does not touch the table. Every text is fixed, so no call is planned again.
 *
 * Every word must occur in the row's text. The sample shows how many rows contain all of them. The index looks up four words at most and
 * fetches only the rows that contain these, so two common words that rarely meet are as fast as one rare word.
 */
export function searchFunctions(spec: ListingSpec, orders: ReadonlyMap<string, Order>, filters: readonly [string, Filter][]) {
  const { table, sorts, visible, changed = "t.updated_at" } = spec;
  const conditions = [
    ...filters.map(([name, { when }]) => [`f_${name} is null`, when(`f_${name}`, "sources")]),
    ...(visible ? [["sources is null", visible("sources")]] : []),
  ];
  const filtered = conditions.map(([absent, condition]) => ` and (${absent} or ${condition})`).join("");
  const unfiltered = conditions.map(([absent]) => absent).join(" and ");
  const all = `${table} t where t.organisation_id = organisation`;
  // The trigram index serves LIKE; for rows checked one by one, strpos is faster.
  const indexed = `t.search_text like patterns[1]${filtered}`;
  const indexedAll = `${Array.from({ length: ASKED }, (_, n) => `t.search_text like asked[${n + 1}]`).join(" and ")}
    and t.search_text like all (patterns)${filtered}`;
  const holds = (text: string) => `strpos(${text}, term) > 0 and (single or ${text} like all (patterns))`;
  // The filters need the row itself, which the index lacks: a row that contains the words is fetched for them.
  const wanted = `${holds("w.search_text")} and (${unfiltered} or (select true${filtered} from ${all} and t.id = w.id))`;
  const joins = [...orders.values()].map(({ join }) => join);
  const sortColumns = columnsOf("t.id, t.organisation_id", ...Object.values(sorts).map(({ by }) => by), ...joins);

  /** Rows `w` merged from two indexes of the same order: one with the text, one of the rows whose text is too long for it. */
  const merged = (clause: string, limit: string, { sampled = false } = {}) => {
    const [more, key] = sampled ? [` and ${ONE_IN_64}`, `, ${RANDOM_ORDER} as place`] : ["", ""];
    const columns = columnsOf("t.id, t.search_text", clause);
    const part = (length: string) =>
      `(select ${columns}${key} from ${all}${more} and octet_length(t.search_text) ${length} ${INDEXED_BYTES} order by ${clause})`;
    return `(select t.id, t.search_text from (${part("<=")} union all ${part(">")}) t
      order by ${sampled ? "t.place" : clause} limit ${limit}) w`;
  };
  const rowByRow = (clause: string, limit: string) =>
    `(select t.id, t.search_text from ${all} order by ${clause} limit ${limit}) w`;

  const sorted = (found: string, { clause, join }: Order) =>
    `return query with found as materialized (${found}) select t.id from found t ${join} order by ${clause} limit page offset skip;`;
  const collected = (order: Order) => `
      if char_length(term) < ${TRIGRAM} then
        ${sorted(
          `select ${sortColumns} from ${all} and t.id = any(array(select w.id from ${merged(ordered(spec.order), "null")} where ${wanted}))`,
          order,
        )}
      elsif single then
        ${sorted(`select ${sortColumns} from ${all} and ${indexed}`, order)}
      else
        ${sorted(`select ${sortColumns} from ${all} and ${indexedAll}`, order)}
      end if;`;
  const amongChanged = (order: Order) => `
      if few_changed then
        ${sorted(
          `select ${sortColumns} from (select ${columnsOf(sortColumns, "t.search_text", filtered)} from ${all}
             and ${changed} >= f_updated_since order by ${changed} desc limit ${FEW}) t where ${holds("t.search_text")}${filtered}`,
          order,
        )}
        return;
      end if;`;
  const walked = (order: Order, covered: boolean) => {
    const price = covered ? PRICE : 1;
    return `
      if needed <= ${price} * collecting then
        ids := array(select w.id from ${(covered ? merged : rowByRow)(order.clause, `greatest(4 * needed, ${price} * collecting)::bigint`)} where ${wanted} limit page offset skip);
        if cardinality(ids) = page then return query select unnest(ids); return; end if;
      end if;`;
  };
  const ordered = (key: string) => (orders.get(key) as Order).clause;
  const isDefault = (key: string) => key.replace(/^-/, "") === spec.order.replace(/^-/, "");
  const cases = [...orders].map(
    ([key, order]) => `
    when '${key}' then${amongChanged(order)}${order.isIndexed ? walked(order, isDefault(key)) : ""}${collected(order)}`,
  );

  const parameters = ["words text[]", "sources uuid[]", ...filters.map(([name, { type }]) => `f_${name} ${type}`)].join(", ");
  const head = (more: string, returns: string, variables: string) => `(${parameters}${more}) returns ${returns}
    language plpgsql stable security definer set search_path = public as $search$
    declare organisation uuid := current_organisation(); ${variables}
      -- The longest first: it is likely to be the rarest, and has trigrams if any has.
      folded text[] := folded_words(words); term text := folded[1]; single boolean := cardinality(folded) = 1;
      patterns text[] := word_patterns(folded);
      -- A word without trigrams would have the index read everything; in its place the first is asked for again, which costs nothing.
      asked text[] := array(select case when char_length(folded[n]) < ${TRIGRAM} then patterns[1] else coalesce(patterns[n], patterns[1]) end
        from generate_series(1, ${ASKED}) n);
    begin`;
  const search = `${head(
    ", sort text, page bigint, skip bigint",
    `setof uuid rows ${PAGE}`,
    `hits bigint; looked bigint; last_key bigint; size bigint := ${SAMPLE}; rows_held float8; needed float8; collecting float8;
      few_changed boolean := false; ids uuid[];`,
  )}
    if f_updated_since is not null then
      select count(*) <= ${FEW} into few_changed from (select 1 from ${all} and ${changed} >= f_updated_since
        order by ${changed} desc limit ${FEW} + 1) c;
    end if;
    while not few_changed loop
      select count(*) filter (where ${wanted}), count(*), max(${RANDOM_KEY.replaceAll("t.id", "w.id")}) into hits, looked, last_key
        from ${merged(RANDOM_ORDER, "size", { sampled: true })};
      rows_held := ${ROWS_HELD};
      exit when hits >= ${SURE} or looked < size or size > ${SAMPLE} or rows_held <= ${SAMPLE ** 2};
      -- More than before also where the root is rounded down, else this would have no end.
      size := floor(sqrt(rows_held)) + 1;
    end loop;
    collecting := case when char_length(term) < ${TRIGRAM} then rows_held / ${PRICE}
      else rows_held * hits / greatest(looked, 1) + rows_held / ${PASSED} end;
    needed := (page + skip)::float8 * looked / nullif(hits, 0);
    case sort${cases.join("")}
    end case; end $search$`;
  const matches = `${head("", "int", "hits bigint;")}
    if single then select count(*) into hits from ${all} and ${indexed};
    else select count(*) into hits from ${all} and ${indexedAll}; end if;
    return hits::int; end $search$`;
  return [named(table, "search", search), named(table, "matches", matches)];
}

/** Names a function by a digest of its text: a new version creates a new function, and an older node keeps its own. */
function named(table: string, kind: string, text: string): { name: string; sql: string } {
  const name = `${table}_${kind}_${createHash("sha1").update(text).digest("hex").slice(0, 8)}`;
  return { name, sql: `create function ${name}${text}` };
}
