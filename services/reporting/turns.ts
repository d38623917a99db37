import { enqueue } from "../../core/database/query.ts";
import { request } from "../../core/request/context.ts";
import { statement } from "../../core/sql/statement.ts";

const TURNS = {
  tones: statement("select pg_advisory_xact_lock(hashtextextended('report tones ' || $1::uuid, 0))"),
  templates: statement("select pg_advisory_xact_lock(hashtextextended('report templates ' || $1::uuid, 0))"),
};

/**
 * Serialises the writes of an organisation's tones or templates: the default, and whether one is the last, depend on all of them. Call it
 * before locking any row.
 */
export const serialiseWrites = (of: keyof typeof TURNS): void => enqueue(TURNS[of], [request().organisation.id]);
