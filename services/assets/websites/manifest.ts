import { defineModule } from "../../../core/declare/module.ts";
import { websiteEvents } from "./events.ts";

/** The sites of domains. */
export const websites = defineModule({
  key: "websites",
  kind: "module",
  licence: "websites",
  permissions: {
    "websites.website.read": { position: 10, grants: ["admin", "member", "client"] },
    "websites.website.write": { position: 20, grants: ["admin"] },
    "websites.website.delete": { position: 30, grants: ["admin"] },
  },
  errors: { 400: ["invalid_hosting"] },
  events: websiteEvents,
  automation: {
    entities: { website: async () => (await import("./website-facts.ts")).websiteFacts },
    triggers: { "website.uptime_toggled": { position: 70, payload: ["website_id", "uptime"] } },
  },
  records: {
    website: {
      seen: ["websites.get", "website_id"],
      trail: { permission: "websites.website.read" },
      custom: true,
      files: "open",
      sheet: async () => (await import("../sheets/website.impex.ts")).website,
      bulk: {
        update: "websites.website.write",
        delete: "websites.website.delete",
        load: async () => (await import("./website.bulk.ts")).websitesInBulk,
      },
    },
  },
  tables: ["websites"],
  shows: { websites: ["id", "domain_id"] },
  tags: { websites: "Websites of clients and their state." },
});
