import { attempt } from "../database/connection/savepoint.ts";
import { explained } from "../database/write.ts";
import { isApiError, type RefusalParts } from "../errors/errors.ts";
import { request } from "../request/context.ts";
import type { BulkEntity, BulkUpdate } from "./entity.ts";
import { readValues } from "./values.ts";

/** The outcome for the rows of a call. `failed` lists rows that the caller cannot see, then rejected ones, each in the order sent. */
export interface BulkResult {
  succeeded: number;
  failed: { id: string; error: string }[];
}

/**
 * The most specific error key: of the first field, otherwise the message.
 * @throws the error itself if it is not a rejection of this row, so that the whole call fails or re-runs
 */
function keyOf(thrown: unknown): string {
  const { retryableConstraints, attempt: run } = request();
  const { constraint } = thrown as { constraint?: string };
  if (run === 1 && constraint !== undefined && retryableConstraints.has(constraint)) throw thrown;
  const error = explained(thrown);
  if (!isApiError(error) || error.code >= 500) throw thrown;
  const [field] = Object.values((error.data as RefusalParts | undefined)?.fields ?? {});
  return field ?? error.message;
}

/**
 * Writes row by row in the order sent, each with its own savepoint; duplicate ids count once.
 * @param seenOf finds and locks the rows that exist for the caller
 */
export async function eachRow(
  seenOf: BulkEntity["seen"],
  ids: readonly string[],
  write: (id: string) => Promise<unknown>,
): Promise<BulkResult> {
  const asSent = new Map(ids.toReversed().map((id) => [id.toLowerCase(), id]));
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
  const seen = new Set((await seenOf(wanted)).map(({ id }) => id));
  const missing: string[] = [];
  const refused: BulkResult["failed"] = [];
  for (const id of wanted) {
    if (!seen.has(id)) {
      missing.push(id);
      continue;
    }
    const thrown = await attempt(() => write(id));
    if (thrown !== null) refused.push({ id, error: keyOf(thrown) });
  }
  const failed = [...missing.map((id) => ({ id, error: "errors.not_found" })), ...refused];
  return {
    succeeded: wanted.length - failed.length,
    failed: failed.map(({ id, error }) => ({ id: asSent.get(id) as string, error })),
  };
}

/**
 * Changes many records in the running request's transaction. The transaction commits as a whole, and a rejected row does not affect the
 * others (platform §3).
 * @param texts by key
 * @throws 422 for an unreadable text, before any row is touched
 */
export async function updateRows(
  entity: BulkEntity,
  { keys, write }: BulkUpdate,
  ids: readonly string[],
  texts: Readonly<Record<string, string | null>>,
): Promise<BulkResult> {
  const values = await readValues(keys, texts);
  return eachRow(entity.seen, ids, (id) => write(id, values));
}

/** Deletes many records under the same rules. */
export const removeRows = (entity: BulkEntity, ids: readonly string[]): Promise<BulkResult> =>
  eachRow(entity.seen, ids, (id) => entity.remove(id));
