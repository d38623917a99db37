import { enqueue, query } from "../../../../core/database/query.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";

const TAKE_TURNS = statement(`select pg_advisory_xact_lock(key) from (
    select distinct hashtextextended('conversation ' || $1::uuid || ' ' || v, 0) as key from unnest($2::text[]) v order by 1) keys`);
const OF_THREADS = statement(`select distinct on (v.thread) v.thread, i.conversation_id as id from unnest($2::text[]) v (thread)
    join interactions i on i.organisation_id = $1 and i.status = 'logged' and (i.mail_thread_id = v.thread or i.message_id = v.thread)
   order by v.thread, i.occurred_at, i.id`);

/**
 * The conversations that messages of these threads join, by thread: those of the messages logged earlier; threads without one are absent.
 * Locks serialise messages of one thread, and two copies of one message, so that a thread has one conversation.
 * @param values threads and message ids, in the form of their headers
 */
export async function conversationsOf(values: readonly (string | null)[]): Promise<Map<string, string>> {
  const named = [...new Set(values.filter((value) => value !== null))];
  if (named.length === 0) return new Map();
  const place = [request().organisation.id, named];
  enqueue(TAKE_TURNS, place);
  const found = await query<{ thread: string; id: string }>(OF_THREADS, place);
  return new Map(found.map(({ thread, id }) => [thread, id]));
}
