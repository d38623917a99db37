import type { ModuleManifest } from "../module.ts";

/**
 * Planned modules: permissions, roles and licences already name them, but they have no folder yet. Roles and keys can hold their
 * permissions; no action may require them yet. A module that is built moves its entry to its own `module.ts`.
 */
export const awaited: readonly ModuleManifest[] = [
  {
    key: "accounting_sync",
    kind: "core",
    errors: {
      409: [
        "accounting_sync_account_ambiguous errors.accounting_sync.account_ambiguous",
        "accounting_sync_already_linked errors.accounting_sync.already_linked",
        "accounting_sync_credential_rejected errors.accounting_sync.credential_rejected",
        "accounting_sync_invoice_not_issued errors.accounting_sync.invoice_not_issued",
        "accounting_sync_link_not_adoptable errors.accounting_sync.link_not_adoptable",
        "accounting_sync_not_connected errors.accounting_sync.not_connected",
        "accounting_sync_subscription_key_missing errors.accounting_sync.subscription_key_missing",
        "accounting_sync_subscription_rejected errors.accounting_sync.subscription_rejected",
      ],
      502: [
        "accounting_sync_request_failed errors.accounting_sync.request_failed",
        "accounting_sync_unreachable errors.accounting_sync.unreachable",
      ],
    },
  },
  {
    key: "cms",
    kind: "core",
    errors: {
      409: ["conflict errors.cms_already_connected", "invalid_state errors.cms_secret_unreadable"],
      502: ["upstream errors.cms_ai_visibility_unavailable"],
    },
  },
  {
    key: "dashboard",
    kind: "core",
    permissions: {
      "dashboard.prefs.read": { position: 10, grants: ["admin", "member", "client"] },
      "dashboard.prefs.write": { position: 20, grants: ["admin", "member", "client"] },
    },
  },
  {
    key: "installation",
    kind: "core",
    errors: {
      403: ["demo_blocked", "impersonation_handoff_invalid", "invalid_pin errors.service_pin_invalid"],
      409: [
        "domain_taken",
        "export_required",
        "import_schema_mismatch",
        "last_instance_owner",
        "org_deleted",
        "org_not_deleted",
        "setup_already_done",
        "slug_taken",
        "subdomain_taken",
      ],
      422: ["import_invalid", "license_invalid"],
      502: ["edge_failed", "edge_not_entitled"],
    },
  },
  {
    key: "payment_provider",
    kind: "core",
    errors: {
      409: ["payment_provider_credential_unreadable"],
    },
  },
  {
    key: "settings",
    kind: "core",
    permissions: {
      "settings.domain.read": { position: 30, grants: ["admin"] },
      "settings.domain.write": { position: 40, grants: ["admin"] },
      "settings.dashboard.manage": { position: 70, grants: ["admin"] },
    },
  },
  {
    key: "tag_manager",
    kind: "core",
    errors: {
      409: ["tag_manager_conflict", "tag_manager_conversion_exists", "tag_manager_not_configured", "tag_manager_writes_disabled"],
      422: ["tag_manager_invalid"],
      429: ["tag_manager_quota"],
      502: [
        "tag_manager_api_disabled",
        "tag_manager_auth",
        "tag_manager_error",
        "tag_manager_not_found",
        "tag_manager_permission",
        "tag_manager_scope",
        "tag_manager_unreachable",
      ],
    },
  },
  {
    key: "time_sync",
    kind: "core",
    errors: {
      409: [
        "time_sync_conflict_settled errors.time_sync.conflict_settled",
        "time_sync_conflict_stale errors.time_sync.conflict_stale",
        "time_sync_not_connected errors.time_sync.not_connected",
      ],
      502: ["time_sync_push_failed errors.time_sync.push_failed"],
    },
  },
  {
    key: "transfer",
    kind: "core",
    errors: {
      400: ["no_source impex.errors.no_source"],
      409: ["source_changed impex.errors.source_changed"],
      422: ["invalid_match_key impex.errors.invalid_match_key"],
    },
  },
];
