export { byCaller } from "../../core/request/caller.ts";

import { ofSelectedCompany } from "../../core/database/lists/selection.ts";

/** The client of a task on alias `t`: its own, else its project's (work chapter §3.6). */
export const CLIENT_OF = `coalesce(t.company_id, (select vp.company_id from projects vp
  where vp.organisation_id = t.organisation_id and vp.id = t.project_id))`;

/** The client of what may be about a task, an entry or a contact moment on alias `t`: its own, else its project's, else that of its task. */
export const CLIENT_THROUGH_TASK = `coalesce(${CLIENT_OF}, (select coalesce(vt.company_id, (select tp.company_id from projects tp
    where tp.organisation_id = vt.organisation_id and tp.id = vt.project_id))
  from tasks vt where vt.organisation_id = t.organisation_id and vt.id = t.task_id))`;

/** Projects on alias `t` that a restricted member sees: those of its clients, and those without any (work chapter §0). */
export const projectsOfStaff = (slot: string): string =>
  `(t.company_id is null or t.company_id in (select selected_companies(${slot})))`;

/** Projects on alias `t` that a client login sees: those of its own clients. */
export const projectsOfClient = (slot: string): string => ofSelectedCompany("t.company_id", slot);

/** Tasks on alias `t` that a restricted member sees. */
export const workOfStaff = (slot: string): string =>
  `(${CLIENT_OF} is null or ${CLIENT_OF} in (select selected_companies(${slot})))`;

/** Entries and contact moments on alias `t` that a restricted member sees: those of its clients, and those without any (work chapter §0). */
export const throughTaskOfStaff = (slot: string): string =>
  `(${CLIENT_THROUGH_TASK} is null or ${CLIENT_THROUGH_TASK} in (select selected_companies(${slot})))`;

/** Tasks on alias `t` that a client login sees: shown to clients, and one of its own clients' (work chapter §3.6). */
export const tasksOfClient = (slot: string): string =>
  `(t.visible_to_client and ${CLIENT_OF} in (select selected_companies(${slot})))`;

/**
 * What hangs on a task, on alias `t`, is seen with its task.
 * @param clients whether client logins ask
 */
export const ofVisibleTask =
  (clients: boolean) =>
  (slot: string): string =>
    `exists (select 1 from (select t.organisation_id as of_organisation, t.task_id as of_task) part
      join tasks t on t.organisation_id = part.of_organisation and t.id = part.of_task
      where ${clients ? tasksOfClient(slot) : workOfStaff(slot)})`;
