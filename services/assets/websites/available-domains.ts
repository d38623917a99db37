import { queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { readInstant } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";

const AVAILABLE = statement(`select coalesce(json_agg(r), '[]')::text as items from (
  select d.id, d.label as name, d.company_id from domains d
   where d.organisation_id = $1
     and not exists (select 1 from websites w where w.organisation_id = d.organisation_id and w.domain_id = d.id)
     and ($3::uuid[] is null or d.company_id in (select selected_companies($3::uuid[])))
     and ($4::timestamptz is null or d.updated_at >= $4::timestamptz)
   order by d.label collate kantoor_text, d.id limit $2) r`);

/**
 * The domains without a website that the caller sees, by name, up to `most` (assets §4). One statement.
 * @param since only those created or changed at or after this instant
 */
export async function availableDomains(most: number, since: string | undefined): Promise<JsonText> {
  const { organisation, principal } = request();
  const changed = since === undefined ? null : readInstant(since);
  const values = [organisation.id, most, principal?.selection ?? null, changed];
  const found = await queryOne<{ items: string }>(AVAILABLE, values);
  return new JsonText(found?.items ?? "[]");
}
