import { columns } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { WebsiteCredential, type WebsiteCredentialRow } from "../models.ts";

const OF_WEBSITE = `from marketing_website_credentials t where t.organisation_id = $1 and t.website_id = $2`;
const READ = statement(`select ${columns(WebsiteCredential, "t")} ${OF_WEBSITE}`);
const LOCK = statement(`select ${columns(WebsiteCredential, "t")} ${OF_WEBSITE} for update`);
const VISIBLE = statement(`select 1 from websites t where t.organisation_id = $1 and t.id = $2
  and ($3::uuid[] is null or t.company_id in (select c from selected_companies($3::uuid[]) c))`);

/** The stored credential of a website, if any. */
export const credentialOf = (websiteId: string): Promise<WebsiteCredentialRow | undefined> =>
  queryOne<WebsiteCredentialRow>(READ, [request().organisation.id, websiteId]);

/** Like `credentialOf`, but locks the row until the transaction ends. */
export const lockedCredential = (websiteId: string): Promise<WebsiteCredentialRow | undefined> =>
  queryOne<WebsiteCredentialRow>(LOCK, [request().organisation.id, websiteId]);

/** @throws 404 if the website does not exist or the caller cannot see its client */
export async function requireVisible(websiteId: string): Promise<void> {
  const { organisation, principal } = request();
  const found = await query(VISIBLE, [organisation.id, websiteId, principal?.selection ?? null]);
  if (found.length === 0) throw notFound();
}
