import { answer, input, nullable, optional, Type, text, uuid } from "../../../core/declare/schema.ts";

export const TaskLinkRead = answer("TaskLinkRead", { id: uuid(), url: Type.String(), title: nullable(Type.String()) });
export const TaskLinkCreate = input("TaskLinkCreate", {
  url: Type.String({ minLength: 1, maxLength: 1024 }),
  title: optional(nullable(text(255))),
});
