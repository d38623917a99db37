import { defineModule } from "../../../core/declare/module.ts";

declare module "../../../core/declare/hooks.ts" {
  interface HookPayloads {
    /** A contact, which is locked, gets a portal login. */
    "portal.login_attached": { contact_id: string; account_id: string };
  }
}

/** Client logins and impersonation. They consist of accounts and memberships, so they are in this folder. */
export const portal = defineModule({
  key: "portal",
  kind: "module",
  licence: "portal",
  permissions: {
    "portal.login.impersonate": { position: 10, grants: ["admin"] },
  },
  errors: {
    403: ["forbidden errors.impersonation_escalation"],
    409: ["conflict errors.impersonation_nested", "conflict errors.portal_email_in_use"],
  },
  errorTexts: {
    "forbidden errors.impersonation_escalation": [
      "The login belongs to an administrator of the installation.",
      "Impersonate another login.",
    ],
    "conflict errors.impersonation_nested": ["The session impersonates a login already.", "End that impersonation first."],
    "conflict errors.portal_email_in_use": [
      "The account with the contact's e-mail address belongs to a colleague or to another contact.",
      "Change the contact's e-mail address, or use the login of the other contact.",
    ],
  },
  hookPoints: ["portal.login_attached"],
  tables: ["impersonations"],
  shows: {
    // The columns the gateway builds principals from.
    impersonations: ["id", "session_id", "target_account_id", "contact_id", "token_hash", "expires_at", "ended_at"],
  },
  tags: { portal: "Sign-ins for clients." },
  parameters: { ":subject_id": "The contact whose login it is" },
});
