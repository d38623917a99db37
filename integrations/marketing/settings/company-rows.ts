import { ofSelectedCompany } from "../../../core/database/lists/selection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { feeding } from "../feeding.ts";
import type { Layout } from "./layout.ts";

type StoredValues = Record<string, unknown>;

/** The settings that apply to a client: its own and the organisation's. */
export interface ClientRules {
  /** Null until the client's settings are first saved. */
  settings_id: string | null;
  version: number | null;
  show_key_events: boolean;
  layout: Layout | null;
  compare: string | null;
  rankings: StoredValues | null;
  report: StoredValues | null;
  default_compare: string | null;
  default_rankings: StoredValues | null;
  default_report: StoredValues | null;
}

/** An active link, as listed in settings. */
export interface BriefLink {
  id: string;
  source: string;
  display_name: string;
}

/** SQL: whether the caller sees client `c`. @param slot the sources of the caller's selection; null without one */
export const visibleClient = (slot: string): string =>
  `(${slot}::uuid[] is null or ${ofSelectedCompany("c.id", `${slot}::uuid[]`)})`;

/** Columns of `ClientRules`; the statement must include `RULES_OF_CLIENT`. */
export const RULES = `s.id as settings_id, s.version, case when s.id is null then true else s.show_key_events end as show_key_events,
  s.layout, s.compare, s.rankings, s.report,
  o.default_compare, o.rankings as default_rankings, o.report as default_report`;
/** Joins the settings of client `c` and of the organisation. */
export const RULES_OF_CLIENT = `left join marketing_company_settings s on s.organisation_id = c.organisation_id and s.company_id = c.id
  left join marketing_settings o on o.organisation_id = c.organisation_id`;

const READ = statement(`select ${RULES},
    (select coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'source', l.source, 'display_name', l.display_name)
        order by l.display_name collate kantoor_text, l.id), '[]')
      from marketing_links l where l.organisation_id = c.organisation_id and l.company_id = c.id and ${feeding("l")}) as links
  from companies c ${RULES_OF_CLIENT}
  where c.organisation_id = $1 and c.id = $2 and ${visibleClient("$3")}`);

/** The settings of a client and its active links by name. @throws 404 if the caller cannot see the client */
export async function clientRules(companyId: string): Promise<ClientRules & { links: BriefLink[] }> {
  const { organisation, principal } = request();
  const row = await queryOne<ClientRules & { links: BriefLink[] }>(READ, [
    organisation.id,
    companyId,
    principal?.selection ?? null,
  ]);
  if (!row) throw notFound();
  return row;
}
