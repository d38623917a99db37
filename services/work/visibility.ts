export { forStaffAndClients } from "../../core/request/caller.ts";

import { ofSelectedCompany } from "../../core/database/lists/selection.ts";
import { CLIENT_OF, CLIENT_THROUGH_TASK } from "./clients-of-work.ts";

/** Projects on alias `t` that a restricted member sees: those of its clients, and those without a client (work chapter §0). */
export const projectsOfStaff = (slot: string): string =>
  `(t.company_id is null or t.company_id in (select selected_companies(${slot})))`;

/** Projects on alias `t` that a client login sees: those of its own clients. */
export const projectsOfClient = (slot: string): string => ofSelectedCompany("t.company_id", slot);

/** Tasks on alias `t` that a restricted member sees. */
export const workOfStaff = (slot: string): string =>
  `(${CLIENT_OF} is null or ${CLIENT_OF} in (select selected_companies(${slot})))`;

/** Entries and contact moments on alias `t` that a restricted member sees: of its clients, or without a client (work chapter §0). */
export const throughTaskOfStaff = (slot: string): string =>
  `(${CLIENT_THROUGH_TASK} is null or ${CLIENT_THROUGH_TASK} in (select selected_companies(${slot})))`;

/** Tasks on alias `t` that a client login sees: visible to clients, and of one of its own clients (work chapter §3.6). */
export const tasksOfClient = (slot: string): string =>
  `(t.visible_to_client and ${CLIENT_OF} in (select selected_companies(${slot})))`;

/**
 * A part of a task, on alias `t`, is visible with its task.
 * @param clients for client logins
 */
export const ofVisibleTask =
  (clients: boolean) =>
  (slot: string): string =>
    `exists (select 1 from (select t.organisation_id as of_organisation, t.task_id as of_task) part
      join tasks t on t.organisation_id = part.of_organisation and t.id = part.of_task
      where ${clients ? tasksOfClient(slot) : workOfStaff(slot)})`;
