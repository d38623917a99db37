import { defineModule } from "../../../core/declare/module.ts";
import { domainEvents } from "./events.ts";

export const domains = defineModule({
  key: "domains",
  kind: "module",
  licence: "domains",
  permissions: {
    "domains.domain.read": { position: 10, grants: ["admin", "member", "client"] },
    "domains.domain.write": { position: 20, grants: ["admin"] },
    "domains.domain.delete": { position: 30, grants: ["admin"] },
    "domains.tld_price.read": { position: 40, grants: ["admin", "member"] },
    "domains.tld_price.manage": { position: 50, grants: ["admin"] },
  },
  events: domainEvents,
  automation: {
    entities: { domain: async () => (await import("./models.ts")).domainFacts },
    triggers: { "domain.status_changed": { position: 80, payload: ["domain_id", "from", "to"] } },
  },
  demo: { position: 45, load: async () => (await import("../demo/demo-assets.ts")).fillAssets },
  records: {
    domain: {
      copied: { list: "domains.list", table: "domains" },
      seen: ["domains.get", "domain_id"],
      readers: { permission: "domains.domain.read" },
      client: { table: "domains", of: "t.company_id" },
      trail: true,
      changes: {},
      loses: [
        { field: "registrar_provider_id", to: "providers", table: "domains" },
        { field: "dns_provider_id", to: "providers", table: "domains" },
        { field: "email_provider_id", to: "providers", table: "domains" },
      ],
      custom: true,
      files: "open",
      sheet: async () => (await import("../sheets/domain.impex.ts")).domain,
      bulk: {
        update: "domains.domain.write",
        delete: "domains.domain.delete",
        load: async () => (await import("./domain.bulk.ts")).domainsInBulk,
      },
    },
    tld_price: { sheet: async () => (await import("../sheets/tld-price.impex.ts")).tldPrice },
  },
  hooks: {
    "company.deleting": async () => (await import("./domain-writes.ts")).domainsGone,
    "edge.domain_follows": async () => (await import("./domain-writes.ts")).followEdge,
  },
  references: {
    "domains.registry_contact_id": { kind: "registry_contact_type" },
    "domains.email_contact_id": { kind: "email_contact_type" },
  },
  tables: ["domains", "tld_prices"],
  shows: { domains: ["id", "company_id", "name", "label", "tld", "status", "redirect_url", "nameservers", "dns_checked_at"] },
  tags: { domains: "Domain names of clients, and what their years cost." },
  parameters: {
    ":price_id": "The price of a top-level domain",
    ":domain_id": "The domain",
    registrar_provider_id: "Only domains with this registrar",
    dns_provider_id: "Only domains with this DNS provider",
    invoiceable: "Only domains with `invoiceable_effective` true, or only others; absent for both",
  },
});
