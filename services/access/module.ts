import { defineModule } from "../../core/declare/module.ts";
import { accountMails, accountSms } from "./mails.ts";

/** Accounts, sign-in, members, roles and keys. */
export default defineModule({
  key: "access",
  kind: "core",
  permissions: {
    "apikeys.personal.manage": { position: 10, grants: ["admin", "member"] },
    "apikeys.service_account.manage": { position: 20, grants: ["admin"] },
    "members.member.read": { position: 10, grants: ["admin"] },
    "members.member.write": { position: 20, grants: ["admin"] },
    "settings.roles.manage": { position: 10, grants: ["admin"] },
  },
  errors: {
    400: [
      "cannot_deactivate_self",
      "cannot_remove_self",
      "login_bad_credentials errors.validation",
      "password_incorrect",
      "register_user_already_exists",
      "reset_password_bad_token",
      "two_factor_code_invalid",
      "two_factor_password_invalid",
      "verify_user_already_verified",
      "verify_user_bad_token",
    ],
    401: ["two_factor_challenge_invalid"],
    403: ["forbidden errors.apikey_scope_exceeds_grants"],
    409: ["email_taken", "last_role_manager", "system_role_immutable", "two_factor_already_enabled", "two_factor_not_enabled"],
    429: ["sms_resend_too_soon", "two_factor_locked"],
  },
  mails: accountMails,
  sms: accountSms,
  tags: {
    "api-keys": "Personal API keys.",
    auth: "Signing in and out, second factors, passwords and sessions.",
    members: "Accounts that belong to the organisation.",
    permissions: "The catalogue of permissions.",
    prefs: "Preferences of a person.",
    roles: "Roles and what they grant.",
    "service-accounts": "Callers that are no person, and their keys.",
    users: "The account of the person who is signed in.",
  },
});
