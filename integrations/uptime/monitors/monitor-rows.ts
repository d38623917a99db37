import { listing } from "../../../core/database/lists/list.ts";
import { ofSelectedCompany } from "../../../core/database/lists/selection.ts";
import { searchWords, wordsIn } from "../../../core/database/lists/words.ts";
import { isSeen, type NamedRecord, namedRecord } from "../../../core/database/named-record.ts";
import { projection } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { callerId, NO_PERSON, scopeOf } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { choice, flag, multiline, optional, type Static, Type, text, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { namedClient } from "../../../mixins/named/named-clients.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { STATUSES, UptimeMonitor } from "../models.ts";
import { ANCHORS, SYNC_STATUSES, UptimeMonitorRead } from "./monitor-schemas.ts";
import { BUILT_IN, INTERVAL, RETRIES } from "./settings.ts";

/** SQL: whether the caller sees the monitor's client. Restricted staff also see monitors without a client (conventions §5). */
export const visibleMonitor = (slot: string, alias = "t"): string =>
  `(${alias}.company_id is null or ${ofSelectedCompany(`${alias}.company_id`, slot)})`;

const ofClient = (alias: string) => (slot: string) => ofSelectedCompany(`${alias}.company_id`, slot);
const namedMonitor: NamedRecord = { table: "uptime_monitors", name: "r.name", visible: (slot) => visibleMonitor(slot) };
/**
 * SQL: whether the caller sees monitor `alias`; for counts.
 * @param sources SQL of the caller's selection, null when there is none
 */
export const seenMonitor = (alias: string, sources: string): string => isSeen(namedMonitor, alias, sources);
const namedDomain: NamedRecord = { table: "domains", name: "r.label", visible: ofClient("t") };
const namedWebsite: NamedRecord = {
  table: "websites",
  name: "(select wd.label from domains wd where wd.organisation_id = r.organisation_id and wd.id = r.domain_id)",
  visible: ofClient("t"),
};
const namedHosting: NamedRecord = {
  table: "hostings",
  name: "r.name",
  visible: (slot) => `(t.company_id is null or ${ofSelectedCompany("t.company_id", slot)})`,
};

/** SQL: the visible website `mw` with exactly the host of monitor `t`; `md` is its domain. @param joins additional joins */
export const matchingWebsites = (sources: string, joins = ""): string =>
  `from domains md join websites mw on mw.organisation_id = md.organisation_id and mw.domain_id = md.id ${joins}
    where md.organisation_id = t.organisation_id and md.name = t.host_names[1] and ${isSeen(namedWebsite, "mw", sources)}`;
/** SQL: the visible domains `md` that contain the host of monitor `t`. */
export const matchingDomains = (sources: string, joins = ""): string =>
  `from domains md ${joins} where md.organisation_id = t.organisation_id and md.name = any(t.host_names)
    and ${isSeen(namedDomain, "md", sources)}`;

const LINKED = "num_nonnulls(t.website_id, t.domain_id, t.hosting_id) = 1";
/**
 * SQL: a website with exactly the host wins over any domain; one candidate is a match, several are ambiguous (workspace-reporting §5,
 * "Matching").
 */
const linkStatus = (sources: string) => `left join lateral (select case when ${LINKED} then 'linked'
    when exists (select ${matchingWebsites(sources)}) then 'matched'
    else (select case count(*) when 0 then 'unmatched' when 1 then 'matched' else 'ambiguous' end ${matchingDomains(sources)}) end as value
  limit 1) match on true`;

const resolved = (own: string, built: number, { least, most }: { least: number; most: number }) =>
  `case when t.adopted then coalesce(t.${own}, ${built})
    else least(${most}, greatest(${least}, coalesce(t.${own}, pr.${own}, ${built}))) end`;

const shown = projection({
  model: UptimeMonitor,
  schema: UptimeMonitorRead,
  columns: {
    instance_name: "(select i.name from uptime_instances i where i.organisation_id = t.organisation_id and i.id = t.instance_id)",
    effective_interval_seconds: resolved("interval_seconds", BUILT_IN.interval_seconds, INTERVAL),
    effective_retries: resolved("retries", BUILT_IN.retries, RETRIES),
    parent_id: "parent.id",
    parent_name: "parent.name",
    child_count: "children.value",
    profile_name: "pr.name",
    entity_type: `case when website.id is not null then 'website' when domain.id is not null then 'domain'
      when hosting.id is not null then 'hosting' end`,
    entity_id: "coalesce(website.id, domain.id, hosting.id)",
    entity_name: "coalesce(website.name, domain.name, hosting.name)",
    company_id: "client.id",
    company_name: "client.name",
    status: "t.last_status",
    status_since: "t.last_status_since",
    link_status: "match.value",
  },
  joins: (sources) =>
    [
      `left join lateral (select p.name, p.interval_seconds, p.retries from uptime_profiles p
        where p.organisation_id = t.organisation_id and p.id = t.profile_id limit 1) pr on true`,
      `left join lateral (select count(*)::int as value from uptime_monitors c
        where c.organisation_id = t.organisation_id and c.parent_id = t.id and ${seenMonitor("c", sources)}) children on true`,
      namedRecord("parent", namedMonitor, "t.parent_id", sources),
      namedRecord("website", namedWebsite, "t.website_id", sources),
      namedRecord("domain", namedDomain, "t.domain_id", sources),
      namedRecord("hosting", namedHosting, "t.hosting_id", sources),
      namedRecord("client", namedClient, "t.company_id", sources),
      linkStatus(sources),
    ].join(" "),
  keepsOrder: true,
});

const equals = (column: string, type: string) => ({ type, when: (slot: string) => `t.${column} = ${slot}` });
const list = listing(
  {
    table: "uptime_monitors",
    order: "name",
    sorts: {
      name: { by: "t.name", text: true },
      status_since: { by: "t.last_status_since", mayBeEmpty: true, unindexed: true },
      created_at: { by: "t.created_at", unindexed: true },
      updated_at: { by: "t.updated_at" },
    },
    filters: {
      instance_id: equals("instance_id", "uuid"),
      company_id: equals("company_id", "uuid"),
      parent_id: equals("parent_id", "uuid"),
      profile_id: equals("profile_id", "uuid"),
      website_id: equals("website_id", "uuid"),
      domain_id: equals("domain_id", "uuid"),
      hosting_id: equals("hosting_id", "uuid"),
      monitor_type: equals("monitor_type", "text"),
      status: equals("last_status", "text"),
      sync_status: equals("sync_status", "text"),
      active: equals("active", "boolean"),
      adopted: equals("adopted", "boolean"),
      linked: { type: "boolean", when: (slot) => `(${LINKED}) = ${slot}` },
      named: wordsIn("t.name", "t.target"),
      roster: {
        type: "uuid",
        when: (slot) => `t.company_id in (select ca.company_id from company_assignees ca
          where ca.organisation_id = $1 and ca.account_id = ${slot})`,
        ids: (slot) => `select m.id from uptime_monitors m where m.organisation_id = $1 and m.company_id = any(array(
          select ca.company_id from company_assignees ca where ca.organisation_id = $1 and ca.account_id = ${slot}))`,
      },
    },
    visible: visibleMonitor,
  },
  shown,
);

const rows = rowsOf({ model: UptimeMonitor, projection: shown, listing: list, visible: visibleMonitor, narrowed: true });
export const monitorSorts = list.spec.sorts;

/** The filters of the list of monitors. */
export const monitorQuery = {
  instance_id: optional(uuid()),
  company_id: optional(uuid()),
  parent_id: optional({ ...uuid(), description: "Only the monitors of this group" }),
  profile_id: optional(uuid()),
  entity_type: optional(choice(ANCHORS, { description: "With `entity_id`: only the monitors of this record" })),
  entity_id: optional({ ...uuid(), description: "With `entity_type`: only the monitors of this record" }),
  monitor_type: optional(text(40)),
  status: optional(choice(STATUSES)),
  sync_status: optional(choice(SYNC_STATUSES)),
  active: optional({ ...flag(), description: "Only monitors that are not paused, or only paused ones; absent for both" }),
  adopted: optional(flag()),
  linked: optional({ ...flag(), description: "Only monitors that are linked to a record, or only others; absent for both" }),
  q: optional(multiline(200, { description: "Parts of the name or target; each must occur" })),
};
const QUERY = Type.Object(monitorQuery);
export type MonitorFilters = { [Name in keyof Static<typeof QUERY>]?: Static<typeof QUERY>[Name] | undefined };

/** The account whose rosters limit a caller with scope `own`; undefined if the caller sees all monitors. */
const roster = (): string | undefined => (scopeOf("uptime.monitor.read") === "any" ? undefined : (callerId() ?? NO_PERSON));

/** Maps the query parameters to filters of the listing. */
export function monitorFilters({ q, entity_type, entity_id, ...filters }: MonitorFilters): Record<string, unknown> {
  return {
    ...filters,
    ...(entity_type !== undefined && entity_id !== undefined && { [`${entity_type}_id`]: entity_id }),
    named: searchWords(q),
    roster: roster(),
  };
}

const ON_ROSTER = statement(`select 1 from uptime_monitors t join company_assignees ca
    on ca.organisation_id = t.organisation_id and ca.company_id = t.company_id and ca.account_id = $3
  where t.organisation_id = $1 and t.id = $2`);

/** @throws 404 if the monitor is outside the caller's scope */
export async function requireInScope(id: string): Promise<void> {
  const person = roster();
  if (person !== undefined && !(await queryOne(ON_ROSTER, [request().organisation.id, id, person]))) throw notFound();
}

/** The monitors visible to the running request. */
export const monitors = {
  page: rows.page,
  answerWith: rows.answerWith,
  forWrite: rows.forWrite,
  /** @throws 404 */
  async one(id: string) {
    await requireInScope(id);
    return rows.one(id);
  },
};
