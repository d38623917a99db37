import { clearSome } from "../../core/clearing/clear.ts";
import { enqueue, query, queryOne } from "../../core/database/query.ts";
import { request } from "../../core/request/context.ts";
import { oldRows } from "../../core/sql/old-rows.ts";
import { type Bound, statement } from "../../core/sql/statement.ts";
import { storeOutsideResult } from "../../mixins/tenancy.ts";

/** Seconds that a drilldown's answer (marketing-ads §2.7) and the picker's (§2.3) are cached. */
export const DRILLDOWN_SECONDS = 3600;
export const PICKER_SECONDS = 600;
const LONGEST = Math.max(DRILLDOWN_SECONDS, PICKER_SECONDS);

const READ = statement(`select answer from marketing_answers where organisation_id = $1 and cache_key = $2
  and fetched_at > statement_timestamp() - make_interval(secs => $3)`);
const READ_ALL =
  statement(`select cache_key, answer from marketing_answers where organisation_id = $1 and cache_key = any($2::text[])
  and fetched_at > statement_timestamp() - make_interval(secs => $3)`);
const KEEP = statement(`insert into marketing_answers (organisation_id, cache_key, answer) values ($1, $2, $3)
  on conflict (organisation_id, cache_key) do update set answer = excluded.answer, fetched_at = statement_timestamp()`);

const EXPIRED = oldRows({ table: "marketing_answers", age: "r.fetched_at", kept: `${LONGEST} seconds` });

/** The statement that reads an answer cached less than `seconds` ago; returns no row if there is none. */
export const keptStatement = (key: string, seconds: number): Bound => [READ, [request().organisation.id, key, seconds]];

/** An answer cached less than `seconds` ago, if any. */
export const keptAnswer = async <T>(key: string, seconds: number): Promise<T | undefined> =>
  (await queryOne<{ answer: T }>(...keptStatement(key, seconds)))?.answer;

/** The answers to several questions cached less than `seconds` ago, by key. */
export async function keptAnswers<T>(keys: readonly string[], seconds: number): Promise<ReadonlyMap<string, T>> {
  const rows = await query<{ cache_key: string; answer: T }>(READ_ALL, [request().organisation.id, keys, seconds]);
  return new Map(rows.map(({ cache_key, answer }) => [cache_key, answer]));
}

/** Caches answers by key in a separate transaction and deletes the organisation's expired ones. Failures are never cached. */
export const keepAnswers = (answers: ReadonlyMap<string, unknown>): Promise<void> =>
  storeOutsideResult(async () => {
    const { id } = request().organisation;
    clearSome(EXPIRED);
    for (const [key, answer] of answers) enqueue(KEEP, [id, key, JSON.stringify(answer)]);
  });

export const keepAnswer = (key: string, answer: unknown): Promise<void> => keepAnswers(new Map([[key, answer]]));
