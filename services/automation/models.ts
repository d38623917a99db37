import { column, tenantModel } from "../../core/database/model.ts";
import type { Conditions } from "./rules/conditions.ts";

const { boolean, instant, integer, json, text, uuid } = column;

/** Something a rule does, as it is stored and answered. */
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

/** What became of one action of a run. */
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
  /** What it does, in order: the rule's actions when it began. Null before, and where a node began it that does not keep them. */
  actions: json<readonly StoredAction[]>().orNull(),
  /** The job that does it. */
  claimed_by: uuid().orNull(),
  identity: text(),
});
