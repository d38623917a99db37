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
  errorTexts: {
    invalid_hosting: [
      "The hosting in `hosting_id` does not exist for the caller.",
      "Send an id of `GET /hosting`, or leave the field out.",
    ],
  },
  events: websiteEvents,
  automation: {
    entities: { website: async () => (await import("./models.ts")).websiteFacts },
    triggers: { "website.uptime_toggled": { position: 70, payload: ["website_id", "uptime"] } },
  },
  records: {
    website: {
      copied: { list: "websites.list", table: "websites" },
      seen: ["websites.get", "website_id"],
      readers: { permission: "websites.website.read" },
      client: {
        table: "websites",
        of: "(select d.company_id from domains d where d.organisation_id = t.organisation_id and d.id = t.domain_id)",
      },
      trail: true,
      changes: {},
      loses: [{ field: "hosting_id", to: "hostings", table: "websites" }],
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
  references: {
    "websites.company_id": { to: "company", left: "it follows the client of its domain" },
    "websites.technical_owner_id": { kind: "technical_owner_type" },
  },
  tables: ["websites"],
  shows: { websites: ["id", "domain_id", "company_id"] },
  tags: { websites: "Websites of clients and their state." },
  parameters: { ":website_id": "The website", uptime_enabled: "Only monitored websites, or only others; absent for both" },
});
