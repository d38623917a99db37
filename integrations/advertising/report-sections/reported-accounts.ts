import { ofSelectedCompany } from "../../../core/database/lists/selection.ts";
import { query } from "../../../core/database/query.ts";
import type { GatheredFor } from "../../../core/declare/report-sections.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resolvedReport } from "../../../mixins/report-sections/report-split.ts";

type StoredValues = Record<string, unknown> | null;

/** A client's account, with its link and settings in marketing. */
export interface ReportedAccount {
  id: string;
  descriptive_name: string;
  currency_code: string | null;
  time_zone: string | null;
  last_synced_at: string | null;
  /** The account's link in marketing; null without one. */
  link_id: string | null;
  website_id: string | null;
  website_name: string | null;
  report: StoredValues;
  default_report: StoredValues;
}

/** Active accounts of the report's client, unless marketing hides the source. */
const ACCOUNTS = statement(`select a.id, a.descriptive_name, a.currency_code, a.time_zone, a.last_synced_at,
    l.id as link_id, x.id as website_id, w.label as website_name, s.report, o.report as default_report
  from ads_accounts a
  left join marketing_company_settings s on s.organisation_id = a.organisation_id and s.company_id = a.company_id
  left join marketing_settings o on o.organisation_id = a.organisation_id
  left join lateral (select m.id, m.website_id from marketing_links m where m.organisation_id = a.organisation_id
      and m.company_id = a.company_id and m.source = 'gads' and m.active
      and regexp_replace(m.external_id, '[^0-9]', '', 'g') = a.customer_id order by m.id limit 1) l on true
  left join websites x on x.organisation_id = a.organisation_id and x.id = l.website_id
  left join domains w on w.organisation_id = x.organisation_id and w.id = x.domain_id
  where a.organisation_id = $1 and a.company_id = $2 and a.active and not a.is_manager
    and (s.layout -> 'sources' -> 'gads' ->> 'hidden' = 'true') is not true
    and ($3::uuid[] is null or ${ofSelectedCompany("a.company_id", "$3::uuid[]")})
  order by a.descriptive_name, a.customer_id`);

/** The accounts in a client's report, by name, without those whose link the report excludes (marketing-ads §2.4). */
export async function reportedAccounts({ company_id }: GatheredFor): Promise<{ accounts: ReportedAccount[]; isSplit: boolean }> {
  const { organisation, principal } = request();
  const accounts = await query<ReportedAccount>(ACCOUNTS, [organisation.id, company_id, principal?.selection ?? null]);
  const { split, exclude } = resolvedReport(accounts[0]?.report, accounts[0]?.default_report);
  return {
    accounts: accounts.filter(({ link_id }) => link_id === null || !exclude.includes(link_id)),
    isSplit: split === "per_website",
  };
}
