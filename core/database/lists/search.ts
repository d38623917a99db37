import { createHash } from "node:crypto";
import { changeOf, type Filter, type ListingSpec } from "./listing-spec.ts";
import { BY_CHANGE, columnsOf, type Order, sortName } from "./order.ts";

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

/** A function of a list's search, with its `create function` statement. */
export interface SearchFunction {
  name: string;
  sql: string;
}

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
export function searchFunctions(
  spec: ListingSpec,
  orders: ReadonlyMap<string, Order>,
  filters: readonly [string, Filter][],
): SearchFunction[] {
  const sql = new SearchSql(spec, orders, filters);
  return [named(spec.table, "search", sql.search()), named(spec.table, "matches", sql.matches())];
}

/** Names a function by a digest of its text: a new version creates a new function, and an older node keeps its own. */
function named(table: string, kind: string, text: string): SearchFunction {
  const name = `${table}_${kind}_${createHash("sha1").update(text).digest("hex").slice(0, 8)}`;
  return { name, sql: `create function ${name}${text}` };
}

/** Whether a row's text contains every word. For rows checked one by one, strpos is faster than LIKE. */
const holds = (text: string) => `strpos(${text}, term) > 0 and (single or ${text} like all (patterns))`;

/** Returns a page of the rows found, sorted. */
const sorted = (found: string, { clause, join }: Order) =>
  `return query with found as materialized (${found}) select t.id from found t ${join} order by ${clause} limit page offset skip;`;

/** The SQL of one list's search. */
class SearchSql {
  readonly #spec: ListingSpec;
  readonly #orders: ReadonlyMap<string, Order>;
  readonly #parameters: string;
  readonly #changed: string;
  /** All rows `t` of the organisation. */
  readonly #all: string;
  /** The conditions of the filters and the selection; each holds if it is not used. */
  readonly #filtered: string;
  /** Conditions of rows that the trigram index finds by LIKE: by one word, and by several. */
  readonly #byWord: string;
  readonly #byWords: string;
  /** Condition of a row `w` of `#merged` or `#rowByRow`. */
  readonly #wanted: string;
  /** Columns of `t` that any order needs. */
  readonly #sortColumns: string;

  constructor(spec: ListingSpec, orders: ReadonlyMap<string, Order>, filters: readonly [string, Filter][]) {
    const { table, visible } = spec;
    const conditions = [
      ...filters.map(([name, { when }]) => [`f_${name} is null`, when(`f_${name}`, "sources")]),
      ...(visible ? [["sources is null", visible("sources")]] : []),
    ];
    const unfiltered = conditions.map(([absent]) => absent).join(" and ");
    const joins = [...orders.values()].map(({ join }) => join);
    this.#spec = spec;
    this.#orders = orders;
    this.#parameters = ["words text[]", "sources uuid[]", ...filters.map(([name, { type }]) => `f_${name} ${type}`)].join(", ");
    this.#changed = changeOf(spec);
    this.#all = `${table} t where t.organisation_id = organisation`;
    this.#filtered = conditions.map(([absent, condition]) => ` and (${absent} or ${condition})`).join("");
    this.#byWord = `t.search_text like patterns[1]${this.#filtered}`;
    this.#byWords = `${Array.from({ length: ASKED }, (_, n) => `t.search_text like asked[${n + 1}]`).join(" and ")}
    and t.search_text like all (patterns)${this.#filtered}`;
    // The filters need the row itself, which the index lacks: a row that contains the words is fetched for them.
    this.#wanted = `${holds("w.search_text")} and (${unfiltered} or (select true${this.#filtered} from ${this.#all} and t.id = w.id))`;
    this.#sortColumns = columnsOf("t.id, t.organisation_id", ...[...orders.values()].map(({ clause }) => clause), ...joins);
  }

  /** The function that returns a page of ids: it measures how common the words are and then chooses the cheapest method for the order. */
  search(): string {
    return `${this.#head(
      ", sort text, page bigint, skip bigint",
      `setof uuid rows ${PAGE}`,
      `hits bigint; looked bigint; last_key bigint; size bigint := ${SAMPLE}; rows_held float8; needed float8; collecting float8;
      few_changed boolean := false; ids uuid[];`,
    )}
    if f_updated_since is not null then
      select count(*) <= ${FEW} into few_changed from (select 1 from ${this.#all} and ${this.#changed} >= f_updated_since
        order by ${this.#changed} desc limit ${FEW} + 1) c;
    end if;
    while not few_changed loop
      select count(*) filter (where ${this.#wanted}), count(*), max(${RANDOM_KEY.replaceAll("t.id", "w.id")}) into hits, looked, last_key
        from ${this.#merged(RANDOM_ORDER, "size", { sampled: true })};
      rows_held := ${ROWS_HELD};
      exit when hits >= ${SURE} or looked < size or size > ${SAMPLE} or rows_held <= ${SAMPLE ** 2};
      -- More than before also where the root is rounded down, else this would have no end.
      size := floor(sqrt(rows_held)) + 1;
    end loop;
    collecting := case when char_length(term) < ${TRIGRAM} then rows_held / ${PRICE}
      else rows_held * hits / greatest(looked, 1) + rows_held / ${PASSED} end;
    needed := (page + skip)::float8 * looked / nullif(hits, 0);
    case sort${[...this.#orders].map(([key, order]) => this.#pageOf(key, order)).join("")}
    end case; end $search$`;
  }

  /** The function that counts all matches. */
  matches(): string {
    return `${this.#head("", "int", "hits bigint;")}
    if single then select count(*) into hits from ${this.#all} and ${this.#byWord};
    else select count(*) into hits from ${this.#all} and ${this.#byWords}; end if;
    return hits::int; end $search$`;
  }

  /** The start of both functions: parameters, rights, and the words as patterns. */
  #head(more: string, returns: string, variables: string): string {
    return `(${this.#parameters}${more}) returns ${returns}
    language plpgsql stable security definer set search_path = public as $search$
    declare organisation uuid := current_organisation(); ${variables}
      -- The longest first: it is likely to be the rarest, and has trigrams if any has.
      folded text[] := folded_words(words); term text := folded[1]; single boolean := cardinality(folded) = 1;
      patterns text[] := word_patterns(folded);
      -- A word without trigrams would have the index read everything; in its place the first is asked for again, which costs nothing.
      asked text[] := array(select case when char_length(folded[n]) < ${TRIGRAM} then patterns[1] else coalesce(patterns[n], patterns[1]) end
        from generate_series(1, ${ASKED}) n);
    begin`;
  }

