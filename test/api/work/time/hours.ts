import { randomUUID } from "node:crypto";
import type { Answer } from "../../../support/http.ts";
import type { Caller, Tenant, TestService } from "../../../support/service.ts";

/** An entry as it is answered. */
export type EntryBody = { id: string; user_id: string; minutes: number; [field: string]: unknown };

/** A row of a project or a task, as the database holds it. */
interface Placed {
  company_id?: string | null;
  project_id?: string | null;
  [column: string]: unknown;
}

/** The answer of a call that has to succeed. @throws Error with what came instead */
export async function ok(answer: Promise<Answer> | Answer): Promise<Answer["body"]> {
  const { status, text, body } = await answer;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body;
}

/** The hours of one organisation, as tests write them. */
export class Hours {
  readonly service: TestService;
  readonly tenant: Tenant;

  constructor(service: TestService, tenant: Tenant) {
    this.service = service;
    this.tenant = tenant;
  }

  async #row(table: string, values: Record<string, unknown>): Promise<string> {
    const row: Record<string, unknown> = { id: randomUUID(), organisation_id: this.tenant.organisation.id, ...values };
    const names = Object.keys(row);
    await this.service.sql.query(
      `insert into ${table} (${names.join()}) values (${names.map((_, index) => `$${index + 1}`).join()})`,
      Object.values(row),
    );
    return row["id"] as string;
  }

  project = (values: Placed = {}): Promise<string> => this.#row("projects", { name: "Project", ...values });

  async task(values: Placed = {}): Promise<string> {
    await this.service.sql.query(
      `insert into task_statuses (id, organisation_id, key, name, color, is_default) values (gen_random_uuid(), $1, 'open', 'Open', 'sky', true)
       on conflict do nothing`,
      [this.tenant.organisation.id],
    );
    return this.#row("tasks", { title: "Task", status: "open", ...values });
  }

  /** Logs time as a caller: 09:00 to 10:00 of 4 May 2026 unless said otherwise. */
  async log(caller: Caller, values: object = {}): Promise<EntryBody> {
    const sent = { started_at: "2026-05-04T09:00:00Z", ...values };
    return ok(caller.post("/time/entries", "ended_at" in sent || "minutes" in sent ? sent : { ...sent, minutes: 60 }));
  }

  /** Sets a member's own hourly rate, or the organisation's. */
  rate = (person: Caller, hourly_rate: number | null) =>
    ok(this.tenant.owner.put(`/leave/rate/${person.accountId}`, { hourly_rate }));
  defaultRate = (default_hourly_rate: number | null) => ok(this.tenant.owner.put("/leave/settings", { default_hourly_rate }));

  approve = (...entry_ids: string[]) => ok(this.tenant.owner.post("/time/entries/approve", { entry_ids }));

  /** A member who sees only these clients. */
  async restricted(role: "admin" | "member", companyIds: string[], grants?: string[]): Promise<Caller> {
    const person = await this.tenant.member(role, grants ? { grants } : {});
    await this.tenant.group(`Group ${randomUUID()}`, companyIds, [person.membershipId]);
    return person;
  }
}
