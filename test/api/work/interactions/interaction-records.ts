import { randomUUID } from "node:crypto";
import type { Caller, Tenant, TestService } from "../../../support/service.ts";

/** Rows that the tests of contact moments need: work by SQL, and messages as a mailbox would have brought them. */
export interface Records {
  project(values?: { company_id?: string | null }): Promise<string>;
  task(values?: { company_id?: string | null; project_id?: string | null }): Promise<string>;
  /** A message of a mailbox, waiting for its owner unless said otherwise. */
  message(owner: Caller, values?: Record<string, unknown>): Promise<string>;
}

export function recordsOf(service: TestService, tenant: Tenant): Records {
  const organisation = tenant.organisation.id;
  const put = async (table: string, values: Record<string, unknown>): Promise<string> => {
    const row: Record<string, unknown> = { id: randomUUID(), organisation_id: organisation, ...values };
    const names = Object.keys(row);
    await service.sql.query(
      `insert into ${table} (${names.join(", ")}) values (${names.map((_, index) => `$${index + 1}`).join(", ")})`,
      Object.values(row),
    );
    return row["id"] as string;
  };
  return {
    project: (values = {}) => put("projects", { name: "Website", ...values }),
    async task(values = {}) {
      await service.sql.query(
        `insert into task_statuses (id, organisation_id, key, name, color, is_default) values (gen_random_uuid(), $1, 'open', 'Open', 'sky', true)
           on conflict do nothing`,
        [organisation],
      );
      return put("tasks", { title: "Call back", status: "open", ...values });
    },
    async message(owner, values = {}) {
      await tenant.owner.get("/interactions/kinds");
      const id = randomUUID();
      return put("interactions", {
        id,
        kind: "email",
        source: "mail",
        status: "pending",
        direction: "inbound",
        occurred_at: "2026-03-01T09:00:00Z",
        subject: "Hello",
        owner_account_id: owner.accountId,
        conversation_id: id,
        message_id: `<${id}@example.com>`,
        ...values,
      });
    },
  };
}