  /** The page in one order: from a few changed rows, else by walking the order if that is cheaper, else by collecting all matches. */
  #pageOf(key: string, order: Order): string {
    const isDefault = sortName(key) === sortName(this.#spec.order);
    // A walk in this order would pass over all rows that have not changed first.
    const isWalked = order.isIndexed && key !== BY_CHANGE;
    return `
    when '${key}' then${this.#amongChanged(order)}${isWalked ? this.#walked(order, isDefault) : ""}${this.#collected(order)}`;
  }

  #amongChanged(order: Order): string {
    return `
      if few_changed then
        ${sorted(
          `select ${this.#sortColumns} from (select ${columnsOf(this.#sortColumns, "t.search_text", this.#filtered)} from ${this.#all}
             and ${this.#changed} >= f_updated_since order by ${this.#changed} desc limit ${FEW}) t where ${holds("t.search_text")}${this.#filtered}`,
          order,
        )}
        return;
      end if;`;
  }

  #walked({ clause }: Order, covered: boolean): string {
    const price = covered ? PRICE : 1;
    const limit = `greatest(4 * needed, ${price} * collecting)::bigint`;
    const rows = covered ? this.#merged(clause, limit) : this.#rowByRow(clause, limit);
    return `
      if needed <= ${price} * collecting then
        ids := array(select w.id from ${rows} where ${this.#wanted} limit page offset skip);
        if cardinality(ids) = page then return query select unnest(ids); return; end if;
      end if;`;
  }

  #collected(order: Order): string {
    const { clause } = this.#orders.get(this.#spec.order) as Order;
    const matching = `array(select w.id from ${this.#merged(clause, "null")} where ${this.#wanted})`;
    return `
      if char_length(term) < ${TRIGRAM} then
        ${sorted(`select ${this.#sortColumns} from ${this.#all} and t.id = any(${matching})`, order)}
      elsif single then
        ${sorted(`select ${this.#sortColumns} from ${this.#all} and ${this.#byWord}`, order)}
      else
        ${sorted(`select ${this.#sortColumns} from ${this.#all} and ${this.#byWords}`, order)}
      end if;`;
  }

  /** Rows `w` merged from two indexes of the same order: one with the text, one of the rows whose text is too long for it. */
  #merged(clause: string, limit: string, { sampled = false } = {}): string {
    const [more, key] = sampled ? [` and ${ONE_IN_64}`, `, ${RANDOM_ORDER} as place`] : ["", ""];
    const columns = columnsOf("t.id, t.search_text", clause);
    const part = (length: string) =>
      `(select ${columns}${key} from ${this.#all}${more} and octet_length(t.search_text) ${length} ${INDEXED_BYTES} order by ${clause})`;
    return `(select t.id, t.search_text from (${part("<=")} union all ${part(">")}) t
      order by ${sampled ? "t.place" : clause} limit ${limit}) w`;
  }

  /** Rows `w` in an order whose index lacks the text. */
  #rowByRow(clause: string, limit: string): string {
    return `(select t.id, t.search_text from ${this.#all} order by ${clause} limit ${limit}) w`;
  }
}
