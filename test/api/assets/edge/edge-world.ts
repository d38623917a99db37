import { randomBytes } from "node:crypto";
import type { SimulatedAccount } from "../../../simulators/edge/state.ts";
import { EdgeSimulator } from "../../../simulators/edge.ts";
import { startService, type Tenant, type TestService } from "../../../support/service.ts";

/** An account as the API answers it. */
export interface Account {
  id: string;
  name: string;
  edge_account_id: string | null;
  [field: string]: unknown;
}

let counter = 0;

/** A token of the simulated provider that no other test has. */
export const newToken = (): string => `tok-${randomBytes(16).toString("hex")}`;

/** The service with a simulated edge provider. */
export interface EdgeWorld {
  service: TestService;
  provider: EdgeSimulator;
  /** Adds an account by the API, by default with the id of one at the provider. */
  account(tenant: Tenant, values?: Record<string, unknown>): Promise<Account>;
  /** Writes a domain by SQL; gives its id. */
  domain(tenant: Tenant, name: string, companyId?: string): Promise<string>;
  /** A synced zone at the provider, by our id. */
  zone(tenant: Tenant, account: Account, name: string, values?: Record<string, unknown>): Promise<{ id: string; edgeId: string }>;
  /** A stored row. */
  stored(table: string, id: string): Promise<Record<string, unknown>>;
  /** The one account that the provider has. */
  atProvider(): SimulatedAccount;
  stop(): Promise<void>;
}

export async function startEdge(environment: Record<string, string> = {}): Promise<EdgeWorld> {
  const provider = new EdgeSimulator();
  await provider.start();
  const service = await startService({ SERVICE_EDGE_API_URL: provider.root, ...environment });
  const { sql } = service;
  const atProvider = () => provider.state.accounts[0] ?? provider.state.account("Agency");
  return {
    service,
    provider,
    atProvider,
    async account(tenant, values = {}) {
      const answer = await tenant.owner.post("/edge/accounts", {
        name: `Account ${++counter}`,
        api_token: newToken(),
        edge_account_id: atProvider().id,
        ...values,
      });
      if (answer.status !== 201) throw new Error(`no account: ${answer.status} ${answer.text}`);
      return answer.body;
    },
    async domain(tenant, name, companyId) {
      const company = companyId ?? (await tenant.company()).id;
      const { rows } = await sql.query(
        `insert into domains (id, organisation_id, company_id, name, label, tld, start_date)
         values (gen_random_uuid(), $1, $2, $3, $3, split_part($3, '.', 2), '2026-01-01') returning id`,
        [tenant.organisation.id, company, name],
      );
      return rows[0].id;
    },
    async zone(tenant, account, name, values = {}) {
      const zone = provider.state.zone(account.edge_account_id ?? atProvider().id, name);
      const row: Record<string, unknown> = {
        organisation_id: tenant.organisation.id,
        account_id: account.id,
        edge_zone_id: zone.id,
        name,
        status: "active",
        name_servers: zone.name_servers,
        ...values,
      };
      const names = Object.keys(row);
      const { rows } = await sql.query(
        `insert into edge_zones (id, ${names.join(", ")}) values (gen_random_uuid(), ${names.map((_, at) => `$${at + 1}`).join(", ")})
         returning id`,
        Object.values(row),
      );
      return { id: rows[0].id, edgeId: zone.id };
    },
    stored: async (table, id) => (await sql.query(`select * from ${table} where id = $1`, [id])).rows[0],
    async stop() {
      await service.stop();
      await provider.stop();
    },
  };
}
