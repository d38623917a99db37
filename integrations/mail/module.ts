import { GREETING, type MailKind } from "../../core/declare/messages.ts";
import { defineModule } from "../../core/declare/module.ts";
import { mailResultTexts } from "./key-texts.ts";

const settingsMails = {
  test: {
    variables: [],
    overridable: false,
    texts: {
      nl: {
        subject: "Testbericht van {{ brand }}",
        body: [GREETING.nl, "Dit is een testbericht. Dat je het leest, betekent dat {{ brand }} e-mail kan versturen."],
      },
      en: {
        subject: "Test message from {{ brand }}",
        body: [GREETING.en, "This is a test message. That you are reading it means that {{ brand }} can send e-mail."],
      },
    },
  },
} as const satisfies Record<string, MailKind>;

declare module "../../core/declare/messages.ts" {
  interface MailKinds extends Record<keyof typeof settingsMails, true> {}
}

/** Outgoing mail: an organisation's transport and wording. */
export default defineModule({
  key: "mail",
  kind: "core",
  permissions: { "settings.email.manage": { position: 110, grants: ["admin"] } },
  errors: { 409: ["conflict errors.instance_email_unavailable"] },
  errorTexts: {
    "conflict errors.instance_email_unavailable": [
      "`provider` is `instance`, but the installation has no mail server or the operator does not lend it to the organisation.",
      "Send another provider, or ask the operator.",
    ],
  },
  resultTexts: mailResultTexts,
  mails: settingsMails,
  records: { email_settings: {}, email_templates: {} },
  references: { "mails.entity_id": { kind: "entity_type" } },
  tables: ["email_settings", "email_templates", "mails"],
  // The recipients of one-time mails, and the state of invites.
  shows: { mails: ["account_id", "created_at", "id", "kind", "last_error", "status", "updated_at"] },
  tags: { settings: "Settings of the organisation." },
});
