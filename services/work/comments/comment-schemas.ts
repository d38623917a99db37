import { answer, flag, input, instant, list, multiline, nullable, optional, Type, uuid } from "../../../core/schema/schema.ts";

const COMMENT = {
  parent_id:
    "Opener of the thread that the comment answers; null for an opener. An answer to an answer joins the opener's thread",
  body: "Text in markdown. `@[Name](mention:<user id>)`, `@[Name](mention:contact:<id>)` and `#[Title](mention:task:<id>)` mention people and tasks",
  author_user_id: "Account of the author; null if it is gone, or for the system",
  author_name: "Full name of the author, as it is now or, where the account is gone, as it was; null for the system",
  author_deleted: "Whether the account of the author is gone",
  impersonator_name: "Full name of the member who wrote in another person's login; null otherwise",
  mentioned_user_ids: "Members whom the text mentions, in the order of mention",
  mentioned_contact_ids: "Contacts whom the text mentions and the caller sees, in the order of mention",
  mentioned_task_ids: "Tasks that the text mentions, as far as both its writer and the caller see them, in the order of mention",
  edited_at: "When the author last changed the text, UTC; null if never",
};

export const CommentRead = answer(
  "CommentRead",
  {
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
  },
  COMMENT,
);

/** Longest comment, in characters. */
const LONGEST = 20_000;
const body = () => multiline(LONGEST, { minLength: 1 });

export const CommentCreate = input("CommentCreate", { body: body(), parent_id: optional(nullable(uuid())) }, COMMENT);
export const CommentUpdate = input("CommentUpdate", { body: body() }, COMMENT);
