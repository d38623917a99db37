import { defineModule } from "../../../core/declare/module.ts";
import { CLIENT_THROUGH_TASK } from "../clients-of-work.ts";
import { interactionEvents } from "../events.ts";
import { interactionsFieldTexts } from "./key-texts.ts";

export const interactions = defineModule({
  key: "interactions",
  kind: "module",
  licence: "interactions",
  hookPoints: ["interaction.discarded"],
  permissions: {
    "interactions.interaction.read": { position: 10, grants: ["admin", "member"] },
    "interactions.interaction.read_all": { position: 15, grants: ["admin"] },
    "interactions.interaction.write": { position: 20, grants: { admin: "any", member: "own" } },
    "interactions.interaction.delete": { position: 30, grants: { admin: "any", member: "own" } },
    "interactions.interaction.review": { position: 40, grants: ["admin", "member"] },
    "interactions.kind.read": { position: 50, grants: ["admin", "member"] },
    "interactions.kind.manage": { position: 60, grants: ["admin"] },
  },
  errors: {
    403: ["forbidden errors.interactions_owner_only"],
    409: [
      "conflict errors.interactions_eml_duplicate",
      "conflict errors.interactions_kind_in_use",
      "conflict errors.interactions_kind_protected",
      "conflict errors.interactions_mail_already_logged",
      "invalid_state errors.interactions_mail_readonly",
      "invalid_state errors.interactions_manual_no_review",
      "invalid_state errors.interactions_not_logged",
      "invalid_state errors.interactions_not_pending",
    ],
    422: ["validation errors.interactions_conversation_invalid_target"],
  },
  errorTexts: {
    "forbidden errors.interactions_owner_only": [
      "The message is from another person's mailbox. Only its owner can review it.",
      "Ask the owner of the mailbox.",
    ],
    "conflict errors.interactions_eml_duplicate": [
      "A contact moment with the `Message-ID` of this message exists already.",
      "Use that contact moment, or send `allow_duplicate` to log the message again.",
    ],
    "conflict errors.interactions_kind_in_use": [
      "Contact moments have this kind, so it cannot be deleted.",
      "Set `active` of the kind to false instead.",
    ],
    "conflict errors.interactions_kind_protected": [
      "The kind is protected. It cannot be deleted or deactivated.",
      "Change only its labels and its position.",
    ],
    "conflict errors.interactions_mail_already_logged": [
      "The message is logged already, from this mailbox, another mailbox or an upload.",
      "Use the existing contact moment.",
    ],
    "invalid_state errors.interactions_mail_readonly": [
      "The contact moment is a message from a mailbox, which an ordinary update cannot change.",
      "Change what it belongs to with `POST /interactions/{interaction_id}/remap`.",
    ],
    "invalid_state errors.interactions_manual_no_review": [
      "The contact moment was written or uploaded. Only messages from a mailbox have a review.",
      "Change it with an ordinary update.",
    ],
    "invalid_state errors.interactions_not_logged": [
      "The message awaits its review, and the operation needs a logged one.",
      "Approve the message first.",
    ],
    "invalid_state errors.interactions_not_pending": [
      "The message is logged already, and the operation needs one that awaits its review.",
      "Change what it belongs to, or delete it.",
    ],
    "validation errors.interactions_conversation_invalid_target": [
      "`target_interaction_id` is not a contact moment whose conversation the message can join.",
      "Send another contact moment.",
    ],
  },
  fieldTexts: interactionsFieldTexts,
  events: interactionEvents,
  automation: {
    entities: { interaction: async () => (await import("./interaction-facts.ts")).interactionFacts },
    triggers: {
      "interaction.logged": {
        position: 170,
        payload: ["interaction_id", "title", "kind", "status", "company_id", "project_id", "task_id"],
      },
    },
  },
  records: {
    interaction_kind: {
      copied: { list: "interactions.kinds.list", table: "interaction_kinds", permission: "interactions.kind.read" },
    },
    interaction: {
      copied: { list: "interactions.list", table: "interactions" },
      seen: ["interactions.get", "interaction_id"],
      readers: { permission: "interactions.interaction.read" },
      client: { table: "interactions", of: CLIENT_THROUGH_TASK },
      trail: true,
      // A message that awaits review is private to its owner; for others it is created when approved.
      changes: { approved: "created" },
      loses: [
        { field: "company_id", to: "companies", table: "interactions", when: "t.status = 'logged'" },
        { field: "project_id", to: "projects", table: "interactions", when: "t.status = 'logged'" },
        { field: "task_id", to: "tasks", table: "interactions", when: "t.status = 'logged'" },
        {
          field: "contacts",
          to: "contacts",
          table: "interaction_contacts",
          column: "contact_id",
          record: "interaction_id",
          when: `exists (select from interactions i where i.organisation_id = t.organisation_id and i.id = t.interaction_id
            and i.status = 'logged')`,
        },
      ],
      namedInTrail: async () => (await import("./moments-in-trail.ts")).momentsInTrail,
      files: "open",
      bulk: {
        delete: "interactions.interaction.delete",
        load: async () => (await import("./interaction.bulk.ts")).interactionsInBulk,
      },
    },
  },
  references: {
    "interaction_contacts.contact_id": { oneBy: ["interaction_id"] },
    "interactions.participants": { to: "contact", holds: "json" },
  },
  tables: ["interaction_contacts", "interaction_kinds", "interaction_suppressions", "interactions"],
  // The fields that determine a contact moment's client.
  shows: { interactions: ["id", "company_id", "project_id", "task_id"] },
  tags: { interactions: "Contact moments: calls, meetings, notes and messages." },
  parameters: {
    ":kind_id": "The kind of contact moment",
    ":interaction_id": "The contact moment",
    kind: "Only contact moments of the kind with this key",
    contact_id: "Only contact moments in which this contact took part",
    owner_user_id: "Only contact moments of this owner; another than the caller needs `interactions.interaction.read_all`",
    mine: "Whether to include only the caller's own contact moments",
    with_body: "Whether to include `body_text`",
  },
});
