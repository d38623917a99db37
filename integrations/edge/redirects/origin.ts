import { EdgeFailure } from "../provider/failure.ts";
import { AUTOMATIC_TTL, createRecord, listRecords } from "../records/record-calls.ts";
import { hostsWithoutOrigin } from "../status/reading.ts";
import type { ZoneAccess } from "./provider-rules.ts";

/** An address that is never reached (RFC 6666): the edge answers for it. */
const NOWHERE = { type: "AAAA", content: "100::", proxied: true, ttl: AUTOMATIC_TTL };

/** What became of the origins of a redirect. */
export interface OriginOutcome {
  /** Hosts that have got one. */
  created: string[];
  /** The first that went wrong, as it may be kept. */
  error: string | null;
}

/**
 * Gives the hosts of a redirect an origin where they have none (assets §8.2). It never throws for what the provider says: the rule is there.
 * @param apex the domain's name in ASCII
 * @param zoneName a domain may be linked to a zone of another name, where the provider would make something else of its host
 */
export async function ensureOrigin(
  { access, edgeZoneId }: ZoneAccess,
  zoneName: string,
  apex: string,
  includeSubdomains: boolean,
): Promise<OriginOutcome> {
  const created: string[] = [];
  if (apex !== zoneName && !apex.endsWith(`.${zoneName}`)) return { created, error: `${apex} is not in the zone ${zoneName}` };
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
