import { defineModule } from "../../core/declare/module.ts";
import { accountMails, accountSms } from "./mails.ts";
import { portal } from "./portal/manifest.ts";

declare module "../../core/declare/effects.ts" {
  interface EffectPayloads {
    /** A member whose selection is restricted has invited somebody as staff; both memberships are there. */
    "membership.invited": { membership_id: string; inviter_membership_id: string };
  }
}

/** Accounts, sign-in, members, roles and keys. */
const access = defineModule({
  key: "access",
  kind: "core",
  permissions: {
    "apikeys.personal.manage": { position: 10, grants: ["admin", "member"] },
    "apikeys.service_account.manage": { position: 20, grants: ["admin"] },
    "members.member.read": { position: 10, grants: ["admin"] },
    "members.member.write": { position: 20, grants: ["admin"] },
    "settings.roles.manage": { position: 10, grants: ["admin"] },
    "settings.auth.manage": { position: 120, grants: ["admin"] },
    "settings.service_access.manage": { position: 130, grants: ["admin"] },
  },
  errors: {
    400: [
      "cannot_deactivate_self",
      "cannot_remove_self",
      "invalid_client errors.oauth_client_required",
      "invalid_grant errors.oauth_invalid_grant",
      "invalid_request errors.oauth_invalid_request",
      "invalid_target errors.oauth_invalid_target",
      "login_bad_credentials errors.validation",
      "not_found errors.oauth_client_unknown",
      "password_incorrect",
      "register_user_already_exists",
      "reset_password_bad_token",
      "two_factor_code_invalid",
      "two_factor_password_invalid",
      "unsupported_grant_type errors.oauth_unsupported_grant_type",
      "validation errors.oauth_redirect_mismatch",
      "verify_user_already_verified",
      "verify_user_bad_token",
    ],
    401: ["invalid_client errors.oauth_client_unknown", "two_factor_challenge_invalid"],
    403: [
      "forbidden errors.apikey_scope_exceeds_grants",
      "local_login_disabled auth.local_login_disabled",
      "service_pin_required",
    ],
    404: ["sso_not_configured"],
    409: ["email_taken", "last_role_manager", "system_role_immutable", "two_factor_already_enabled", "two_factor_not_enabled"],
    422: [
      "sso_test_required",
      "validation errors.oauth_pkce_required",
      "validation errors.oauth_redirect_invalid",
      "validation errors.oauth_redirect_required",
      "validation errors.oauth_scope_empty",
      "validation errors.oauth_scope_invalid",
    ],
    429: ["rate_limited errors.oauth_too_many_clients", "sms_resend_too_soon", "two_factor_locked"],
  },
  moments: ["membership.invited"],
  mails: accountMails,
  sms: accountSms,
  tables: [
    "access_audit",
    "account_tokens",
    "accounts",
    "api_keys",
    "member_access",
    "membership_roles",
    "memberships",
    "oauth_approvals",
    "oauth_clients",
    "oauth_codes",
    "oauth_refresh_tokens",
    "operator_audit",
    "roles",
    "service_access_grants",
    "service_accounts",
    "sessions",
    "sign_in_challenges",
    "sso_links",
    "sso_provisionings",
    "sso_settings",
    "two_factors",
    "user_preferences",
  ],
  shows: {
    accounts: [
      "id",
      "email",
      "full_name",
      "locale",
      "avatar_url",
      "custom_avatar_url",
      "is_active",
      "is_superuser",
      "is_verified",
    ],
    // What the gateway makes a principal of.
    api_keys: [
      "id",
      "account_id",
      "service_account_id",
      "lookup",
      "secret_hash",
      "scopes",
      "expires_at",
      "revoked_at",
      "last_used_at",
      "oauth_resource",
    ],
    // What a member may and sees now: a view, the only place that answers it. Who holds a grant, `members_holding` says.
    member_access: ["membership_id", "account_id", "contact_id", "is_live", "grants", "is_client", "sources", "selection"],
    memberships: ["id", "account_id"],
    roles: ["id", "key", "is_system", "permissions"],
    service_access_grants: ["id", "session_hash", "expires_at", "revoked_at"],
    service_accounts: ["id", "name", "is_active"],
    sessions: ["id", "account_id", "token_hash", "method", "created_at", "last_used_at", "expires_at", "ended_at"],
  },
  tags: {
    "api-keys": "Personal API keys.",
    auth: "Signing in and out, second factors, passwords and sessions.",
    members: "Accounts that belong to the organisation.",
    oauth: "Access for other applications.",
    permissions: "The catalogue of permissions.",
    prefs: "Preferences of a person.",
    roles: "Roles and what they grant.",
    "service-accounts": "Callers that are no person, and their keys.",
    users: "The account of the person who is signed in.",
  },
});

export default [access, portal];
