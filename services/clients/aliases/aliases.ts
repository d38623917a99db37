import { enqueue, queryOne } from "../../../core/database/query.ts";
import { isApiError, refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";

/** The kinds of record that can be merged. */
export type MergedKind = "company" | "contact";

const ADD = statement(
  `insert into record_aliases (organisation_id, old_id, company_id, contact_id) values ($1, $2, $3, $4) on conflict do nothing`,
);
const FIND = statement(`select company_id, contact_id from record_aliases where organisation_id = $1 and old_id = $2`);
const PATHS = { company: "/api/v1/companies/", contact: "/api/v1/contacts/" };

/** Keeps the id of a merged record. Aliases of that record have moved with its other references, so every one leads to a record in one step. */
export function addAlias(kind: MergedKind, oldId: string, keptId: string): void {
  const ids = kind === "company" ? [keptId, null] : [null, keptId];
  enqueue(ADD, [request().organisation.id, oldId, ...ids]);
}

/**
 * Reads a record, and refers callers who ask for a merged one over HTTP to the one that was kept. Other actors get 404: what they write must
 * not name a record that is gone.
 * @throws 308 with the new location, for a merged record whose successor the caller sees; otherwise 404
 */
export async function readOrRefer<T>(kind: MergedKind, id: string, read: (id: string) => Promise<T>): Promise<T> {
  try {
    return await read(id);
  } catch (error) {
    if (!isApiError(error) || error.code !== 404 || !request().isDirect) throw error;
    const found = await queryOne<{ company_id: string | null; contact_id: string | null }>(FIND, [request().organisation.id, id]);
    const keptId = kind === "company" ? found?.company_id : found?.contact_id;
    if (!keptId) throw error;
    await read(keptId);
    throw refusal("moved", undefined, { details: { id: keptId }, headers: { Location: PATHS[kind] + keptId } });
  }
}
