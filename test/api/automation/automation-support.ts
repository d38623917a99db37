import { expect } from "chai";
import { settled } from "../../support/jobs.ts";
import type { Caller, Tenant, TestService } from "../../support/service.ts";

/** The fields of a rule that a test sends. */
export interface DraftRule {
  name?: string;
  trigger_event: string;
  conditions?: object;
  actions?: { action_type: string; config?: object }[];
  enabled?: boolean;
  position?: number;
}

let counter = 0;

/** Adds a rule as the owner and returns its body. */
export async function addRule({ owner }: Pick<Tenant, "owner">, rule: DraftRule) {
  const { status, body, text } = await owner.post("/automation/rules", { name: `Rule ${++counter}`, ...rule });
  expect(status, text).to.equal(201);
  return body;
}

/** Adds a task as the owner and returns its body. */
export async function addTask({ owner }: Pick<Tenant, "owner">, values: object = {}) {
  const { status, body, text } = await owner.post("/tasks", { title: `Task ${++counter}`, ...values });
  expect(status, text).to.equal(201);
  return body;
}

export interface Run {
  id: string;
  rule_id: string | null;
  rule_name: string;
  trigger_event: string;
  entity_type: string;
  entity_id: string;
  status: string;
  depth: number;
  payload: Record<string, unknown>;
  steps: { action_type: string; status: string; result?: Record<string, unknown>; error?: string }[];
  error: string | null;
  started_at: string | null;
  finished_at: string | null;
  created_at: string;
}

/** The runs a caller sees, oldest first. */
export async function runsOf(caller: Pick<Caller, "get">, query = ""): Promise<Run[]> {
  const { status, body, text } = await caller.get(`/automation/runs?limit=200${query}`);
  expect(status, text).to.equal(200);
  return body.items.toReversed();
}

/** Waits until every job is done, and returns the runs of the organisation, oldest first. */
export async function finished(service: Pick<TestService, "sql">, { owner }: Pick<Tenant, "owner">): Promise<Run[]> {
  await settled(service);
  return runsOf(owner);
}

/** Lines of the trail of a record, oldest first. */
export async function trailOf({ owner }: Pick<Tenant, "owner">, type: string, id: string) {
  const { body } = await owner.get(`/activity?entity_type=${type}&entity_id=${id}&limit=50`);
  return body.toReversed();
}
