import { type CustomDefinition, readCustomValues } from "../../../core/custom-fields/values.ts";
import type { RowOf, UpdateOf } from "../../../core/database/model.ts";
import { withoutBlanks } from "../../../core/database/write.ts";
import { invalid } from "../../../core/errors/errors.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { roundHalfUp } from "../../../core/values/money.ts";
import { blankToNull, withoutHtml } from "../../../core/values/text.ts";
import { Project } from "./models.ts";
import type { ProjectCreate, ProjectUpdate } from "./project-schemas.ts";

type SentProject = Partial<Static<typeof ProjectCreate>> | Static<typeof ProjectUpdate>;

const rounded = (value: number | null): number | null => (value === null ? null : roundHalfUp(value).toNumber());

/** A stored project with its budget as numbers, as bodies, responses and the trail have it; rows hold exact decimals as text. */
export const withNumbers = <P extends Pick<RowOf<typeof Project>, "budget_hours" | "budget_amount">>(project: P) => ({
  ...project,
  budget_hours: project.budget_hours === null ? null : Number(project.budget_hours),
  budget_amount: project.budget_amount === null ? null : Number(project.budget_amount),
});

/**
 * The values to store for a create or update (work chapter §2.1): budgets rounded to 2 decimals, blanks as null, descriptions without HTML.
 * @param sent the validated body; only its keys appear in the result
 * @param before the stored row of an update: the first real name clears `unnamed` (work chapter §2.3)
 * @param definitions the active custom fields of projects; a create is checked against them even without values
 * @throws 422 naming every field that breaks a rule
 */
export function projectValues(
  sent: SentProject,
  before: Pick<RowOf<typeof Project>, "unnamed"> | null,
  definitions: readonly CustomDefinition[] = [],
): UpdateOf<typeof Project> {
  const {
    assignees: _roster,
    responsible_user_id: _starred,
    custom: given,
    unnamed,
    ...own
  } = sent as Static<typeof ProjectCreate>;
  const custom = before === null || given !== undefined ? readCustomValues(given ?? {}, definitions) : null;
  const refused: Record<string, string> = { ...custom?.refused };
  const values: UpdateOf<typeof Project> = withoutBlanks(Project, own);
  if (custom && given !== undefined) values.custom = custom.values;
  if (values.name?.trim() === "") refused["name"] = "errors.validation";
  if (values.company_id === null) refused["company_id"] = "errors.projects_company_required";
  if (own.budget_hours !== undefined) values.budget_hours = rounded(own.budget_hours);
  if (own.budget_amount !== undefined) values.budget_amount = rounded(own.budget_amount);
  if (typeof values.description === "string") values.description = blankToNull(withoutHtml(values.description));
  if (before === null) values.unnamed = unnamed ?? false;
  else if (before.unnamed && values.name !== undefined) values.unnamed = false;
  if (Object.keys(refused).length > 0) throw invalid(refused);
  return values;
}
