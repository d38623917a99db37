import { answer, field, instant, json, list, nullable, Type, uuid } from "../../../core/declare/schema.ts";

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
  payload: json({ description: "Fields of the event" }),
  steps: field(
    list(Type.Unknown()),
    "What each action did: `action_type`, `status` (`succeeded` or `failed`), and `result` or `error`",
  ),
  error: nullable(Type.String({ description: "Translation key or text of why it failed or was skipped; null otherwise" })),
  started_at: field(nullable(instant()), "When its first action began, UTC; null before"),
  finished_at: field(nullable(instant()), "When it ended, UTC; null before"),
  created_at: instant(),
});
