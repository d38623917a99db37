import { defineModule } from "../../core/declare/module.ts";
import { platformMails } from "./mails.ts";

/** What every organisation has in addition to its modules: files, custom fields, branding, the installation. */
export default defineModule({
  key: "platform",
  kind: "core",
  permissions: {
    "files.file.write": { position: 10, grants: ["admin", "member"] },
    "settings.branding.write": { position: 20, grants: ["admin"] },
    "settings.customfields.read": { position: 50, grants: ["admin", "member", "client"] },
    "settings.customfields.write": { position: 60, grants: ["admin"] },
    "settings.system.read": { position: 80, grants: ["admin"] },
  },
  errors: {
    409: ["license_required", "module_requirements_unmet", "plan_inactive"],
  },
  errorTexts: {
    plan_inactive: [
      "The request enables a licensed module, and the plan of the organisation is not active: it has none, or its trial has ended.",
      "Leave the module out, or ask the operator to renew the plan.",
    ],
    license_required: [
      "The request enables a module without a valid licence: the installation's licence has expired, or does not list it after the trial of 14 days.",
      "Leave the module out, or ask the operator for a valid licence.",
    ],
    module_requirements_unmet: [
      "The request enables a module without a module that it requires.",
      "Enable the required modules too.",
    ],
  },
  mails: platformMails,
  records: {
    custom_field: {
      copied: { list: "custom-fields.list", table: "custom_field_definitions", permission: "settings.customfields.read" },
    },
    organisation: {},
  },
  references: { "files.entity_id": { kind: "entity_type" } },
  tables: ["custom_field_definitions", "file_contents", "files"],
  shows: { file_contents: ["id", "backend"], files: ["id", "content_id"] },
  tags: {
    "custom-fields": "Fields an organisation adds to its records.",
    files: "Files of records: pictures, documents and tables.",
    health: "Whether the service is ready.",
    meta: "The organisation and the caller, as screens need them.",
    system: "The installation.",
  },
  parameters: {
    ":definition_id": "The definition of a custom field",
    ":file_id": "The file",
    include_inline: "Whether to include files that are part of a text",
    inline: "Whether the file is part of a text instead of an attachment",
  },
});
