import { queryOne } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { stampLeft } from "../documents/left.ts";

const STAFF = statement(`select 1 from invoices t where t.organisation_id = $1 and t.id = $2
  and ($3::uuid[] is null or t.company_id in (select selected_companies($3::uuid[]))) and (t.status <> 'draft' or not $4::boolean)`);

const PUBLIC = statement(`select t.id from invoices t
    left join invoicing_settings s on s.organisation_id = t.organisation_id
  where t.organisation_id = $1 and t.public_token = $2 and t.status <> 'draft' and coalesce(s.public_invoice_links, true)`);

/**
 * @throws 404 for an invoice the caller does not see: of another organisation, outside the selection, or a draft for a client login (money
 * §0)
 */
export async function requireVisible(invoiceId: string): Promise<void> {
  const { organisation, principal } = request();
  const { selection = null, isClientLogin = false } = principal ?? {};
  if (!(await queryOne(STAFF, [organisation.id, invoiceId, selection, isClientLogin]))) throw notFound();
}

/** The invoice of a public link, which leaves by it. @throws 404 unless the link is live (money §12) */
export async function invoiceOfLink(token: string): Promise<string> {
  const found =
    token.length >= 20 && token.length <= 64
      ? await queryOne<{ id: string }>(PUBLIC, [request().organisation.id, token])
      : undefined;
  if (!found) throw notFound();
  await stampLeft("invoice", [found.id]);
  return found.id;
}
