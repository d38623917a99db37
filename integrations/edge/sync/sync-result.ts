import type { Static } from "../../../core/declare/schema.ts";
import type { EdgeAccountSyncResult } from "../accounts/account-schemas.ts";

/** The counts of an account's sync. */
export type SyncResult = Static<typeof EdgeAccountSyncResult>;

export const NOTHING_SYNCED: SyncResult = {
  ok: true,
  error: null,
  zones_synced: 0,
  zones_matched: 0,
  pages_projects_synced: 0,
  pages_domains_synced: 0,
  pages_links_matched: 0,
  pages_links_adopted: 0,
  pages_links_missing: 0,
  registrar_read: false,
  registrar_domains_synced: 0,
  registrar_domains_at_edge: 0,
  registrar_domains_matched: 0,
  warnings: [],
};
