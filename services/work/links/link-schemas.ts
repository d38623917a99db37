import { answer, input, line, nullable, optional, Type, text, uuid } from "../../../core/declare/schema.ts";

export const TaskLinkRead = answer("TaskLinkRead", { id: uuid(), url: Type.String(), title: nullable(Type.String()) });
export const TaskLinkCreate = input("TaskLinkCreate", {
  url: line({ minLength: 1, maxLength: 1024, link: true }),
  title: optional(nullable(text(255))),
});
