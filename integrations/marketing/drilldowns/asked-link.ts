import { ofSelectedCompany } from "../../../core/database/lists/selection.ts";
import { columns } from "../../../core/database/model.ts";
import { queryAll } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { callerId } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { IS_WORKING, WORKING_CONNECTIONS } from "../../../mixins/google/connection.ts";
import { feeding } from "../feeding.ts";
import { DRILLDOWN_SECONDS, keptStatement } from "../kept-answers.ts";
import { MarketingLink, type MarketingLinkRow } from "../models.ts";
import type { Layout } from "../settings/layout.ts";
import type { DrilldownRow } from "../sources/source.ts";

/** A link with the settings that control its drilldowns. */
export interface AskedLink extends MarketingLinkRow {
  /** Whether the connection it is read with works. */
  is_connected: boolean;
  show_key_events: boolean | null;
  layout: Layout | null;
  /** Address of the site that the website's credential is for; null without a credential. */
  site_address: string | null;
  /** Language of the caller; null if the caller set none. */
  locale: string | null;
}

/** A link whose drilldown a caller reads. */
export interface DrilledLink extends AskedLink {
  /** Address of its website's own screen: the credential's, else that of its domain; null without a website that the caller sees. */
  screen_address: string | null;
}

/** Columns of an `AskedLink` except `locale`, for link `t` and its client's settings `s`; the organisation is `$1`. */
export const ASKED = `${columns(MarketingLink, "t")}, s.show_key_events, s.layout,
    exists (select 1 from ${WORKING_CONNECTIONS} where ${IS_WORKING} and c.id = t.connection_id) as is_connected,
    credential.address as site_address`;
/** The tables of `ASKED`. */
export const ASKED_FROM = `marketing_links t
  left join marketing_company_settings s on s.organisation_id = t.organisation_id and s.company_id = t.company_id
  left join marketing_website_credentials credential on credential.organisation_id = t.organisation_id
    and credential.website_id = t.website_id`;
/** SQL: whether the caller sees the client of link `t`. @param slot the sources of the caller's selection; null without one */
export const visibleLink = (slot: string): string =>
  `(${slot}::uuid[] is null or t.company_id in (select c from selected_companies(${slot}::uuid[]) c))`;

const LINK = statement(`select ${ASKED}, (select a.locale from accounts a where a.id = $5) as locale,
    (select coalesce(credential.address, 'https://' || d.name) from websites x
      join domains d on d.organisation_id = x.organisation_id and d.id = x.domain_id
      where x.organisation_id = t.organisation_id and x.id = t.website_id
        and ($4::uuid[] is null or ${ofSelectedCompany("x.company_id", "$4::uuid[]")})) as screen_address
  from ${ASKED_FROM} where t.organisation_id = $1 and t.id = $2 and t.company_id = $3 and ${feeding("t")} and ${visibleLink("$4")}`);

/**
 * Reads a client's link and the cached answer to a question in one round trip.
 * @throws 404 if the link is inactive, belongs to another client, or the caller cannot see the client
 */
export async function askedLink(
  companyId: string,
  linkId: string,
  cacheKey: string,
): Promise<{ link: DrilledLink; kept: DrilldownRow[] | null }> {
  const { organisation, principal } = request();
  const [[link] = [], [kept] = []] = await queryAll(
    [LINK, [organisation.id, linkId, companyId, principal?.selection ?? null, callerId()]],
    keptStatement(cacheKey, DRILLDOWN_SECONDS),
  );
  if (!link) throw notFound();
  return { link: link as unknown as DrilledLink, kept: (kept?.["answer"] as DrilldownRow[] | undefined) ?? null };
}
