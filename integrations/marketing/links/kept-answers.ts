import { enqueue, queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";
import { keepTold } from "../../../mixins/tenancy.ts";

const READ = statement(`select answer from marketing_answers where organisation_id = $1 and cache_key = $2
  and fetched_at > statement_timestamp() - make_interval(secs => $3)`);
const KEEP = statement(`insert into marketing_answers (organisation_id, cache_key, answer) values ($1, $2, $3)
  on conflict (organisation_id, cache_key) do update set answer = excluded.answer, fetched_at = statement_timestamp()`);
const FORGET = statement(
  "delete from marketing_answers where organisation_id = $1 and fetched_at < statement_timestamp() - interval '1 day'",
);

/** What a source answered less than so many seconds ago; undefined without that. */
export const keptAnswer = async <T>(key: string, seconds: number): Promise<T | undefined> =>
  (await queryOne<{ answer: T }>(READ, [request().organisation.id, key, seconds]))?.answer;

/** Keeps what a source answered, in a transaction of its own. Failures are never kept. */
export const keepAnswer = (key: string, answer: unknown): Promise<void> =>
  keepTold(async () => enqueue(KEEP, [request().organisation.id, key, JSON.stringify(answer)]));

/** Forgets the organisation's old answers, in the running transaction. */
export const forgetAnswers = (): void => enqueue(FORGET, [request().organisation.id]);
