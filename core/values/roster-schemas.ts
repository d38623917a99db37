import { answer, flag, input, optional, uuid } from "../declare/schema.ts";

/** One person on the roster of a client, a project or a task, as a body sends it and as an answer shows it. */
export const AssigneeWrite = input("AssigneeWrite", { user_id: uuid(), is_primary: optional(flag(false)) });
export const AssigneeRead = answer("AssigneeRead", { user_id: uuid(), is_primary: flag() });
