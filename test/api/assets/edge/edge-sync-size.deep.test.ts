import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { systemRequest } from "../../../../core/request/system.ts";
import { storeProjects } from "../../../../integrations/edge/sync/projects.ts";
import { storeRegistrations } from "../../../../integrations/edge/sync/registrations.ts";
import { storeZones } from "../../../../integrations/edge/sync/zones.ts";
import { inTenancy } from "../../../../mixins/tenancy.ts";
import type { Tenant, TestService } from "../../../support/service.ts";
import { type EdgeWorld, startEdge } from "./edge-world.ts";

/** Zones, static sites and registered domains of an account, each of a domain that we have as well. */
interface Size {
  zones: number;
  projects: number;
  registrations: number;
}
const FEW: Size = { zones: 3, projects: 3, registrations: 3 };
const MANY: Size = { zones: 1_500, projects: 100, registrations: 800 };

describe("a sync of a large edge account (assets §11)", function () {
  this.timeout(60_000);
  let world: EdgeWorld;
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    world = await startEdge();
    ({ service } = world);
    tenant = await service.tenant();
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const domains = async (prefix: string, { zones }: Size) =>
    service.sql.query(
      `insert into domains (id, organisation_id, company_id, name, label, start_date)
       select gen_random_uuid(), $1, $2, $3 || n || '.example', $3 || n || '.example', '2026-01-01' from generate_series(0, $4 - 1) n`,
      [tenant.organisation.id, (await tenant.company()).id, prefix, zones],
    );

  /** Stores an account's data, as a sync does after reading; returns the statements of each part and the new links. */
  async function stored(prefix: string, accountId: string, size: Size) {
    const named = <T>(count: number, of: (name: string) => T) =>
      Array.from({ length: count }, (_, n) => of(`${prefix}${n}.example`));
    const zones = named(size.zones, (name) => ({
      edge_zone_id: randomUUID(),
      name,
      status: "active",
      plan: null,
      paused: false,
      name_servers: ["ada.ns.edge.example"],
      original_name_servers: null,
    }));
    const projects = named(size.projects, (name) => ({
      name,
      subdomain: null,
      production_branch: null,
      hostnames: [`www.${name}`],
    }));
    const served = projects.map(({ name, hostnames: [hostname] }) => ({
      project: name,
      hostname: hostname as string,
      status: null,
    }));
    const registrations = named(size.registrations, (name) => ({
      name,
      current_registrar: "Cloudflare",
      at_provider: true,
      expires_at: "2027-03-01T00:00:00.000Z",
      auto_renew: true,
      locked: true,
      registry_statuses: null,
    }));
    const counted = <T>(work: () => Promise<T>) =>
      inTenancy(
        () => systemRequest("a test", tenant.organisation, "write"),
        async (store) => ({ done: await work(), statements: store.statements }),
      );
    const parts = [
      await counted(() => storeZones(accountId, zones, null)),
      await counted(() => storeProjects(accountId, { projects, served, judged: projects.map(({ name }) => name) }, null)),
      await counted(() => storeRegistrations(accountId, registrations)),
    ];
    return {
      statements: parts.map(({ statements }) => statements),
      linked: Object.assign({}, ...parts.map(({ done }) => done)),
    };
  }

  it("needs as many statements for 1,500 zones, 100 static sites and 800 domains as for three of each, all of them new", async () => {
    const found = [];
    for (const [prefix, size] of [
      ["few", FEW],
      ["many", MANY],
    ] as const) {
      const account = await world.account(tenant);
      await domains(prefix, size);
      const first = await stored(prefix, account.id, size);
      expect(first.linked).to.deep.include({
        zones_matched: size.zones,
        pages_links_adopted: size.projects,
        registrar_domains_matched: size.registrations,
      });
      found.push(first.statements);
    }
    expect(found[1]).to.deep.equal(found[0]);
    expect(Math.max(...(found[0] as number[]))).to.be.at.most(9);
  });

  it("reads each page once, and stores its changes", async () => {
    const account = await world.account(tenant);
    const at = account.edge_account_id as string;
    const { state } = world.provider;
    for (let n = 0; n < MANY.zones; n++) state.zone(at, `large${n}.example`);
    for (let n = 0; n < MANY.projects; n++) state.project(at, `large${n}`, [`www.large${n}.example`]);
    for (let n = 0; n < MANY.registrations; n++) state.registration(at, `large${n}.example`);
    await domains("large", MANY);
    const { body } = await tenant.owner.post(`/edge/accounts/${account.id}/sync`);
    expect(body).to.deep.equal({
      ok: true,
      error: null,
      zones_synced: 1_500,
      zones_matched: 1_500,
      pages_projects_synced: 100,
      pages_domains_synced: 200,
      pages_links_matched: 100,
      pages_links_adopted: 100,
      pages_links_missing: 0,
      registrar_read: true,
      registrar_domains_synced: 800,
      registrar_domains_at_edge: 800,
      registrar_domains_matched: 800,
      warnings: [],
    });
    const calls = world.provider.calls();
    expect(calls).to.have.length(1_500 / 50 + 100 / 10 + 800 / 50);
    expect(new Set(calls).size).to.equal(calls.length);
  });
});
