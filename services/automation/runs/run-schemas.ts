import {
  answer,
  choice,
  field,
  instant,
  json,
  list,
  nullable,
  optional,
  shownAs,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";
import { TriggerPayload } from "../rules/payload-schemas.ts";

/** The errors that only runs have; every other key is the one with which the same write by a person is refused. */
const FAILURES =
  "`errors.automation_rule_deleted`: the rule is gone. `errors.automation_action_config_invalid`: the settings cannot be used. `errors.automation_no_recipient`: the message reaches nobody. `errors.automation_webhook_timeout`, `_unreachable`, `_unresolved`, `_unreadable`: no usable answer came. `errors.automation_webhook_private_target`, `_port`: the address is not allowed. `errors.automation_webhook_not_confirmed`: the receiver did not confirm. `errors.automation_outcome_unknown`: the call may have arrived; only in runs of earlier versions. Other keys are those with which the same write by a person is refused.";

/** The outcome of one action of a run. */
const RunStep = Type.Object(
  {
    action_type: Type.String({ description: "Kind of the action" }),
    status: choice(["succeeded", "failed"], { description: "Outcome of the action" }),
    result: optional(
      json({ description: "What the action created or changed, such as `task_ids`; absent if it reports nothing" }),
    ),
    error: optional(
      Type.String({ description: `Translation key of why the action failed; absent if it succeeded. ${FAILURES}` }),
    ),
  },
  { $id: "RunStep", "x-usage": "response" },
);

export const RunRead = answer("RunRead", {
  id: uuid(),
  rule_id: field(nullable(uuid()), "The rule; null if it was deleted"),
  rule_name: Type.String({ description: "Name of the rule when the event happened" }),
  trigger_event: Type.String({ description: "Name of the event that triggered the run" }),
  entity_type: Type.String({ description: "Kind of the record that the event is about" }),
  entity_id: field(uuid(), "Id of that record"),
  status: Type.String({
    description: "`pending`, `running`, `succeeded`, `failed`, or `skipped` for a run that the limits against loops prevented",
  }),
  depth: Type.Integer({
    description:
      "Number of rules that triggered each other before this run: 0 if a person or a job caused the event; from 3 on runs are skipped",
  }),
  payload: shownAs(json({ description: "Fields of the event" }), TriggerPayload),
  steps: field(list(RunStep), "Outcome of each executed action, in order; an action after a failed one has no entry"),
  error: nullable(
    Type.String({ description: `Translation key of why the run failed or was skipped; null otherwise. ${FAILURES}` }),
  ),
  started_at: field(nullable(instant()), "When the run began, UTC; null before, and for a skipped run"),
  finished_at: field(nullable(instant()), "When the run ended, UTC; null before, and for a skipped run"),
  created_at: instant(),
});
