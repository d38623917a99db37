import { queryOne } from "../../core/database/query.ts";
import { notFound } from "../../core/errors/errors.ts";
import { request } from "../../core/request/context.ts";
import { statement } from "../../core/sql/statement.ts";

const SEEN = statement(`select 1 from companies c where c.organisation_id = $1 and c.id = $2
  and ($3::uuid[] is null or c.id in (select selected_companies($3::uuid[])))`);

/** Requires that the caller sees the client named in a body. @throws 404, the same for another organisation's id (clients §2.6) */
export async function requireCompany(id: string | null | undefined): Promise<void> {
  if (id === null || id === undefined) return;
  const { organisation, principal } = request();
  if (!(await queryOne(SEEN, [organisation.id, id, principal?.selection ?? null]))) throw notFound();
}
