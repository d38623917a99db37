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
} from "../../../core/declare/schema.ts";
import { TriggerPayload } from "../rules/payload-schemas.ts";

/** The outcome of one action of a run. */
const RunStep = Type.Object(
  {
    action_type: Type.String({ description: "Kind of the action" }),
    status: choice(["succeeded", "failed"], { description: "Whether it was done" }),
    result: optional(json({ description: "What it made or changed, such as `task_ids`; absent where it says nothing" })),
    error: optional(Type.String({ description: "Translation key or text of why it failed; absent where it succeeded" })),
  },
  { $id: "RunStep", "x-usage": "response" },
);

export const RunRead = answer("RunRead", {
  id: uuid(),
  rule_id: field(nullable(uuid()), "The rule; null when it was deleted"),
  rule_name: Type.String({ description: "The rule's name when it was set off" }),
  trigger_event: Type.String({ description: "The event that set it off" }),
  entity_type: Type.String({ description: "Kind of the record that the event is about" }),
  entity_id: field(uuid(), "That record"),
  status: Type.String({
    description: "`pending`, `running`, `succeeded`, `failed`, or `skipped` for a run that was stopped as part of a loop",
  }),
  depth: Type.Integer({
    description: "How many rules set each other off before it: 0 for an act of a person or job; from 3 on runs are skipped",
  }),
  payload: shownAs(json({ description: "Fields of the event" }), TriggerPayload),
  steps: field(list(RunStep), "What each action did, in order; an action after a failed one has no entry"),
  error: nullable(Type.String({ description: "Translation key or text of why it failed or was skipped; null otherwise" })),
  started_at: field(nullable(instant()), "When its first action began, UTC; null before"),
  finished_at: field(nullable(instant()), "When it ended, UTC; null before"),
  created_at: instant(),
});
