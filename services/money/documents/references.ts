import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { unknownReference } from "../refusals.ts";

const TEMPLATE = statement("select 1 from invoice_templates where organisation_id = $1 and id = $2");
const USUAL_TEMPLATE = statement(`select coalesce(
    (select s.default_template_id from invoicing_settings s where s.organisation_id = $1),
    (select t.id from invoice_templates t where t.organisation_id = $1 and t.is_default and t.active)) as id`);

/** @throws 400 `template_id` for a template of another organisation (money §0) */
export async function requireTemplate(id: string | null | undefined): Promise<void> {
  if (id && (await query(TEMPLATE, [request().organisation.id, id])).length === 0) throw unknownReference("template_id");
}

/** The default template of a new document: that of the settings, else the active default, else null (money §2 "Create"). */
export async function usualTemplate(): Promise<string | null> {
  const [row] = await query<{ id: string | null }>(USUAL_TEMPLATE, [request().organisation.id]);
  return row?.id ?? null;
}
