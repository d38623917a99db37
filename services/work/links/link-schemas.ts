import { answer, input, line, nullable, optional, Type, text, uuid } from "../../../core/schema/schema.ts";

const LINK = {
  url: "Address of the link; without a scheme the service puts `https://` in front",
  title: "Text to show; null for the address",
};

export const TaskLinkRead = answer("TaskLinkRead", { id: uuid(), url: Type.String(), title: nullable(Type.String()) }, LINK);
export const TaskLinkCreate = input(
  "TaskLinkCreate",
  {
    url: line({ minLength: 1, maxLength: 1024, link: true }),
    title: optional(nullable(text(255))),
  },
  LINK,
);
