import { defineModule } from "../../core/declare/module.ts";

export default defineModule({
  key: "registrar",
  kind: "integration",
  licence: "registrar",
  requires: ["domains"],
  permissions: {
    "registrar.settings.manage": { position: 10, grants: ["admin"] },
    "registrar.registrar.sync": { position: 20, grants: ["admin"] },
    "registrar.registrar.manage": { position: 30, grants: ["admin"] },
  },
  errors: {
    409: [
      "registrar_account_ambiguous",
      "registrar_account_inactive",
      "registrar_credential_rejected",
      "registrar_credential_unreadable",
      "registrar_domain_not_in_register",
      "registrar_no_account",
      "registrar_not_verified",
      "registrar_nsgroup_conflict",
      "registrar_unknown_tld",
    ],
    502: ["registrar_request_failed", "registrar_unreachable"],
  },
  records: { registrar_account: { readers: { permission: "registrar.settings.manage" }, client: null, trail: true } },
  tables: ["registrar_accounts", "registrar_domains"],
  shows: {
    registrar_accounts: ["id", "last_synced_at"],
    registrar_domains: ["id", "account_id", "name", "domain_id", "expires_on", "registry_status"],
  },
  tags: { registrar: "Accounts at registrars, the domains registered there and their name servers." },
  parameters: {
    ":account_id": "The account at the registrar",
    account_id: "The account at the registrar",
    linked: "Only those linked to a domain here, or only others; absent for both",
  },
});
