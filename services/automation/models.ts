import { column, tenantModel } from "../../core/database/model.ts";
import type { Conditions } from "./rules/conditions.ts";

const { boolean, instant, integer, json, text, uuid } = column;

/** An action of a rule, as stored and returned. */
export interface StoredAction {
  readonly id: string;
  readonly position: number;
  readonly action_type: string;
  readonly config: Readonly<Record<string, unknown>>;
}

export const Rule = tenantModel("automation_rules", {
  name: text().tracked(),
  trigger_event: text().tracked(),
  conditions: json<Conditions>().withDefault(),
  actions: json<readonly StoredAction[]>().withDefault(),
  enabled: boolean().withDefault().tracked(),
  position: integer().withDefault().tracked(),
});

export const RUN_STATUSES = ["pending", "running", "succeeded", "failed", "skipped"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The outcome of one action of a run. */
export interface Step {
  readonly action_type: string;
  readonly status: "succeeded" | "failed";
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: string;
}

export const AutomationRun = tenantModel("automation_runs", {
  rule_id: uuid().orNull(),
  rule_name: text(),
  trigger_event: text(),
  entity_type: text(),
  entity_id: uuid(),
  company_id: uuid().orNull(),
  status: text<RunStatus>().withDefault(),
  depth: integer().withDefault(),
  payload: json().withDefault(),
  steps: json<readonly Step[]>().withDefault(),
  error: text().orNull(),
  started_at: instant().orNull(),
  finished_at: instant().orNull(),
  /** The rule's actions when the run began, in order. Null before it begins, and if a node of a version without this column began it. */
  actions: json<readonly StoredAction[]>().orNull(),
  /** The job that executes the run. */
  claimed_by: uuid().orNull(),
  identity: text(),
});
