import { answer, flag, input, optional, uuid } from "../schema/schema.ts";

const ASSIGNEE = {
  user_id: "The member on the roster",
  is_primary: "Whether the member has the star and is responsible; at most one has, and without one the first entry gets it",
};

/** One person on the roster of a client, project or task, in requests and answers. */
export const AssigneeWrite = input("AssigneeWrite", { user_id: uuid(), is_primary: optional(flag(false)) }, ASSIGNEE);
export const AssigneeRead = answer("AssigneeRead", { user_id: uuid(), is_primary: flag() }, ASSIGNEE);
