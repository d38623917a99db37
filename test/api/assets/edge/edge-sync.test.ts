import { expect } from "chai";
import { settled, until } from "../../../support/jobs.ts";
import type { Tenant, TestService } from "../../../support/service.ts";
import { abreast } from "../../../support/waiting.ts";
import { trailOf } from "../../clients/companies/company-records.ts";
import { type Account, type EdgeWorld, newToken, startEdge } from "./edge-world.ts";

const COUNTS = {
  pages_projects_synced: 0,
  pages_domains_synced: 0,
  pages_links_matched: 0,
  pages_links_adopted: 0,
  pages_links_missing: 0,
  registrar_read: true,
  registrar_domains_synced: 0,
  registrar_domains_at_edge: 0,
  registrar_domains_matched: 0,
  warnings: [],
};

describe("POST /edge/accounts/{account_id}/sync", () => {
  let world: EdgeWorld;
  let service: TestService;
  let tenant: Tenant;
  let account: Account;
  let token: string;
  before(async () => {
    world = await startEdge();
    ({ service } = world);
  });
  beforeEach(async () => {
    world.provider.reset();
    tenant = await service.tenant();
    token = newToken();
    account = await world.account(tenant, { api_token: token });
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const sync = (id = account.id) => tenant.owner.post(`/edge/accounts/${id}/sync`);
  const rows = async (text: string) => (await service.sql.query(text, [tenant.organisation.id])).rows;
  const zones = () =>
    rows("select name, status, domain_id, edge_zone_id from edge_zones where organisation_id = $1 order by name, edge_zone_id");
  const links = () =>
    rows(
      `select hostname, domain_id, discovered_at, missing_at from edge_page_links where organisation_id = $1 order by hostname`,
    );
  const at = () => account.edge_account_id as string;

  it("stores the provider's zones and links those named like a domain", async () => {
    const domainId = await world.domain(tenant, "a.example");
    await world.domain(tenant, "sub.b.example");
    world.provider.state.zone(at(), "a.example", { paused: true, status: "initializing" });
    world.provider.state.zone(at(), "b.example");
    const { status, body } = await sync();
    expect([status, body]).to.deep.equal([200, { ok: true, error: null, zones_synced: 2, zones_matched: 1, ...COUNTS }]);
    const [first] = await rows("select * from edge_zones where organisation_id = $1 order by name");
    expect(first).to.deep.include({
      status: "initializing",
      paused: true,
      plan: "Free Website",
      domain_id: domainId,
      name_servers: ["ada.ns.edge.example", "bob.ns.edge.example"],
      original_name_servers: ["ns1.old.example"],
    });
    expect(world.provider.calls()[0]).to.equal(`GET /zones?account.id=${at()}&page=1&per_page=50`);
    expect(await world.stored("edge_accounts", account.id)).to.deep.include({ status: "active", last_error: null });
    const [line] = await trailOf(service.sql, "domain", domainId);
    expect([line?.action, line?.payload, line?.actor_account_id]).to.deep.equal([
      "edge.zone_linked",
      { zone: "a.example" },
      tenant.owner.accountId,
    ]);
    expect((await tenant.owner.get("/edge/accounts")).body[0].zone_count).to.equal(2);
    expect((await sync()).body).to.deep.equal(body);
    expect(await zones(), "nothing twice").to.have.length(2);
  });

  it("marks zones missing from a complete list as gone and restores them, even under a new id elsewhere (assets §13.10)", async () => {
    const domainId = await world.domain(tenant, "a.example");
    const [a, b] = ["a.example", "b.example"].map((name) => world.provider.state.zone(at(), name));
    await sync();
    world.provider.quirks.set("/zones", { totalCount: 9 });
    const broken = await sync();
    expect([broken.status, broken.body.ok, broken.body.error, broken.body.zones_synced]).to.deep.equal([200, false, "2 of 9", 0]);
    expect((await zones()).map(({ status }) => status)).to.deep.equal(["active", "active"]);
    expect(await world.stored("edge_accounts", account.id)).to.deep.include({ status: "active", last_error: "2 of 9" });
    world.provider.quirks.clear();

    world.provider.state.zones.splice(0, 1);
    expect((await sync()).body).to.include({ ok: true, zones_synced: 1, zones_matched: 0 });
    expect((await zones()).map(({ status, domain_id }) => [status, domain_id])).to.deep.equal([
      ["gone", domainId],
      ["active", null],
    ]);
    world.provider.state.zones.push(a as never);
    await sync();
    expect((await zones())[0]).to.include({ status: "active", domain_id: domainId });

    world.provider.state.zones.splice(world.provider.state.zones.indexOf(a as never), 1);
    await sync();
    const elsewhere = world.provider.state.account("Elsewhere");
    const moved = world.provider.state.zone(elsewhere.id, "a.example");
    const second = await world.account(tenant, { edge_account_id: elsewhere.id });
    expect((await sync(second.id)).body).to.include({ ok: true, zones_synced: 1, zones_matched: 1 });
    const linked = (await zones()).filter(({ domain_id }) => domain_id !== null);
    expect(linked.map(({ edge_zone_id, domain_id }) => [edge_zone_id, domain_id])).to.deep.equal([[moved.id, domainId]]);
    expect(b).not.to.equal(undefined);
  });

  it("leaves a link alone that a person made, and a domain that another zone claims", async () => {
    const [own, other] = [await world.domain(tenant, "a.example"), await world.domain(tenant, "other.example")];
    const zone = await world.zone(tenant, account, "a.example", { domain_id: other });
    world.provider.state.zone(at(), "other.example");
    await sync();
    expect((await zones()).map(({ name, domain_id }) => [name, domain_id])).to.deep.equal([
      ["a.example", other],
      ["other.example", null],
    ]);
    expect([own, zone.id]).to.have.length(2);
  });

  it("changes nothing when the first list fails, and says why", async () => {
    await world.zone(tenant, account, "a.example");
    world.provider.deny(/GET \/zones/);
    const { status, body } = await sync();
    expect([status, body.ok, body.registrar_read, body.zones_synced]).to.deep.equal([200, false, false, 0]);
    expect(body.error).to.equal("HTTP 403 (code 10000): Authentication error");
    expect(await world.stored("edge_accounts", account.id)).to.deep.include({ status: "active", last_error: body.error });
    expect((await zones()).map(({ status: said }) => said)).to.deep.equal(["active"]);
    world.provider.tokens.set(token, "revoked");
    const revoked = await sync();
    expect(await world.stored("edge_accounts", account.id)).to.deep.include({ status: "error", last_error: revoked.body.error });
    expect(revoked.text).not.to.include(token);
    world.provider.reset();
    world.provider.state.accounts.push({ id: at(), name: "Agency" });
    await sync();
    expect(await world.stored("edge_accounts", account.id)).to.deep.include({ status: "active", last_error: null });
  });

  it("finds the account where only one is visible, and says so where there are several", async () => {
    const unknown = await world.account(tenant, { edge_account_id: null });
    expect((await sync(unknown.id)).body.warnings).to.deep.equal([]);
    expect(await world.stored("edge_accounts", unknown.id)).to.include({ edge_account_id: at(), edge_account_name: "Agency" });
    world.provider.state.account("Another");
    const ambiguous = await world.account(tenant, { edge_account_id: null });
    expect((await sync(ambiguous.id)).body).to.deep.include({ ok: true, warnings: ["no_account_id"], registrar_read: false });
  });

  it("adopts hostnames under the most specific domain, and reports those no longer served", async () => {
    const [apex, sub] = [await world.domain(tenant, "a.example"), await world.domain(tenant, "shop.a.example")];
    const project = world.provider.state.project(at(), "site", [
      "a.example",
      "www.shop.a.example",
      "elsewhere.example",
      "nota.example",
    ]);
    const first = await sync();
    expect(first.body).to.deep.include({
      pages_projects_synced: 1,
      pages_domains_synced: 5,
      pages_links_matched: 2,
      pages_links_adopted: 2,
      pages_links_missing: 0,
    });
    expect((await links()).map(({ hostname, domain_id }) => [hostname, domain_id])).to.deep.equal([
      ["a.example", apex],
      ["www.shop.a.example", sub],
    ]);
    project.hostnames.delete("a.example");
    expect((await sync()).body).to.deep.include({ pages_links_matched: 1, pages_links_adopted: 0, pages_links_missing: 1 });
    const [{ missing_at }] = await links();
    expect(missing_at).not.to.equal(null);
    await sync();
    expect((await links())[0].missing_at, "the first time is kept").to.deep.equal(missing_at);
    project.hostnames.set("a.example", "active");
    await sync();
    expect((await links())[0].missing_at).to.equal(null);

    world.provider.state.projects.length = 0;
    expect((await sync()).body).to.deep.include({ pages_projects_synced: 0, pages_links_missing: 2 });
    expect((await tenant.owner.get("/edge/pages/projects")).body).to.deep.equal([]);
    world.provider.state.projects.push(project);
    await sync();
    expect(
      (await tenant.owner.get("/edge/pages/projects")).body.map(({ hostnames }: { hostnames: string[] }) => hostnames),
    ).to.deep.equal([["a.example", "www.shop.a.example"]]);
  });

  it("reads project by project if the list does not name their hostnames", async () => {
    await world.domain(tenant, "a.example");
    world.provider.state.project(at(), "hidden", ["a.example"], true);
    expect((await sync()).body).to.deep.include({ pages_domains_synced: 1, pages_links_adopted: 1, warnings: [] });
    expect(world.provider.calls()).to.include(`GET /accounts/${at()}/pages/projects/hidden/domains?page=1&per_page=10`);
  });

  it("stops asking after a hundred projects and does not judge the others", async () => {
    await world.domain(tenant, "a.example");
    for (let n = 0; n <= 100; n++)
      world.provider.state.project(at(), `p${String(n).padStart(3, "0")}`, [`h${n}.a.example`], true);
    expect((await sync()).body).to.deep.include({
      pages_projects_synced: 101,
      pages_domains_synced: 100,
      warnings: ["pages_domains_truncated"],
    });
    await service.sql.query(
      `insert into edge_page_links (id, organisation_id, project_id, domain_id, hostname)
       select gen_random_uuid(), p.organisation_id, p.id, d.id, 'h100.a.example' from edge_projects p
         join domains d on d.organisation_id = p.organisation_id where p.organisation_id = $1 and p.name = 'p100'`,
      [tenant.organisation.id],
    );
    await sync();
    expect((await links()).filter(({ missing_at }) => missing_at !== null)).to.deep.equal([]);
  });

  it("reads registered domains, under either spelling, and marks missing ones as gone", async () => {
    const domainId = await world.domain(tenant, "a.example");
    const { state } = world.provider;
    world.provider.quirks.set(`/accounts/${at()}/registrar/domains`, { isSinglePage: true });
    state.registration(at(), "A.example", { current_registrar: "CloudFlare, Inc." });
    state.registration(at(), "b.example", {
      name: undefined,
      domain_name: "b.example",
      current_registrar: "Other",
      expires_at: "soon",
    });
    state.registration(at(), "c.example", {
      name: undefined,
      domain: "c.example",
      current_registrar: undefined,
      auto_renew: undefined,
    });
    state.registration(at(), "none", { name: undefined });
    expect((await sync()).body).to.deep.include({
      registrar_read: true,
      registrar_domains_synced: 3,
      registrar_domains_at_edge: 1,
      registrar_domains_matched: 1,
      warnings: [],
    });
    const stored = () =>
      rows(
        "select name, domain_id, at_provider, expires_at, auto_renew, registry_statuses, gone from edge_registrations where organisation_id = $1 order by name",
      );
    expect(
      (await stored()).map(({ name, at_provider, expires_at, auto_renew }) => [name, at_provider, expires_at, auto_renew]),
    ).to.deep.equal([
      ["a.example", true, "2027-03-01T00:00:00+00:00", true],
      ["b.example", false, null, true],
      ["c.example", false, "2027-03-01T00:00:00+00:00", null],
    ]);
    expect((await stored())[0]).to.deep.include({ domain_id: domainId, registry_statuses: ["ok", "serverTransferProhibited"] });
    const read = (await world.stored("edge_accounts", account.id))["registrations_read_at"];
    expect(read).not.to.equal(null);
    state.registrations.splice(0, 1);
    await sync();
    expect((await stored())[0]).to.include({ name: "a.example", gone: true, at_provider: false, domain_id: domainId });
  });

  it("keeps a part as it was when that part fails, and syncs the rest", async () => {
    world.provider.state.project(at(), "site", []);
    world.provider.state.registration(at(), "a.example");
    await sync();
    const read = (await world.stored("edge_accounts", account.id))["registrations_read_at"];
    world.provider.state.projects.length = 0;
    world.provider.state.registrations.length = 0;
    world.provider.deny(/pages|registrar/);
    const { body } = await sync();
    expect([body.ok, body.registrar_read, body.warnings]).to.deep.equal([
      true,
      false,
      ["HTTP 403 (code 10000): Authentication error", "HTTP 403 (code 10000): Authentication error"],
    ]);
    expect(await rows("select 1 from edge_projects where organisation_id = $1 and not gone")).to.have.length(1);
    expect(await rows("select 1 from edge_registrations where organisation_id = $1 and not gone")).to.have.length(1);
    expect((await world.stored("edge_accounts", account.id))["registrations_read_at"], "no authority").to.deep.equal(read);
  });

  it("joins a sync that is under way: one reads, all who asked get its answer", async () => {
    world.provider.state.zone(at(), "a.example");
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const end = world.provider.failWhen(({ path }) => path.endsWith("/zones"), { kind: "wait", until: held });
    const asked = [sync()];
    await until(() => world.provider.calls().length > 0);
    // All have asked before it ends.
    const row: [string, string[]] = ["select 1 from edge_accounts where id = $1 for update", [account.id]];
    asked.push(...(await abreast(service.database.owner, row, [sync, sync, sync])));
    release();
    end();
    const answers = await Promise.all(asked);
    for (const { status, body } of answers) expect([status, body]).to.deep.equal([200, answers[0]?.body]);
    expect(world.provider.calls().filter((call) => call.startsWith("GET /zones"))).to.have.length(1);
    expect(await world.stored("edge_accounts", account.id)).to.include({ sync_asked: 1, sync_ended: 1 });
    await settled(service);
  });

  it("waits as long as the provider asks within a minute, and gives up beyond it", async () => {
    world.provider.state.zone(at(), "a.example");
    world.provider.fail({ kind: "reply", status: 429, headers: { "Retry-After": "1" } });
    const began = Date.now();
    expect((await sync()).body.ok).to.equal(true);
    expect(Date.now() - began).to.be.greaterThan(1000);
    world.provider.fail({ kind: "reply", status: 429, headers: { "Retry-After": "61" } });
    const { body } = await sync();
    expect(body.ok).to.equal(false);
    expect(body.error).to.match(/429.*61 s/);
  });
});
