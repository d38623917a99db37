import { answer, choice, field, flag, input, line, nullable, optional, Type, text, uuid } from "../../../core/schema/schema.ts";
import { MAIL_APPROVAL_MODES, MAIL_THREAD_FOLLOWUPS } from "../../../mixins/google/models.ts";

const surface = (what: string) => field(flag(false), `Whether people can connect ${what}; off if omitted`);

const fields = {
  calendar_enabled: surface("their calendar"),
  drive_enabled: surface("their files"),
  mail_enabled: surface("their mail"),
  drive_auto_provision: field(
    flag(false),
    "Whether new clients and projects get a folder automatically, through the connection of `automation_connection_user_id`",
  ),
  mail_log_internal: field(flag(false), "Whether messages among colleagues alone are logged too, for review"),
};
const approval = () =>
  choice(MAIL_APPROVAL_MODES, {
    default: "approval_required",
    description: "`approval_required`: the mailbox owner reviews a message before others see it; `auto_approve`: logged at once",
  });
const followup = () =>
  choice(MAIL_THREAD_FOLLOWUPS, {
    default: "inherit_pending",
    description:
      "How to log a message in an already logged conversation: `inherit_pending` waits for review, `inherit_approve` is logged at once",
  });
const folder = (what: string) => ({
  description: `Google's id of ${what}; null if none`,
});
const FOLDERS = {
  drive_shared_drive_id: "the shared drive that folders are made in, where no parent folder is set",
  drive_parent_folder_id: "the folder that folders of clients are made in",
  drive_template_folder_id: "the folder whose content a new client's folder starts with",
};
const automation = "The colleague whose connection automation uses; null if none. That person must have a connection";
const clientId = "Client id of the organisation's own OAuth client at Google; null: the instance's is used, if it has one";

export const WorkspaceSettingsRead = answer("WorkspaceSettingsRead", {
  client_id: field(nullable(Type.String()), clientId),
  client_secret_configured: field(flag(false), "Whether a secret of that client is stored and can be decrypted"),
  env_client_configured: field(flag(false), "Whether the installation has an OAuth client for organisations without one"),
  ...fields,
  drive_shared_drive_id: nullable(Type.String(folder(FOLDERS.drive_shared_drive_id))),
  drive_parent_folder_id: nullable(Type.String(folder(FOLDERS.drive_parent_folder_id))),
  drive_template_folder_id: nullable(Type.String(folder(FOLDERS.drive_template_folder_id))),
  automation_connection_user_id: field(nullable(uuid()), automation),
  mail_approval_mode: approval(),
  mail_thread_followup: followup(),
  callback_url: Type.String({ description: "The redirect address to register with the OAuth client at Google" }),
  weak_encryption_key: field(flag(false), "Always false: a weak encryption key stops the start"),
});

export const WorkspaceSettingsWrite = input("WorkspaceSettingsWrite", {
  client_id: optional(field(nullable(text(512)), clientId)),
  client_secret: optional(
    field(
      nullable(line({ maxLength: 1024, writeOnly: true })),
      "Secret of that client; absent, null or empty keeps the stored one",
    ),
  ),
  calendar_enabled: optional(fields.calendar_enabled),
  drive_enabled: optional(fields.drive_enabled),
  mail_enabled: optional(fields.mail_enabled),
  drive_shared_drive_id: optional(nullable(text(128, folder(FOLDERS.drive_shared_drive_id)))),
  drive_parent_folder_id: optional(nullable(text(128, folder(FOLDERS.drive_parent_folder_id)))),
  drive_template_folder_id: optional(nullable(text(128, folder(FOLDERS.drive_template_folder_id)))),
  drive_auto_provision: optional(fields.drive_auto_provision),
  automation_connection_user_id: optional(field(nullable(uuid()), automation)),
  mail_approval_mode: optional(approval()),
  mail_thread_followup: optional(followup()),
  mail_log_internal: optional(fields.mail_log_internal),
});
