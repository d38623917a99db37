import { query } from "../../../core/database/query.ts";
import { lock } from "../../../core/database/write.ts";
import type { Hook } from "../../../core/declare/hooks.ts";
import { request } from "../../../core/request/context.ts";
import { handedOver } from "../../../core/rules/roster.ts";
import { statement } from "../../../core/sql/statement.ts";
import { Project } from "./models.ts";
import { changeProject, projectRosters } from "./project-writes.ts";

const STARRED = statement(`select a.project_id as id from project_assignees a
  where a.organisation_id = $1 and a.account_id = $2 and a.is_primary order by a.project_id`);

/** Hands the stars of a member's projects over, each as an ordinary change of the project. */
export const handOverProjects: Hook<"membership.handing_over"> = async ({ from, to, moved }) => {
  const starred = await query<{ id: string }>(STARRED, [request().organisation.id, from]);
  for (const { id } of starred) {
    const [before, roster] = await Promise.all([lock(Project, id), projectRosters.read(id)]);
    if (before) await changeProject(before, { assignees: handedOver(roster, from, to) });
  }
  moved.push({ kind: "project", count: starred.length });
};
