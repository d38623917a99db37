import { defineModule } from "../../core/declare/module.ts";
import type { HandedOver } from "../../core/values/open-work.ts";
import { accessFieldTexts, accessResultTexts } from "./key-texts.ts";
import { accountMails, accountSms } from "./mails.ts";
import { portal } from "./portal/manifest.ts";

declare module "../../core/declare/hooks.ts" {
  interface HookPayloads {
    /** A member with a selection has invited a staff member; both memberships exist. */
    "membership.invited": { membership_id: string; inviter_membership_id: string };
    /** A member is being deactivated or removed; the membership still exists. */
    "membership.leaving": { account_id: string; is_removed: boolean };
    /** Everything that hangs on account `from` goes to `to`; each module adds what it moved to `moved`. */
    "membership.handing_over": { from: string; to: string; moved: HandedOver[] };
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
  errorTexts: {
    cannot_deactivate_self: ["Members cannot deactivate themselves.", "Ask another administrator."],
    cannot_remove_self: ["Members cannot remove themselves.", "Ask another administrator."],
    "login_bad_credentials errors.validation": [
      "The e-mail address or the password is wrong.",
      "Check both, or reset the password.",
    ],
    password_incorrect: ["The current password is wrong.", "Send the current password, or reset it."],
    reset_password_bad_token: [
      "The link is unknown, used or expired. A link for a new password works for one hour, an invitation for seven days.",
      "Request a new link.",
    ],
    two_factor_code_invalid: ["The code of the second factor is wrong or expired.", "Enter a fresh code, or a recovery code."],
    two_factor_challenge_invalid: [
      "The sign-in that waits for a second factor is unknown or expired.",
      "Sign in again from the start.",
    ],
    two_factor_locked: [
      "Eight wrong codes in a row lock every factor of the account for 15 minutes.",
      "Try again after the seconds of `Retry-After`.",
    ],
    sms_resend_too_soon: [
      "The service sent the previous code less than 30 seconds ago.",
      "Request a new code after the seconds of `Retry-After`.",
    ],
    "forbidden errors.apikey_scope_exceeds_grants": [
      "The key requests a scope that its owner does not have.",
      "Leave the scope out, or get the permission first.",
    ],
    "local_login_disabled auth.local_login_disabled": [
      "The organisation signs in by single sign-on only.",
      "Use the organisation's single sign-on.",
    ],
    email_taken: ["Another account has this e-mail address.", "Use another address."],
    last_role_manager: [
      "The change would leave the organisation without anyone who can manage roles.",
      "Give another member that permission first.",
    ],
    system_role_immutable: [
      "The request deletes a system role, or changes the permissions of the owner role.",
      "Copy the role and change the copy.",
    ],
    two_factor_already_enabled: ["The account has a second factor already.", "Disable it first to enrol another one."],
    two_factor_not_enabled: ["The account has no second factor.", "Enrol one first."],
    "invalid_client errors.oauth_client_required": [
      "The token request has no `client_id`.",
      "Send the `client_id` of the registered client.",
    ],
    "invalid_grant errors.oauth_invalid_grant": [
      "The code or refresh token is unknown, used or expired, or was issued to another client. Or the redirect URI or code verifier does not match the code, or the session or its owner is no longer active.",
      "Ask the person for consent again.",
    ],
    "invalid_request errors.oauth_invalid_request": [
      "The token request lacks a field of its grant: `code`, `redirect_uri` and `code_verifier` for a code, `refresh_token` for a refresh.",
      "Send the missing fields.",
    ],
    "invalid_target errors.oauth_invalid_target": [
      "`resource` is not a protected resource of this address, or not the one that the person consented to.",
      "Send the resource of the consent, such as the address of `/mcp`.",
    ],
    "not_found errors.oauth_client_unknown": [
      "The organisation has no client with this `client_id`, or the client was revoked. A client without consent disappears after 24 hours.",
      "Register the client, then ask the person for consent.",
    ],
    register_user_already_exists: [
      "Another account has this e-mail address.",
      "Sign in with that account, or reset its password.",
    ],
    two_factor_password_invalid: [
      "The password is missing or wrong. Removing a confirmed second factor requires it.",
      "Send the current password, or reset it.",
    ],
    "unsupported_grant_type errors.oauth_unsupported_grant_type": [
      "`grant_type` is neither `authorization_code` nor `refresh_token`.",
      "Send one of these two.",
    ],
    "validation errors.oauth_redirect_mismatch": [
      "`redirect_uri` is not an address that the client registered. Only the port of a loopback address can differ.",
      "Send the address exactly as registered.",
    ],
    verify_user_already_verified: ["The e-mail address of the account is verified already.", "Sign in."],
    verify_user_bad_token: [
      "The link is unknown, used or older than one hour, or the account is disabled.",
      "Request a new link.",
    ],
    "invalid_client errors.oauth_client_unknown": [
      "The organisation has no client with this `client_id`, or the client was revoked, or its `client_secret` is wrong.",
      "Send the id and secret from the registration, or register the client again.",
    ],
    service_pin_required: [
      "The operator's service access has ended: after 24 hours, by a new PIN, or because the organisation revoked it.",
      "Ask the organisation for a new PIN.",
    ],
    sso_not_configured: [
      "The organisation has no enabled single sign-on with a discovery address, a client id and a secret.",
      "Sign in with a password, or ask an administrator to complete the settings of single sign-on.",
    ],
    sso_test_required: [
      "The settings enforce single sign-on, but its connection has not passed a test since it last changed.",
      "Save the settings without `enforced`, pass the test, then save them with it.",
    ],
    "validation errors.oauth_pkce_required": [
      "`code_challenge_method` is not `S256`, or `code_challenge` does not have 43 to 128 valid characters.",
      "Send the SHA-256 challenge of a code verifier (RFC 7636).",
    ],
    "validation errors.oauth_redirect_invalid": [
      "A redirect URI is neither an `https` address, a loopback `http` address nor an address of the client's own scheme. Or it has a fragment, a user name, more than 1,024 characters or a scheme that runs script.",
      "Register a valid address.",
    ],
    "validation errors.oauth_redirect_required": ["The registration has no `redirect_uris`.", "Send at least one redirect URI."],
    "validation errors.oauth_scope_empty": ["`scopes` is empty.", "Send at least one scope."],
    "validation errors.oauth_scope_invalid": [
      "`scopes` has a scope that does not exist.",
      "Send scopes of the catalogue of permissions.",
    ],
    "rate_limited errors.oauth_too_many_clients": [
      "The organisation already has 200 self-registered clients.",
      "Revoke clients that are not in use, or wait: a client without consent disappears after 24 hours.",
    ],
  },
  fieldTexts: accessFieldTexts,
  resultTexts: accessResultTexts,
  hookPoints: ["membership.invited", "membership.leaving", "membership.handing_over"],
  mails: accountMails,
  sms: accountSms,
  records: {
    service_account: {
      copied: { list: "service-accounts.list", table: "service_accounts", permission: "apikeys.service_account.manage" },
    },
    role: { copied: { list: "roles.list", table: "roles", permission: "settings.roles.manage" } },
  },
  counters: {
    "kantoor.sign_in.failures.total": {
      description: "Refused sign-ins, by what was refused: password, code of the second factor, or single sign-on",
      labels: { step: ["password", "code", "sso"] },
    },
  },
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
    // Rules tell a colleague who left from a person of another organisation.
    access_audit: ["target_account_id", "action"],
    accounts: [
      "id",
      "email",
      "full_name",
      "locale",
      "avatar_url",
      "custom_avatar_url",
      "is_active",
      "is_superuser",
      "version",
      "is_verified",
    ],
    // The columns the gateway builds principals from.
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
    // A member's current permissions and visibility: only this view computes them. `members_holding` lists the holders of a grant.
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
    roles: "Roles and their permissions.",
    "service-accounts": "Callers that are not people, and their keys.",
    users: "The account of the person who is signed in.",
  },
  operationNames: { "/auth/2fa": "auth.twoFactor" },
  parameters: {
    ":key_id": "The API key",
    ":token": "The token in the link that the operator got",
    ":session_id": "The session",
    ":membership_id": "The membership of a person in this organisation",
    ":client_pk": "The connection, as `GET /oauth/connections` lists it",
    ":role_id": "The role",
    ":account_id": "The service account",
    ":id": "The account of a person",
    code: "Code of the provider, which the service exchanges",
    state: "Text of the service that ties the answer to the browser",
    iss: "Issuer of the answer (RFC 9207)",
    error: "Error of the provider instead of a code",
    include_clients: "Whether to include client logins; callers who see some clients only get those of contacts they see",
    client_id: "Application that requests access",
    redirect_uri: "Registered address to which the browser returns",
    scope: "Requested scopes, separated by blanks; empty for all of the caller's permissions",
    resource: "Address of the resource to access; absent for none",
    resource_path: "Path of the resource, such as `/mcp`",
    from: "Role to copy permissions from if the body has none",
    actor: "Only actions of this account",
  },
});

export default [access, portal];
