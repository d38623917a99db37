import { enqueue, queryOne } from "../../../core/database/query.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { type EdgeZoneRow, GONE } from "../models.ts";
import { linkZones } from "../sync/zones.ts";
import type { VisibleDomain } from "../visible-domain.ts";

type Linkable = Pick<EdgeZoneRow, "id" | "name" | "domain_id">;

const OTHER = statement(`select id, status from edge_zones where organisation_id = $1 and domain_id = $2 for update`);
const UNLINK = statement(`update edge_zones set domain_id = null, version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2`);

/** Links a zone to a domain, whatever their names. In a write. @throws 409 edge_domain_already_linked */
export async function link(zone: Linkable, domain: VisibleDomain): Promise<void> {
  if (zone.domain_id === domain.id) return;
  const { organisation } = request();
  const other = await queryOne<{ id: string; status: string }>(OTHER, [organisation.id, domain.id]);
  if (other && other.status !== GONE) throw refusal("edge_domain_already_linked");
  if (zone.domain_id !== null) trail("domain", zone.domain_id, "edge.zone_unlinked", { zone: zone.name });
  linkZones([{ zone_id: zone.id, name: zone.name, domain_id: domain.id, gone_id: other?.id ?? null }]);
  trail("domain", domain.id, "edge.zone_linked", { zone: zone.name });
}

/** Unlinks a zone from its domain. In a write. */
export function unlink({ id, name, domain_id }: Linkable): void {
  if (domain_id === null) return;
  enqueue(UNLINK, [request().organisation.id, id]);
  trail("domain", domain_id, "edge.zone_unlinked", { zone: name });
}
