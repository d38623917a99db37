import { defineModule } from "../../../core/declare/module.ts";

/** The catalogue of external services that domains, hosting and accounts refer to. */
export const providers = defineModule({
  key: "providers",
  kind: "core",
  permissions: {
    "settings.providers.read": { position: 90, grants: ["admin", "member", "client"] },
    "settings.providers.manage": { position: 100, grants: ["admin"] },
  },
  errors: { 400: ["invalid_provider"] },
  errorTexts: {
    invalid_provider: [
      "A provider in the body does not exist, or is not of the kind that its field requires.",
      "Send an id of `GET /providers` with the right `kind`.",
    ],
  },
  records: { provider: { copied: { list: "providers.list", table: "providers", permission: "settings.providers.read" } } },
  tables: ["providers"],
  shows: { providers: ["id", "kind", "name"] },
  tags: { providers: "Outside services an organisation uses." },
  parameters: { ":provider_id": "The provider", kind: "Only providers of this kind" },
});
