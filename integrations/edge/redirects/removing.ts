import { columns } from "../../../core/database/model.ts";
import { queryAll } from "../../../core/database/query.ts";
import { queueUpdate } from "../../../core/database/write.ts";
import { notFound, refusal } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { storeOutsideResult } from "../../../mixins/tenancy.ts";
import { EdgeAccount, type EdgeAccountRow, EdgeRedirect, EdgeZone, type EdgeZoneRow } from "../models.ts";
import { accessOf, recordingTrouble } from "../provider/account-access.ts";
import { EdgeFailure } from "../provider/failure.ts";
import { domainAtEdge } from "./domain-at-edge.ts";
import { removeRule } from "./provider-rules.ts";
import { dropRedirect, lockRedirect } from "./redirect-writes.ts";
import { withLease } from "./zone-lease.ts";

// The zone in which the rule was made; the domain may be linked to another by now.
const ZONE = statement(`select ${columns(EdgeZone)} from edge_zones where organisation_id = $1 and id = $2`);
const ACCOUNT = statement(`select ${columns(EdgeAccount, "a")} from edge_accounts a
  join edge_zones z on z.organisation_id = a.organisation_id and z.account_id = a.id where z.organisation_id = $1 and z.id = $2`);

async function redirectOf(domainId: string) {
  const { connected, redirect } = await domainAtEdge(domainId);
  if (!redirect) throw notFound();
  if (!connected) throw refusal("edge_not_connected");
  requireMatch(redirect.version);
  const place = [request().organisation.id, redirect.zone_id];
  const [[zone], [account]] = (await queryAll([ZONE, place], [ACCOUNT, place])) as unknown as [[EdgeZoneRow], [EdgeAccountRow]];
  return { redirect, zone, account };
}

/**
 * Ends the redirect of a domain. Removes a rule that the service made; leaves an adopted rule in place (assets §8.2).
 * @throws 404 also without a redirect, 409, 412, and 502 with the redirect kept
 */
export async function removeRedirect(domainId: string): Promise<void> {
  const { zone } = await redirectOf(domainId);
  return withLease(zone.id, async () => {
    const { redirect, zone, account } = await redirectOf(domainId);
    const { ruleset_id, rule_id, adopted } = redirect;
    if (ruleset_id !== null && rule_id !== null && !adopted) {
      const place = { access: accessOf(account), edgeZoneId: zone.edge_zone_id };
      await recordingTrouble(account, () => removeRule(place, ruleset_id, rule_id)).catch(async (error: { cause?: unknown }) => {
        const { cause } = error;
        if (cause instanceof EdgeFailure)
          await storeOutsideResult(async () => queueUpdate(EdgeRedirect, redirect.id, { last_error: cause.message }));
        throw error;
      });
    }
    await storeOutsideResult(async () => {
      const stored = await lockRedirect(domainId);
      if (stored) await dropRedirect(stored, zone.name);
    });
  });
}
