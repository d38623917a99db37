import { activeDefinitions } from "../../../core/custom-fields/definitions.ts";
import type { RowOf } from "../../../core/database/model.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { conflict } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import type { Assignee } from "../../../core/rules/roster.ts";
import { requireTerm } from "../../../core/rules/term.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { reportLostReferences } from "../../../core/trail/lost-references.ts";
import { reportChange } from "../../../core/trail/record-changes.ts";
import { changesOf, trail, trailChanges } from "../../../core/trail/trail.ts";
import { grantedRoster } from "../../../mixins/assignees.ts";
import { requireReferences } from "../references.ts";
import { inheritedFrom, reportOrphan } from "../rosters/inheritance.ts";
import { createdRoster, projectRoster, rosterChange } from "../rosters/roster.ts";
import { rosterRows } from "../rosters/roster-rows.ts";
import { changesBackedBudget, type LinkedAgreement } from "./budgets/burn-down.ts";
import { Project } from "./models.ts";
import { projectRows } from "./project.list.ts";
import type { ProjectCreate, ProjectUpdate } from "./project-schemas.ts";
import { projectValues, withNumbers } from "./project-values.ts";

export const projectRosters = rosterRows("project_assignees", "project_id");

type Named = Pick<Static<typeof ProjectUpdate>, "assignees">;

/** A roster that a body names. @throws 400, 422 for people who cannot get work */
async function granted(before: readonly Assignee[], after: readonly Assignee[], { assignees }: Named) {
  const field = assignees ? "assignees" : "responsible_user_id";
  return { roster: await grantedRoster(before, after, field), isOrphaned: false };
}

/**
 * Creates a project from a validated body, with roster, trail and events. Every path that creates a project goes through here.
 * @param ownId the project's id; a new one by default
 * @returns the new id
 * @throws 400 of the roster, 404 for a client the caller does not see, 422 of the rules
 */
export async function createProject(body: Static<typeof ProjectCreate>, ownId?: string): Promise<string> {
  const values = projectValues(body, null, await activeDefinitions("project"));
  requireTerm({}, values);
  const sent = createdRoster(body, body.responsible_user_id);
  const { company_id, name: title, status = "active" } = body;
  const [{ roster, isOrphaned }] = await Promise.all([
    sent ? granted([], sent, body) : inheritedFrom({ company_id }),
    requireReferences({ company_id }),
  ]);
  const id = queueInsert(Project, { ...values, name: title, ...(ownId !== undefined && { id: ownId }) });
  projectRosters.store(id, roster, true);
  trail("project", id, "created");
  const payload = { project_id: id, company_id, title, recipients: roster.map(({ user_id }) => user_id) };
  emit("project.created", "project", id, { ...payload, status });
  if (roster.length > 0) emit("project.assigned", "project", id, payload);
  if (isOrphaned) await reportOrphan("project", id, { title, company_id });
  return id;
}

/** @throws 409 if an update changes stored hours that agreements override; resending the stored value is fine */
function requireOwnBudget(
  before: RowOf<typeof Project>,
  sent: number | null | undefined,
  agreements: readonly LinkedAgreement[],
): void {
  const message = "errors.projects_budget_hours_locked";
  if (changesBackedBudget(before.budget_hours, sent, agreements)) throw conflict(message, "budget_hours");
}

/**
 * Changes a project that the caller has locked. Omitted fields stay; a write that changes nothing leaves no trace.
 * @param before the stored row
 * @param agreements the agreements linked to it, hidden ones included
 * @returns whether anything changed
 * @throws 400 of the roster, 404 for a client the caller does not see, 409 for an agreement-backed budget, 422 of the rules
 */
export async function changeProject(
  before: RowOf<typeof Project>,
  body: Static<typeof ProjectUpdate>,
  agreements: readonly LinkedAgreement[] = [],
): Promise<boolean> {
  const { id } = before;
  const values = projectValues(body, before, body.custom === undefined ? [] : await activeDefinitions("project"));
  requireOwnBudget(before, values.budget_hours as number | null | undefined, agreements);
  const stored = withNumbers(before);
  const changed = differences(stored, values);
  requireTerm(before, changed ?? {});
  const needsRoster = body.assignees !== undefined || body.responsible_user_id !== undefined || changed?.status !== undefined;
  const [oldRoster] = await Promise.all([
    needsRoster ? projectRosters.read(id) : [],
    requireReferences({ company_id: changed?.company_id }),
  ]);
  const wanted = projectRoster(oldRoster, body);
  if (!changed && !wanted) return false;
  const roster = wanted && (await granted(oldRoster, wanted, body)).roster;
  const { added, from, to } = rosterChange(oldRoster, roster ?? oldRoster);

  const changes = changesOf(
    [...Project.tracked, "responsible_user_id"],
    { ...stored, responsible_user_id: from },
    { ...changed, responsible_user_id: to },
  );
  queueUpdate(Project, id, changed ?? {});
  if (roster) projectRosters.store(id, roster);
  trailChanges("project", id, changes, [...Object.keys(changed ?? {}), ...(roster ? ["assignees"] : [])]);
  const payload = {
    project_id: id,
    company_id: changed?.company_id ?? before.company_id,
    title: changed?.name ?? before.name,
  };
  if (changed?.status !== undefined) {
    const recipients = (roster ?? oldRoster).map(({ user_id }) => user_id);
    emit("project.status_changed", "project", id, { ...payload, from: before.status, to: changed.status, recipients });
  }
  if (added.length > 0) emit("project.assigned", "project", id, { ...payload, recipients: added });
  return true;
}

/** Deletes a project; its tasks and hours remain, without a project. @throws 404, 412 */
export async function removeProject(id: string): Promise<void> {
  await projectRows().forWrite(id);
  await reportLostReferences(Project, [id]);
  queueRemove(Project, id);
  reportChange("project", [id], "deleted");
}
