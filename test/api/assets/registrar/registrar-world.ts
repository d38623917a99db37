import { randomUUID } from "node:crypto";
import { OxxaSimulator } from "../../../simulators/registrar.ts";
import { startService, type Tenant, type TestService } from "../../../support/service.ts";

let counter = 0;

/** The service with a simulated registrar. */
export interface RegistrarWorld {
  service: TestService;
  provider: OxxaSimulator;
  /** Adds an account with the credential the simulator takes; gives its id. */
  account(tenant: Tenant, values?: Record<string, unknown>): Promise<string>;
  /** The same, verified. */
  verified(tenant: Tenant, values?: Record<string, unknown>): Promise<string>;
  /** Writes a domain of a new client, or of the named one; returns its id. */
  domain(tenant: Tenant, name: string, values?: Record<string, unknown>): Promise<string>;
  storedAccount(id: string): Promise<Record<string, unknown>>;
  /** The registrations of an organisation by name. */
  register(tenant: Tenant): Promise<Record<string, unknown>[]>;
  /** The trail of a record, newest first, as action and payload. */
  trail(tenant: Tenant, kind: string, id: string): Promise<[string, unknown][]>;
  stop(): Promise<void>;
}

export async function startRegistrar(environment: Record<string, string> = {}): Promise<RegistrarWorld> {
  const provider = new OxxaSimulator();
  await provider.start();
  const service = await startService({ SERVICE_REGISTRAR_API_URL: provider.root, ...environment });
  const { sql } = service;
  const account: RegistrarWorld["account"] = async (tenant, values = {}) => {
    const body = { name: `Account ${++counter}`, api_user: provider.user, api_password: provider.password, ...values };
    const answer = await tenant.owner.post("/registrar/accounts", body);
    if (answer.status !== 201) throw new Error(`no account: ${answer.status} ${answer.text}`);
    return answer.body.id;
  };
  return {
    service,
    provider,
    account,
    async verified(tenant, values) {
      const id = await account(tenant, values);
      const { body } = await tenant.owner.post(`/registrar/accounts/${id}/verify`);
      if (!body.ok) throw new Error(`not verified: ${body.error}`);
      return id;
    },
    async domain(tenant, name, values = {}) {
      const row: Record<string, unknown> = {
        id: randomUUID(),
        organisation_id: tenant.organisation.id,
        name,
        label: name,
        start_date: "2026-01-01",
        ...values,
      };
      row["company_id"] ??= (await tenant.company()).id;
      const names = Object.keys(row);
      const slots = names.map((_, at) => `$${at + 1}`);
      await sql.query(`insert into domains (${names.join(", ")}) values (${slots.join(", ")})`, Object.values(row));
      return row["id"] as string;
    },
    storedAccount: async (id) => (await sql.query("select * from registrar_accounts where id = $1", [id])).rows[0],
    register: async (tenant) =>
      (
        await sql.query(
          "select *, expires_on::text as expires from registrar_domains where organisation_id = $1 order by name, account_id",
          [tenant.organisation.id],
        )
      ).rows,
    trail: async (tenant, kind, id) => {
      const { rows } = await sql.query(
        `select action, payload from activity where organisation_id = $1 and entity_type = $2 and entity_id = $3
          order by created_at desc, id desc`,
        [tenant.organisation.id, kind, id],
      );
      return rows.map(({ action, payload }) => [action, payload]);
    },
    async stop() {
      await service.stop();
      await provider.stop();
    },
  };
}
