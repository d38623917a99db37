import type { NamedRecord } from "../../core/database/named-record.ts";
import { projectsOfClient, projectsOfStaff, tasksOfClient, throughTaskOfStaff, workOfStaff } from "./visibility.ts";

/** A project as other records name it. @param clients for client logins */
export const namedProject = (clients: boolean): NamedRecord => ({
  table: "projects",
  name: "r.name",
  visible: clients ? projectsOfClient : projectsOfStaff,
});

/** A task as other records name it. @param clients for client logins */
export const namedTask = (clients: boolean): NamedRecord => ({
  table: "tasks",
  name: "r.title",
  visible: clients ? tasksOfClient : workOfStaff,
});

/** A contact moment as other records name it; client logins cannot read trails. */
export const namedMoment: NamedRecord = { table: "interactions", name: "r.subject", visible: throughTaskOfStaff };
