import { EdgeFailure } from "../provider/failure.ts";
import { outsideZone } from "../records/in-zone.ts";
import { AUTOMATIC_TTL } from "../records/record-body.ts";
import { createRecord, listRecords } from "../records/record-calls.ts";
import type { ZoneAccess } from "./provider-rules.ts";
import { hostsWithoutOrigin } from "./routing.ts";

/** A discard address that is never reached (RFC 6666): the edge answers for it. */
const NOWHERE = { type: "AAAA", content: "100::", proxied: true, ttl: AUTOMATIC_TTL };

/** The outcome of adding origins for a redirect. */
export interface OriginOutcome {
  /** Hosts that got an origin. */
  created: string[];
  /** The first error, in storable form. */
  error: string | null;
}

/**
 * Adds an origin for the hosts of a redirect that have none (assets §8.2). Provider failures do not throw, because the rule exists.
 * @param apex the domain's name in ASCII
 * @param zoneName the name of the linked zone
 */
export async function ensureOrigin(
  { access, edgeZoneId }: ZoneAccess,
  zoneName: string,
  apex: string,
  includeSubdomains: boolean,
): Promise<OriginOutcome> {
  const created: string[] = [];
  const error = outsideZone(apex, zoneName);
  if (error !== null) return { created, error };
  try {
    for (const host of hostsWithoutOrigin(await listRecords(access, edgeZoneId), apex, includeSubdomains)) {
      await createRecord(access, { edge_zone_id: edgeZoneId, name: zoneName }, { ...NOWHERE, name: host });
      created.push(host);
    }
    return { created, error: null };
  } catch (error) {
    if (!(error instanceof EdgeFailure)) throw error;
    return { created, error: error.message };
  }
}
