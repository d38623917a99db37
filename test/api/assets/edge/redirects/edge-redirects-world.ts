import { randomBytes, randomUUID } from "node:crypto";
import { expect } from "chai";
import { seal } from "../../../../../core/database/sealed.ts";
import type { SimulatedZone } from "../../../../simulators/edge/state.ts";
import { EdgeSimulator } from "../../../../simulators/edge.ts";
import type { Fault } from "../../../../simulators/simulator.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../../../support/service.ts";
import { trailOf } from "../../../clients/companies/company-records.ts";

let counter = 0;

/** A domain that is connected to a zone of an account of its own. */
export interface AtEdge {
  tenant: Tenant;
  domainId: string;
  companyId: string;
  name: string;
  /** The rows here, and the zone at the provider. */
  accountId: string;
  zoneId: string;
  zone: SimulatedZone;
  token: string;
  /** Below `/edge/domains/<id>`, by default as the owner. */
  at(below: string): string;
  put(body?: object, caller?: Caller): ReturnType<Caller["put"]>;
  check(caller?: Caller): ReturnType<Caller["post"]>;
  status(caller?: Caller): ReturnType<Caller["get"]>;
}

/** The service with a simulated edge provider. */
export interface EdgeWorld {
  service: TestService;
  edge: EdgeSimulator;
  /** Writes a domain by SQL, of a client of its own; gives its id. */
  domain(tenant: Tenant, name: string, values?: Record<string, unknown>): Promise<{ id: string; companyId: string }>;
  connected(options?: { name?: string; domain?: Record<string, unknown>; tenant?: Tenant; zoneName?: string }): Promise<AtEdge>;
  /** A static site of the account with hostnames at the provider, and its row here. */
  project(at: AtEdge, name: string, hostnames?: readonly string[]): Promise<{ id: string; hostnames: Map<string, string> }>;
  link(at: AtEdge, projectId: string, hostname: string, values?: Record<string, unknown>): Promise<string>;
  row(table: string, id: string, by?: string): Promise<Record<string, unknown>>;
  /** Treats every call about the zone so, or those whose method and path match as well; until the given function is called. */
  failing(at: AtEdge, fault: Fault, calls?: RegExp): () => void;
  /** The trail of a domain, the newest last. */
  trail(at: AtEdge): Promise<[string, Record<string, unknown>][]>;
  /** Calls since the last time that change something at the provider, without its ids. */
  writes(): string[];
  stop(): Promise<void>;
}

/** A call with every id of the provider as `*`. */
const withoutIds = (call: string): string => call.replace(/[0-9a-f]{32}/g, "*");

export async function startEdge(environment: Record<string, string> = {}): Promise<EdgeWorld> {
  const edge = new EdgeSimulator();
  await edge.start();
  const service = await startService({ SERVICE_EDGE_API_URL: edge.root, ...environment });
  const { sql } = service;
  const insert = async (table: string, values: Record<string, unknown>): Promise<string> => {
    const row: Record<string, unknown> = { id: randomUUID(), ...values };
    const names = Object.keys(row);
    const slots = names.map((_, index) => `$${index + 1}`);
    await sql.query(`insert into ${table} (${names.join(", ")}) values (${slots.join(", ")})`, Object.values(row));
    return row["id"] as string;
  };
  const domain: EdgeWorld["domain"] = async (tenant, name, values = {}) => {
    const company_id = (values["company_id"] as string) ?? (await tenant.company()).id;
    const common = { organisation_id: tenant.organisation.id, company_id, name, label: name, start_date: "2026-01-01" };
    return { id: await insert("domains", { ...common, ...values }), companyId: company_id };
  };
  return {
    service,
    edge,
    domain,
    async connected({ name = `d${++counter}.example`, domain: values = {}, tenant: given, zoneName = name } = {}) {
      const tenant = given ?? (await service.tenant());
      const organisation_id = tenant.organisation.id;
      const { id: domainId, companyId } = await domain(tenant, name, values);
      const account = edge.state.account(`Account ${++counter}`);
      const zone = edge.state.zone(account.id, zoneName);
      const token = randomBytes(20).toString("hex");
      const accountId = randomUUID();
      const place = { table: "edge_accounts", column: "api_token", organisation: organisation_id, row: accountId };
      await insert("edge_accounts", {
        id: accountId,
        organisation_id,
        name: account.name,
        api_token: seal(token, place),
        edge_account_id: account.id,
      });
      const zoneId = await insert("edge_zones", {
        organisation_id,
        account_id: accountId,
        edge_zone_id: zone.id,
        name: zoneName,
        status: "active",
        name_servers: zone.name_servers,
        domain_id: domainId,
      });
      const at = (below: string) => `/edge/domains/${domainId}/${below}`;
      const { owner } = tenant;
      return {
        tenant,
        domainId,
        companyId,
        name,
        accountId,
        zoneId,
        zone,
        token,
        at,
        put: (body = { target_url: "https://nieuw.example" }, caller = owner) => caller.put(at("redirect"), body),
        check: (caller = owner) => caller.post(at("check")),
        status: (caller = owner) => caller.get(at("status")),
      };
    },
    async project({ tenant, accountId, zone }, name, hostnames = []) {
      const made = edge.state.project(zone.account, name, hostnames);
      const organisation_id = tenant.organisation.id;
      const id = await insert("edge_projects", { organisation_id, account_id: accountId, name, subdomain: made.subdomain });
      return { id, hostnames: made.hostnames };
    },
    link: ({ tenant, domainId }, project_id, hostname, values = {}) =>
      insert("edge_page_links", {
        organisation_id: tenant.organisation.id,
        project_id,
        domain_id: domainId,
        hostname,
        ...values,
      }),
    row: async (table, id, by = "id") => (await sql.query(`select * from ${table} where ${by} = $1`, [id])).rows[0],
    failing: ({ zone }, fault, calls = /^/) =>
      edge.failWhen(({ method, path }) => path.includes(`/${zone.id}`) && calls.test(`${method} ${path}`), fault),
    trail: async ({ domainId }) => (await trailOf(sql, "domain", domainId)).map(({ action, payload }) => [action, payload]),
    writes: () => {
      const made = edge.calls().filter((call) => !call.startsWith("GET "));
      edge.received.length = 0;
      return made.map(withoutIds);
    },
    async stop() {
      await service.stop();
      await edge.stop();
      expect(edge.complaints).to.deep.equal([]);
    },
  };
}

export const RULES = "/zones/*/rulesets/*/rules";
export const ENTRYPOINT = "/zones/*/rulesets/phases/http_request_dynamic_redirect/entrypoint";
export const RECORDS = "/zones/*/dns_records";
