import { answer, instant, json, list, nullable, Type, uuid } from "../../../core/declare/schema.ts";

export const RunRead = answer("RunRead", {
  id: uuid(),
  rule_id: nullable(uuid()),
  rule_name: Type.String(),
  trigger_event: Type.String(),
  entity_type: Type.String(),
  entity_id: uuid(),
  status: Type.String(),
  depth: Type.Integer(),
  payload: json(),
  steps: list(Type.Unknown()),
  error: nullable(Type.String()),
  started_at: nullable(instant()),
  finished_at: nullable(instant()),
  created_at: instant(),
});
