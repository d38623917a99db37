import { isDeepStrictEqual } from "node:util";
import { forbidden, invalid, isApiError } from "../../../../core/errors/errors.ts";
import { callerId, scopeOf } from "../../../../core/request/caller.ts";
import { requireAssignable } from "../../../../mixins/assignees.ts";
import type { RecurrencePlan } from "../../planning/planned-blocks.ts";

/**
 * Requires permission to store this plan (work chapter §3.9, "plan"). Resending the stored plan is always allowed.
 * @throws 403 without `tasks.schedule.write`, or without `:any` for someone else; 422 `recurrence` for a person who is no member, or an inactive one
 */
export async function requirePlanAllowed(plan: RecurrencePlan | null, stored: RecurrencePlan | null = null): Promise<void> {
  if (!plan || isDeepStrictEqual(plan, stored)) return;
  const scope = scopeOf("tasks.schedule.write");
  const isForOther = plan.user_id !== null && plan.user_id !== callerId();
  if (scope === null || (isForOther && scope !== "any")) throw forbidden();
  if (plan.user_id === null) return;
  try {
    await requireAssignable([plan.user_id], "recurrence", "members");
  } catch (error) {
    if (isApiError(error) && error.type === "invalid_assignee") throw invalid({ recurrence: "errors.invalid_assignee" });
    throw error;
  }
}
