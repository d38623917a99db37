import { changesOf, trail } from "../../../core/database/trail.ts";
import { differing, lock, update } from "../../../core/database/write.ts";
import type { Effect } from "../../../core/declare/effects.ts";
import { tellStatus } from "./domain-writes.ts";
import { Domain } from "./models.ts";

/** Updates a domain's record to its state at the edge (assets §8.2, §8.3). */
export const followEdge: Effect<"edge.domain_follows"> = async ({ domain_id, status, redirect_url, only_from }) => {
  const domain = await lock(Domain, domain_id);
  if (!domain) return;
  if (only_from && (domain.status !== only_from.status || domain.redirect_url !== only_from.redirect_url)) return;
  const changed = differing(domain, { status, redirect_url });
  if (!changed) return;
  update(Domain, domain_id, changed);
  trail("domain", domain_id, "updated", { changes: changesOf(Domain.tracked, domain, changed) });
  tellStatus(domain, { ...domain, ...changed });
};
