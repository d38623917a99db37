import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Caller, Tenant, TestService } from "../../../support/service.ts";

/** A project as it is answered. */
export interface ProjectBody {
  id: string;
  name: string;
  company_id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every field
  [field: string]: any;
}

/** An entry's values without its project; by default a finished, billable, unapproved hour of the owner's. */
export interface EntryValues {
  project_id?: string | null;
  company_id?: string | null;
  started_at: string;
  /** With a day the references stay as given; without one PostgreSQL sets both, as for an older node. */
  work_date?: string;
  minutes?: number;
  billable?: boolean;
  approved?: boolean;
  running?: boolean;
  user_id?: string;
}

let counter = 0;

/** Creates a project as the owner, with a company of its own unless one is named. */
export async function projectOf(tenant: Tenant, values: Record<string, unknown> = {}): Promise<ProjectBody> {
  const company_id = values["company_id"] ?? (await tenant.company()).id;
  const { status, body, text } = await tenant.owner.post("/projects", { name: `Project ${++counter}`, ...values, company_id });
  expect(status, text).to.equal(201);
  return body;
}

/** Writes an entry as the database holds it; a running timer with minutes too, which must count nowhere. */
export async function entryOf({ sql }: Pick<TestService, "sql">, tenant: Tenant, values: EntryValues): Promise<string> {
  const { started_at: start, minutes = 60, billable = true, approved = false, running = false } = values;
  const id = randomUUID();
  await sql.query(
    `insert into time_entries (id, organisation_id, user_id, project_id, company_id, started_at, ended_at, minutes, billable, approved_at,
       work_date)
     values ($1, $2, $3, $4, $5, $6, case when $7 then null else $6::timestamptz + $8::int * interval '1 min' end, $8, $9,
             case when $10 then now() end, $11)`,
    [
      ...[id, tenant.organisation.id, values.user_id ?? tenant.owner.accountId, values.project_id ?? null],
      ...[values.company_id ?? null, start, running, minutes, billable, approved, values.work_date ?? null],
    ],
  );
  return id;
}

/** One person of a roster as a body sends it. */
export const person = ({ accountId }: Pick<Caller, "accountId">, is_primary?: boolean) => ({
  user_id: accountId,
  ...(is_primary !== undefined && { is_primary }),
});
