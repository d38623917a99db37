import { defineModule } from "../../core/declare/module.ts";
import { registrarFieldTexts } from "./key-texts.ts";

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
  errorTexts: {
    registrar_account_ambiguous: [
      "The request names no registrar account, none of them lists the domain, and several are active.",
      "Send `account_id`.",
    ],
    registrar_account_inactive: [
      "The registrar account in `account_id`, or the one that lists the domain, is inactive.",
      "Activate the account, or send another one.",
    ],
    registrar_credential_rejected: [
      "The registrar rejected the user name or password of the account.",
      "Enter valid credentials, then verify the account.",
    ],
    registrar_credential_unreadable: [
      "The service cannot decrypt the password of the registrar account, for instance after a change of its encryption key, or has no adapter for its registrar.",
      "Enter the password again.",
    ],
    registrar_domain_not_in_register: ["The registrar account does not hold the domain.", "Send the account that holds it."],
    registrar_no_account: ["The organisation has no active registrar account.", "Add or activate a registrar account."],
    registrar_not_verified: [
      "The registrar account was never verified, so the service does not know which TLDs the registrar sells.",
      "Verify it with `POST /registrar/accounts/{account_id}/verify`.",
    ],
    registrar_nsgroup_conflict: [
      "The registrar account has a group of name servers with the name that Kantoor uses, but with other name servers.",
      "Rename or delete that group at the registrar.",
    ],
    registrar_unknown_tld: [
      "The registrar does not sell the TLD of the domain, or the domain is a subdomain.",
      "Send another account. If the registrar sells the TLD by now, verify the account again.",
    ],
    registrar_request_failed: [
      "The registrar refused or limited the call, or its response is unusable.",
      "Wait for `details.retry_after_seconds` if it is present, then repeat the call. The registrar account stores the registrar's message.",
    ],
    registrar_unreachable: "The registrar did not respond.",
  },
  fieldTexts: registrarFieldTexts,
  records: {
    registrar_domain: {
      copied: { list: "registrar.domains.list", table: "registrar_domains", permission: "registrar.registrar.sync" },
    },
    registrar_account: {
      copied: { list: "registrar.accounts.list", table: "registrar_accounts" },
      readers: { permission: "registrar.settings.manage" },
      client: null,
      trail: true,
    },
  },
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
