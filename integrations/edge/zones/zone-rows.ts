import { listing } from "../../../core/database/lists/list.ts";
import { wordsIn } from "../../../core/database/lists/words.ts";
import { columns } from "../../../core/database/model.ts";
import { projection } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { notFound, refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { type EdgeAccountRow, EdgeZone, type EdgeZoneRow, GONE } from "../models.ts";
import { storedAccount } from "../provider/account-access.ts";
import { ZoneRead } from "./zone-schemas.ts";

/** A zone without a domain belongs to no client and is visible to everyone who may read zones (assets §7). */
const visible = (slot: string) => `(t.domain_id is null or exists (select 1 from domains d
  where d.organisation_id = t.organisation_id and d.id = t.domain_id and d.company_id in (select selected_companies(${slot}))))`;

/** The response projection of a zone; each join yields one row. */
export const zoneShown = projection({
  model: EdgeZone,
  schema: ZoneRead,
  columns: {
    account_name: "account.name",
    paused: "coalesce(t.paused, false)",
    name_servers: "coalesce(t.name_servers, '{}')",
    original_name_servers: "coalesce(t.original_name_servers, '{}')",
    domain_name: "domain.label",
  },
  joins: `left join edge_accounts account on account.organisation_id = t.organisation_id and account.id = t.account_id
    left join domains domain on domain.organisation_id = t.organisation_id and domain.id = t.domain_id`,
});

const list = listing(
  {
    table: "edge_zones",
    order: "name",
    sorts: { name: { by: "t.name" } },
    filters: {
      account_id: { type: "uuid", when: (slot) => `t.account_id = ${slot}` },
      domain_id: { type: "uuid", when: (slot) => `t.domain_id = ${slot}` },
      linked: { type: "boolean", when: (slot) => `(t.domain_id is not null) = ${slot}` },
      words: wordsIn("t.name", "t.label"),
    },
    visible,
  },
  zoneShown,
);

/** Reading and listing zones. */
export const zones = rowsOf({ model: EdgeZone, projection: zoneShown, listing: list, visible });

const ALL = statement(`select ${columns(EdgeZone, "t")} from edge_zones t where t.organisation_id = $1 and t.id = $2`);
const SELECTED = statement(
  `select ${columns(EdgeZone, "t")} from edge_zones t where t.organisation_id = $1 and t.id = $2 and ${visible("$3::uuid[]")}`,
);
const OF_DOMAIN = statement(`select ${columns(EdgeZone)} from edge_zones
  where organisation_id = $1 and domain_id = $2 and status <> '${GONE}'`);

/** The zone that serves a domain; undefined if it has none or a gone one. */
export const zoneOfDomain = (domainId: string): Promise<EdgeZoneRow | undefined> =>
  queryOne<EdgeZoneRow>(OF_DOMAIN, [request().organisation.id, domainId]);

/** A zone that the provider still has, and its account. */
export interface LiveZone {
  zone: EdgeZoneRow;
  account: EdgeAccountRow;
}

/** A visible zone for provider calls. @throws 404, 409 edge_not_connected for a gone zone */
export async function liveZone(id: string): Promise<LiveZone> {
  const { organisation, principal } = request();
  const sources = principal?.selection ?? null;
  const zone =
    sources === null
      ? await queryOne<EdgeZoneRow>(ALL, [organisation.id, id])
      : await queryOne<EdgeZoneRow>(SELECTED, [organisation.id, id, sources]);
  if (!zone) throw notFound();
  if (zone.status === GONE) throw refusal("edge_not_connected");
  return { zone, account: await storedAccount(zone.account_id) };
}
