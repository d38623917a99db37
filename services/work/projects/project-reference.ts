import { isNamed, lookup, type Reader, reference } from "../../../core/bulk/readers.ts";
import { forStaffAndClients, projectsOfClient, projectsOfStaff } from "../visibility.ts";

const PROJECT = forStaffAndClients((clients) =>
  lookup("projects", isNamed("t.name"), clients ? projectsOfClient : projectsOfStaff),
);

/** Resolves a project that the caller sees, by id or name. */
export const projectReference: Reader = reference("the id or name of a project", PROJECT);
