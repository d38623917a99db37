import { queryAll } from "../core/database/query.ts";
import { request } from "../core/request/context.ts";
import { type Statement, statement } from "../core/sql/statement.ts";
import type { OpenWork, OpenWorkKind } from "../core/values/open-work.ts";

/** Listed records of each kind. */
const LISTED = 200;

/**
 * The statement for records of one kind that hang on person `$2`, limited to the clients that the caller sees.
 * @param records SQL of `id`, `title` and `company_id` (null for none), each record once
 */
export const hangingOn = (records: string): Statement =>
  statement(`select r.id, r.title, r.company_id, count(*) over ()::int as total from (${records}) r
    where $3::uuid[] is null or r.company_id is null or r.company_id in (select selected_companies($3::uuid[]))
    order by r.title collate kantoor_text, r.id limit ${LISTED}`);

/** The records of these kinds that hang on a person, one statement each, in one message. */
export async function openWorkOf(accountId: string, kinds: Partial<Record<OpenWorkKind, Statement>>): Promise<OpenWork[]> {
  const { organisation, principal } = request();
  const values = [organisation.id, accountId, principal?.selection ?? null];
  const found = await queryAll(...Object.values(kinds).map((text) => [text, values] as const));
  return (Object.keys(kinds) as OpenWorkKind[]).map((kind, index) => {
    const rows = (found[index] ?? []) as unknown as (OpenWork["items"][number] & { total: number })[];
    return { kind, total: rows[0]?.total ?? 0, items: rows.map(({ id, title, company_id }) => ({ id, title, company_id })) };
  });
}
