import { createHash } from "node:crypto";
import type { Principal } from "../declare/principal.ts";

/**
 * What a caller may see and do, as far as it decides which rows its lists have: grants, selection and client login by their digest, and by
 * `moved_at` the clients that the selection means. A selection is a list of groups and contacts, and they gain and lose clients.
 *
 * A copy ends where this changes (conventions §10): rows that came into view so have not changed, and are in no delta. The digest is compared
 * whenever a delta begins, so a change that was undone between two rounds of a copy ends nothing. Nothing is lost by that: whatever changed
 * meanwhile is in the delta, and whatever was deleted or left the view is in `GET /deleted`, whose rows do not depend on who reads them when.
 * A group that lost a client and has it again does end the copies: its instant moved twice.
 *
 * An `Updated-Until` lies one second before its own read, and so does the instant of a change: those sent before the change lie before it,
 * those sent after it do not. An older transaction that is still open moves one of the latter before it; the copy then begins once more.
 */
export interface CallerView {
  /**
   * When a source of the selection last gained a client, or lost one that was not deleted; null if none did. Undefined on a first page that
   * begins without an instant: it costs no statement, and its cursor is compared by the clock.
   */
  moved: string | null | undefined;
  /** The `Updated-Until` of a walk that begins with an instant. */
  until?: string;
}

/** Digest of what a caller may see and do, without the clients that its selection means. */
export function viewDigest(principal: Principal | null): string {
  const { grants, selection, isClientLogin, impersonation } = principal ?? {};
  const sides = impersonation?.sides.map((side) => side.selection?.toSorted() ?? null);
  // The selection of an impersonated login names the visit, which is new every time.
  const facts = [grants?.toSorted(), impersonation ? sides : selection?.toSorted(), isClientLogin];
  return createHash("sha256").update(JSON.stringify(facts)).digest("base64url");
}
