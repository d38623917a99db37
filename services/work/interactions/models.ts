import { column, tenantModel } from "../../../core/database/model.ts";
import { conflict, notFound } from "../../../core/errors/errors.ts";

const { boolean, instant, integer, json, text, uuid } = column;

export type InteractionStatus = "pending" | "logged";
export type InteractionSource = "manual" | "mail" | "upload";
export type Direction = "inbound" | "outbound" | "none";

/** A participant of a message, according to its headers. */
export interface Participant {
  email: string | null;
  name: string | null;
  role: "from" | "to" | "cc";
  contact_id: string | null;
  user_id: string | null;
}

export const InteractionKind = tenantModel("interaction_kinds", {
  key: text(),
  label_i18n: json<Record<string, string>>().withDefault(),
  position: integer().withDefault(),
  active: boolean().withDefault(),
  is_protected: boolean().withDefault(),
}).whenViolated({
  interaction_kinds_key_key: () => conflict("errors.conflict", "key"),
});

export const Interaction = tenantModel("interactions", {
  kind: text(),
  status: text<InteractionStatus>().withDefault(),
  source: text<InteractionSource>().withDefault(),
  direction: text<Direction>().withDefault(),
  occurred_at: instant(),
  owner_account_id: uuid().orNull(),
  company_id: uuid().orNull(),
  project_id: uuid().orNull(),
  task_id: uuid().orNull(),
  conversation_id: uuid(),
  mail_thread_id: text().orNull(),
  message_id: text().orNull(),
  mail_message_id: text().orNull(),
  message_key: text().orNull().byDatabase(),
  body_awaited: boolean().withDefault(),
  body_tried_at: instant().orNull(),
  /** False for a pending message that no notification has reported yet. */
  review_notified: boolean().withDefault(),
  deep_link: text().orNull(),
  search_text: text().byDatabase(),
  leads: boolean().byDatabase(),
  subject: text().orNull().blankIsNull(),
  snippet: text().orNull(),
  body_text: text().orNull(),
  body_markdown: text().orNull(),
  participants: json<readonly Participant[]>().withDefault(),
}).whenViolated({
  interactions_kind_fkey: () => conflict("errors.interactions_kind_in_use"),
  // A row that is deleted between the check and the write is not found either.
  interactions_company_fkey: notFound,
  interactions_project_fkey: notFound,
  interactions_task_fkey: notFound,
  // The caller imported the message while the feed offered it.
  interactions_of_mailbox: () => conflict("errors.interactions_mail_already_logged", "message_id"),
});
