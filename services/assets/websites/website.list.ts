import { type ListQuery, listing } from "../../../core/database/lists/list.ts";
import type { ListingSpec } from "../../../core/database/lists/listing-spec.ts";
import { ofSelectedCompany } from "../../../core/database/lists/selection.ts";
import { projection } from "../../../core/database/projection.ts";
import { forStaffAndClients } from "../../../core/request/caller.ts";
import { flag, optional, type Static, Type, uuid } from "../../../core/schema/schema.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { visibleHosting } from "../hosting/hosting.list.ts";
import { partyJoin } from "../parties/parties.ts";
import { Website } from "./models.ts";
import { firstByCompany, firstByHosting, firstByName } from "./website-orders.ts";
import { WebsiteRead } from "./website-schemas.ts";

/** A website is visible with its domain's client (assets §4). */
export const visibleWebsite = (slot: string): string => ofSelectedCompany("t.company_id", slot);

/** Hosting `sh` of website `t`, if the selection shows it, looked up per row. */
const hostingOf = (sources: string): string =>
  `left join lateral (select oh.name from hostings oh where oh.organisation_id = t.organisation_id and oh.id = t.hosting_id
    and (${sources} is null or ${visibleHosting(sources, "oh")}) limit 1) sh on true`;
/** Domain `sd` of website `t`, looked up per row. */
const SITE = `cross join lateral (select od.label from domains od
    where od.organisation_id = t.organisation_id and od.id = t.domain_id limit 1) sd`;

/** The worst status last reported by the active monitors of website `t` (assets §4); null without any report. */
const uptime_status = `(select um.last_status from uptime_monitors um
  where um.organisation_id = t.organisation_id and um.website_id = t.id and um.active and um.last_status is not null
  order by array_position(array['down', 'pending', 'maintenance', 'up'], um.last_status) limit 1)`;

/** The response projection of a website; client logins see fewer owners. */
const answered = (clients: boolean) =>
  projection({
    model: Website,
    schema: WebsiteRead,
    columns: {
      domain_name: "sd.label",
      company_name: "(select c.name from companies c where c.organisation_id = t.organisation_id and c.id = t.company_id)",
      hosting_name: "sh.name",
      technical_owner: "technical_owner_party.shown",
      uptime_status,
    },
    joins: (sources) => `${SITE} ${hostingOf(sources)} ${partyJoin("technical_owner", { id: "t.company_id" }, clients)(sources)}`,
    keepsOrder: true,
  });

/** The projection without looked-up fields. */
const plain = projection({
  model: Website,
  schema: WebsiteRead,
  columns: {
    domain_name: "''",
    company_name: "null",
    hosting_name: "null",
    technical_owner: "null",
    uptime_status: "null",
  },
});

const spec: ListingSpec = {
  table: "websites",
  searchable: true,
  order: "-created_at",
  sorts: {
    name: { by: "sd.label", text: true, join: SITE, first: firstByName },
    company: {
      by: "sc.name",
      text: true,
      join: "join companies sc on sc.organisation_id = t.organisation_id and sc.id = t.company_id",
      first: firstByCompany,
    },
    hosting: {
      by: "sh.name",
      text: true,
      mayBeEmpty: true,
      join: hostingOf,
      first: firstByHosting,
    },
    uptime: { by: "t.uptime_enabled" },
    created_at: { by: "t.created_at" },
    updated_at: { by: "t.updated_at" },
  },
  filters: {
    domain_id: { type: "uuid", when: (slot) => `t.domain_id = ${slot}` },
    company_id: { type: "uuid", when: (slot) => `t.company_id = ${slot}` },
    hosting_id: { type: "uuid", when: (slot) => `t.hosting_id = ${slot}` },
    uptime_enabled: { type: "boolean", when: (slot) => `t.uptime_enabled = ${slot}` },
  },
  visible: visibleWebsite,
  kept: true,
};

/** The list of websites (assets §4). */
export const websiteListing = listing(spec, answered(false));

/** The filters of the list, in addition to search and order; exports accept the same. */
export const websiteQuery = {
  domain_id: optional(uuid()),
  company_id: optional(uuid()),
  hosting_id: optional(uuid()),
  uptime_enabled: optional(flag()),
};
const QUERY = Type.Object(websiteQuery);
export type WebsiteFilters = { [Name in keyof Static<typeof QUERY>]?: Static<typeof QUERY>[Name] | undefined };

/** `websiteQuery` values as filters of the listing. */
export const websiteFilters = ({
  domain_id,
  company_id,
  hosting_id,
  uptime_enabled,
}: WebsiteFilters): Record<string, unknown> => ({
  domain_id,
  company_id,
  hosting_id,
  uptime_enabled,
});

const rows = forStaffAndClients((clients) => {
  const shown = answered(clients);
  const place = { model: Website, visible: visibleWebsite };
  return {
    shown: rowsOf({ ...place, projection: shown, listing: listing(spec, shown), narrowed: true }),
    bare: rowsOf({ ...place, projection: plain, listing: listing(spec, plain) }),
  };
});

/** Websites visible to the current request. */
export const websites = {
  one: (id: string) => rows().shown.one(id),
  answerWith: (id: string) => rows().shown.answerWith(id),
  forWrite: (id: string) => rows().shown.forWrite(id),

  /**
   * A page of the list. @throws 400 `invalid_sort`
   * @param meta false omits looked-up fields: names, the owner and the uptime status
   */
  page: (asked: ListQuery & WebsiteFilters, meta = true) =>
    (meta ? rows().shown : rows().bare).page(asked, websiteFilters(asked)),
};
