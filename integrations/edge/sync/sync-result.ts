import { answer, field, flag, integer, list, nullable, type Static, Type } from "../../../core/schema/schema.ts";

export const EdgeAccountSyncResult = answer("EdgeAccountSyncResult", {
  ok: field(flag(), "Whether the zones were read; otherwise the sync changes nothing and every count is 0"),
  error: nullable(Type.String({ description: "The provider's message on failure; null on success" })),
  zones_synced: field(integer(), "Zones that the provider listed"),
  zones_matched: field(integer(), "Zones that are linked to a domain"),
  pages_projects_synced: field(integer(), "Static projects that the provider listed"),
  pages_domains_synced: field(integer(), "Hostnames that those projects serve"),
  pages_links_matched: field(integer(), "Hostnames linked to a domain, adopted ones included"),
  pages_links_adopted: field(integer(), "Hostnames that were linked by this sync because a domain matches them"),
  pages_links_missing: field(integer(), "Links whose hostname is no longer served"),
  registrar_read: field(flag(), "Whether registrations were read; only then they decide whether domains are billed"),
  registrar_domains_synced: field(integer(), "Registrations that the provider listed"),
  registrar_domains_at_edge: field(integer(), "Registrations that are at this provider"),
  registrar_domains_matched: field(integer(), "Registrations of names that are linked to a domain"),
  warnings: field(list(Type.String()), "Parts that were left as they were, each with the reason, such as `no_account_id`"),
});

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
