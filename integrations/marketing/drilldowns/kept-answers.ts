import { enqueue } from "../../../core/database/query.ts";
import { type Bound, statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";
import { keepTold } from "../../../mixins/tenancy.ts";

/** Seconds for which a drilldown's answer is used again (marketing-ads §2.7). */
export const KEPT_SECONDS = 3600;

const FRESH = `fetched_at > statement_timestamp() - interval '${KEPT_SECONDS} seconds'`;
const READ = statement(`select answer from marketing_answers where organisation_id = $1 and cache_key = $2 and ${FRESH}`);
const KEEP = statement(`insert into marketing_answers (organisation_id, cache_key, answer) values ($1, $2, $3)
  on conflict (organisation_id, cache_key) do update set answer = excluded.answer, fetched_at = statement_timestamp()`);
const CLEAR_OLD = statement(`delete from marketing_answers where organisation_id = $1 and not ${FRESH}`);

/** What is kept for a question, to be read with other statements; no row without a fresh answer. */
export const cachedStatement = (key: string): Bound => [READ, [request().organisation.id, key]];

/** Keeps an answer, in a transaction of its own, and forgets those that are no longer used. */
export const keepAnswer = (key: string, answer: unknown): Promise<void> =>
  keepTold(async () => {
    const { id } = request().organisation;
    enqueue(CLEAR_OLD, [id]);
    enqueue(KEEP, [id, key, JSON.stringify(answer)]);
  });
