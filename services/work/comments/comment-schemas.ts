import { answer, flag, input, instant, list, multiline, nullable, optional, Type, uuid } from "../../../core/declare/schema.ts";

export const CommentRead = answer("CommentRead", {
  id: uuid(),
  parent_id: nullable(uuid()),
  body: Type.String(),
  author_user_id: nullable(uuid()),
  author_name: nullable(Type.String()),
  author_deleted: flag(false),
  impersonator_name: nullable(Type.String()),
  mentioned_user_ids: list(uuid()),
  mentioned_contact_ids: list(uuid()),
  mentioned_task_ids: list(uuid()),
  created_at: instant(),
  edited_at: nullable(instant()),
});

const body = () => multiline(undefined, { minLength: 1 });

export const CommentCreate = input("CommentCreate", { body: body(), parent_id: optional(nullable(uuid())) });
export const CommentUpdate = input("CommentUpdate", { body: body() });
