import { type BulkEntity, bulkUpdate } from "../../../core/bulk/entity.ts";
import { oneOf, yesOrNo } from "../../../core/bulk/readers.ts";
import { lockedRows, lockingRows, withinSelection } from "../../../core/bulk/rows.ts";
import { clientReference } from "../../../mixins/named/client-reference.ts";
import { forStaffAndClients, projectsOfClient, projectsOfStaff } from "../visibility.ts";
import { projectRows } from "./project.list.ts";
import { PROJECT_STATUSES, ProjectUpdate } from "./project-schemas.ts";
import { changeProject, removeProject } from "./project-writes.ts";

const SEEN = forStaffAndClients((clients) =>
  lockingRows("projects", withinSelection(clients ? projectsOfClient : projectsOfStaff)),
);

/** Bulk changes of projects (platform §3). */
export const projectsInBulk: BulkEntity = {
  plural: "projects",
  seen: (ids) => lockedRows(SEEN(), ids),
  update: bulkUpdate(
    {
      status: { field: "status", read: oneOf(PROJECT_STATUSES) },
      company: { field: "company_id", read: clientReference() },
      billable_default: { field: "billable_default", read: yesOrNo },
    },
    ProjectUpdate,
    // None of these keys affects the budget, so its agreements are not loaded.
    async (id, values) => changeProject(await projectRows().forWrite(id), values),
  ),
  remove: removeProject,
};
