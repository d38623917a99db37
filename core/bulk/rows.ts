import { query } from "../database/query.ts";
import { request } from "../request/context.ts";
import { type Statement, statement } from "../sql/statement.ts";

/**
 * The statement for `lockedRows` over one table.
 * @param visible SQL on alias `t`; `$3` is the sources of the caller's selection, or null for an unrestricted one
 */
export const lockingRows = (table: string, visible: string): Statement =>
  statement(`select t.id from ${table} t where t.organisation_id = $1 and t.id = any($2::uuid[])
    and ${visible} order by t.id for update`);

/** The condition for `lockingRows`, from the visibility under a restricted selection. */
export const withinSelection = (visible: (slot: string) => string): string => `($3::uuid[] is null or ${visible("$3::uuid[]")})`;

/** The rows with these ids that the caller sees, locked until the request ends. @param more values from `$4` on */
export const lockedRows = (text: Statement, ids: readonly string[], more: readonly unknown[] = []): Promise<{ id: string }[]> =>
  query(text, [request().organisation.id, ids, request().principal?.selection ?? null, ...more]);
