import { defineModule } from "../../../core/declare/module.ts";

/** Hosting of websites. It has no trail (assets §4). */
export const hosting = defineModule({
  key: "hosting",
  kind: "module",
  licence: "hosting",
  permissions: {
    "hosting.hosting.read": { position: 10, grants: ["admin", "member", "client"] },
    "hosting.hosting.write": { position: 20, grants: ["admin"] },
    "hosting.hosting.delete": { position: 30, grants: ["admin"] },
  },
  records: {
    hosting: {
      copied: { list: "hosting.list", table: "hostings", permission: "hosting.hosting.read" },
      seen: ["hosting.get", "hosting_id"],
      client: { table: "hostings", of: "t.company_id" },
      changes: {},
      loses: [
        { field: "company_id", to: "companies", table: "hostings" },
        { field: "provider_id", to: "providers", table: "hostings" },
      ],
      custom: true,
      files: "open",
      sheet: async () => (await import("../sheets/hosting.impex.ts")).hosting,
    },
  },
  references: { "hostings.contact_id": { kind: "contact_type" } },
  tables: ["hostings"],
  shows: { hostings: ["id", "name", "company_id"] },
  tags: { hosting: "Hosting packages of clients." },
  parameters: { ":hosting_id": "The hosting package" },
});
