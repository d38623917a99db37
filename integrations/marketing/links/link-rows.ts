import { ofSelectedCompany } from "../../../core/database/lists/selection.ts";
import { columns } from "../../../core/database/model.ts";
import { type NamedRecord, namedRecord } from "../../../core/database/named-record.ts";
import { jsonArray, projection } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { callerId, forStaffAndClients, mayCaller, NO_PERSON } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { JsonText, WrittenRow } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { feeding } from "../feeding.ts";
import { MarketingLink } from "../models.ts";
import { HIDDEN } from "../settings/hidden.ts";
import { CONNECTION_OK, connectionOwner, GRANTOR } from "../sources/connection-owner.ts";
import { MarketingLinkRead } from "./link-schemas.ts";

/** A website as named in links. */
export const namedWebsite: NamedRecord = {
  table: "websites",
  name: "(select wd.label from domains wd where wd.organisation_id = r.organisation_id and wd.id = r.domain_id)",
  visible: (slot) => ofSelectedCompany("t.company_id", slot),
};

/** The projection of a link; the selection is `$3`, the caller's account `$4`. */
const shownTo = (clients: boolean) =>
  projection({
    model: MarketingLink,
    schema: MarketingLinkRead,
    columns: {
      website_id: "website.id",
      website_name: "website.name",
      active: feeding("t"),
      data_from: "lower(t.read_days)",
      connection_ok: CONNECTION_OK,
      connection_owner: connectionOwner("$4::uuid", clients),
    },
    joins: (selection) => `${GRANTOR} ${namedRecord("website", namedWebsite, "t.website_id", selection)}`,
  });

const texts = forStaffAndClients((clients) => {
  const shown = shownTo(clients);
  // Hidden sources only for callers who manage links (`$6`), as in all reads of marketing.
  const ofClient = `(select ${columns(MarketingLink, "l")} from marketing_links l
    where l.organisation_id = $1 and l.company_id = $2 and ($5::timestamptz is null or l.updated_at >= $5::timestamptz)
      and ($6::boolean or not exists (select 1 from marketing_company_settings s
        where s.organisation_id = l.organisation_id and s.company_id = l.company_id and ${HIDDEN})))`;
  const items = jsonArray(`${shown.rows(ofClient, "$3::uuid[]")} order by t.source, t.display_name collate kantoor_text, t.id`);
  const seen = `select ($3::uuid[] is null or ${ofSelectedCompany("t.id", "$3::uuid[]")}) from companies t
    where t.organisation_id = $1 and t.id = $2`;
  return { one: shown.one(), list: statement(`select (${seen}) as is_seen, ${items} as items`) };
});

const rows = rowsOf({
  model: MarketingLink,
  projection: shownTo(false),
  visible: (slot) => ofSelectedCompany("t.company_id", slot),
});

/** Locks the link for a write and checks `If-Match`. @throws 404, 412 */
export const lockedLink = (id: string) => rows.forWrite(id);

const caller = () => callerId() ?? NO_PERSON;
const selection = () => request().principal?.selection ?? null;

export const writtenLink = (id: string): WrittenRow =>
  new WrittenRow([texts().one, [request().organisation.id, id, selection(), caller()]]);

/**
 * The links of a client, including removed ones, by source and name; those of hidden sources only for callers who manage links.
 * @param since only links changed since then, ISO 8601; null for all
 * @throws 404 if the client does not exist or is not visible
 */
export async function linksOf(companyId: string, since: string | null): Promise<JsonText> {
  const values = [request().organisation.id, companyId, selection(), caller(), since, mayCaller("marketing.link.manage")];
  const found = await queryOne<{ is_seen: boolean | null; items: string }>(texts().list, values);
  if (!found?.is_seen) throw notFound();
  return new JsonText(found.items);
}
