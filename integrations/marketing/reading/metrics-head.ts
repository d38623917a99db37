import { ofSelectedCompany } from "../../../core/database/lists/selection.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import type { Bound } from "../../../core/sql/statement.ts";
import { statement } from "../../../core/sql/statement.ts";
import { feeding } from "../feeding.ts";
import { type ClientRules, RULES, RULES_OF_CLIENT, visibleClient } from "../settings/company-rows.ts";
import { connectionWorks } from "../sources/connection-owner.ts";

/** The person whose grant a link is read with. */
export interface Owner {
  user_id: string;
  name: string;
  email: string;
}

/** An active link with its stored state. */
export interface HeadLink {
  id: string;
  source: string;
  external_id: string;
  display_name: string;
  config: Record<string, unknown>;
  website_id: string | null;
  website_name: string | null;
  site_address: string | null;
  last_error: string | null;
  last_synced_at: string | null;
  has_days: boolean;
  currency: string | null;
  is_connected: boolean;
  owner: Owner | null;
}

/** The texts of a published report. */
export interface Narrative {
  report_id: string;
  period_start: string;
  period_end: string;
  published_at: string;
  /** By section key. */
  texts: Record<string, string>;
}

/** Everything except the figures in a response about one client. */
export interface Head extends ClientRules {
  has_connection: boolean;
  websites: { id: string; name: string }[];
  links: HeadLink[];
  narrative: Narrative | null;
}

const WORKS = connectionWorks("k");

const LINKS = `select jsonb_agg(jsonb_build_object('id', l.id, 'source', l.source, 'external_id', l.external_id,
    'display_name', l.display_name, 'config', l.config, 'website_id', w.id, 'website_name', w.name,
    'site_address', coalesce(r.address, 'https://' || w.host), 'last_error', l.last_error, 'last_synced_at', l.last_synced_at,
    'has_days', d.day is not null, 'currency', d.currency, 'is_connected', k.id is not null and ${WORKS},
    'owner', case when k.id is not null then jsonb_build_object('user_id', k.account_id, 'name', coalesce(nullif(a.full_name, ''), a.email),
      'email', k.email) end) order by l.display_name collate kantoor_text, l.id)
  from marketing_links l
  left join lateral (select x.id, wd.label as name, wd.name as host from websites x
    join domains wd on wd.organisation_id = x.organisation_id and wd.id = x.domain_id
    where x.organisation_id = l.organisation_id and x.id = l.website_id and ($3::uuid[] is null or ${ofSelectedCompany("x.company_id", "$3::uuid[]")}) limit 1) w on true
  left join marketing_website_credentials r on r.organisation_id = l.organisation_id and r.website_id = w.id
  left join lateral (select y.day, y.currency from marketing_days y where y.organisation_id = l.organisation_id and y.link_id = l.id
    order by y.day desc limit 1) d on true
  left join workspace_connections k on k.organisation_id = l.organisation_id and k.id = l.connection_id
  left join accounts a on a.id = k.account_id
  where l.organisation_id = c.organisation_id and l.company_id = c.id and ${feeding("l")}`;

const WEBSITES = `select jsonb_agg(jsonb_build_object('id', x.id, 'name', wd.label) order by wd.label, x.id)
  from websites x join domains wd on wd.organisation_id = x.organisation_id and wd.id = x.domain_id
  where x.organisation_id = c.organisation_id and x.company_id = c.id`;

/** The texts of the client's newest report that its portal shows. */
const NARRATIVE = `select jsonb_build_object('report_id', p.id, 'period_start', p.period_start, 'period_end', p.period_end,
    'published_at', p.published_at, 'texts', p.narrative)
  from reports p where p.organisation_id = c.organisation_id and p.company_id = c.id and p.audience = 'client'
    and p.published_at is not null and p.narrative <> '{}' order by p.period_start desc, p.revision desc limit 1`;

const HEAD = statement(`select ${RULES}, case when $4::boolean then (${NARRATIVE}) end as narrative,
    exists (select 1 from workspace_connections k where k.organisation_id = c.organisation_id and ${WORKS}) as has_connection,
    coalesce((${WEBSITES}), '[]') as websites, coalesce((${LINKS}), '[]') as links
  from companies c ${RULES_OF_CLIENT}
  where c.organisation_id = $1 and c.id = $2 and ${visibleClient("$3")}`);

/** The statement that reads a client's settings, links and websites; returns no row if the caller cannot see the client. */
export function headStatement(companyId: string): Bound {
  const { organisation, principal } = request();
  const readsReports = organisation.enabledModules.includes("reporting") && mayCaller("reporting.report.read");
  return [HEAD, [organisation.id, companyId, principal?.selection ?? null, readsReports]];
}
