import { queryOne } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";

const STAFF = statement(`select 1 from invoices t where t.organisation_id = $1 and t.id = $2
  and ($3::uuid[] is null or t.company_id in (select selected_companies($3::uuid[]))) and (t.status <> 'draft' or not $4::boolean)`);

/**
 * @throws 404 for an invoice the caller does not see: of another organisation, outside the selection, or a draft for a client login (money
 * §0)
 */
export async function requireVisible(invoiceId: string): Promise<void> {
  const { organisation, principal } = request();
  const { selection = null, isClientLogin = false } = principal ?? {};
  if (!(await queryOne(STAFF, [organisation.id, invoiceId, selection, isClientLogin]))) throw notFound();
}
