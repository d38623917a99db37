import { expect } from "chai";
import { until } from "../../../support/jobs.ts";
import type { Tenant, TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf, trailOf } from "../../clients/companies/company-records.ts";
import { type Account, type EdgeWorld, startEdge } from "./edge-world.ts";

describe("/edge/pages", () => {
  let world: EdgeWorld;
  let service: TestService;
  let tenant: Tenant;
  let account: Account;
  let domainId: string;
  let projectId: string;
  before(async () => {
    world = await startEdge();
    ({ service } = world);
  });
  beforeEach(async () => {
    world.provider.reset();
    tenant = await service.tenant();
    account = await world.account(tenant);
    domainId = await world.domain(tenant, "a.example");
    world.provider.state.project(at(), "site", []);
    await tenant.owner.post(`/edge/accounts/${account.id}/sync`);
    projectId = (await tenant.owner.get("/edge/pages/projects")).body[0].id;
    world.provider.received.length = 0;
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const at = () => account.edge_account_id as string;
  const link = (values: object = {}) =>
    tenant.owner.post(`/edge/domains/${domainId}/pages`, { project_id: projectId, ...values });
  const hostnames = () => [...(world.provider.state.projects[0]?.hostnames.keys() ?? [])];
  const withZone = () => world.zone(tenant, account, "a.example", { domain_id: domainId });
  const lines = async () => (await trailOf(service.sql, "domain", domainId)).map(({ action, payload }) => [action, payload]);

  it("lists the stored projects with the hostnames a caller sees", async () => {
    await link();
    const theirs = await world.domain(tenant, "theirs.example");
    await service.sql.query(
      `insert into edge_page_links (id, organisation_id, project_id, domain_id, hostname)
       values (gen_random_uuid(), $1, $2, $3, 'theirs.example'), (gen_random_uuid(), $1, $2, $3, 'www.theirs.example')`,
      [tenant.organisation.id, projectId, theirs],
    );
    await service.sql.query("update edge_page_links set missing_at = now() where hostname = 'www.theirs.example'");
    const { body } = await tenant.owner.get("/edge/pages/projects");
    expect(body).to.deep.equal([
      {
        id: projectId,
        account_id: account.id,
        account_name: account.name,
        name: "site",
        subdomain: "site.pages.example",
        production_branch: "main",
        hostnames: ["a.example", "theirs.example"],
      },
    ]);
    expect((await tenant.owner.get(`/edge/pages/projects?account_id=${crypto.randomUUID()}`)).body).to.deep.equal([]);
  });

  it("registers the apex and points DNS at the project if no record exists there", async () => {
    const zone = await withZone();
    const { status, body } = await link();
    expect(status).to.equal(201);
    expect(body).to.deep.include({
      project_id: projectId,
      project_name: "site",
      domain_id: domainId,
      hostname: "a.example",
      status: "initializing",
      last_error: null,
      discovered_at: null,
      missing_at: null,
    });
    expect(
      world.provider.state.records.map(({ zone: z, type, name, content, proxied, ttl }) => [
        z,
        type,
        name,
        content,
        proxied,
        ttl,
      ]),
    ).to.deep.equal([[zone.edgeId, "CNAME", "a.example", "site.pages.example", true, 1]]);
    expect(await lines()).to.deep.equal([["edge.pages_linked", { project: "site", hostname: "a.example" }]]);
  });

  it("leaves DNS alone where any record has the hostname, and where the zone is elsewhere", async () => {
    const elsewhere = await link({ hostname: "WWW.a.example." });
    expect([elsewhere.status, elsewhere.body.hostname]).to.deep.equal([201, "www.a.example"]);
    const zone = await withZone();
    world.provider.state.record(zone.edgeId, { type: "TXT", name: "a.example", content: '"x"' });
    expect((await link()).status).to.equal(201);
    expect(world.provider.state.records).to.have.length(1);
  });

  it("leaves DNS alone where the zone of the domain has another name, in which the hostname would be another one", async () => {
    await world.zone(tenant, account, "elsewhere.example", { domain_id: domainId });
    for (const hostname of ["a.example", "www.a.example"]) {
      const { status, body } = await link({ hostname });
      expect([status, body.last_error]).to.deep.equal([201, `${hostname} is not in the zone elsewhere.example`]);
    }
    expect(world.provider.state.records).to.deep.equal([]);
    expect(hostnames()).to.deep.equal(["a.example", "www.a.example"]);
  });

  for (const hostname of ["b.example", "nota.example", "a.example.b", "x y.a.example"])
    it(`refuses '${hostname}'`, async () => {
      expect(refusalOf(await link({ hostname }))).to.deep.equal(invalidOn({ hostname: "errors.edge_hostname_not_in_domain" }));
      expect(world.provider.received).to.deep.equal([]);
    });

  it("needs the id of the account, and a project that is there", async () => {
    await tenant.owner.patch(`/edge/accounts/${account.id}`, { edge_account_id: "" });
    expect(refusalOf(await link())).to.deep.equal([409, "edge_pages_unavailable", null]);
    expect((await link({ project_id: crypto.randomUUID() })).status).to.equal(404);
    expect(world.provider.received).to.deep.equal([]);
  });

  it("keeps the link when DNS fails, with the reason, and tries DNS alone with the same call", async () => {
    await withZone();
    const deny = world.provider.failWhen(({ path }) => path.includes("dns_records"), {
      kind: "reply",
      status: 403,
      body: '{"success":false,"errors":[{"code":10000,"message":"Authentication error"}]}',
    });
    const first = await link();
    expect([first.status, first.body.last_error]).to.deep.equal([201, "HTTP 403 (code 10000): Authentication error"]);
    expect(await world.stored("edge_accounts", account.id)).to.include({ status: "active", last_error: null });
    deny();
    world.provider.received.length = 0;
    const again = await link();
    expect([again.status, again.body.id, again.body.last_error, again.body.status]).to.deep.equal([
      201,
      first.body.id,
      null,
      "initializing",
    ]);
    expect(world.provider.calls().filter((call) => call.startsWith("POST"))).to.have.length(1);
    expect(world.provider.state.records).to.have.length(1);
    expect(await lines()).to.have.length(1);
  });

  it("takes the project's word that it has the hostname already", async () => {
    world.provider.state.projects[0]?.hostnames.set("a.example", "active");
    expect((await link()).status).to.equal(201);
    expect(hostnames()).to.deep.equal(["a.example"]);
  });

  it("is refused by name when the provider refuses it, and keeps nothing", async () => {
    world.provider.deny(/POST .*pages/);
    expect(refusalOf(await link())).to.deep.equal([409, "edge_scope_missing", null]);
    expect((await service.sql.query("select 1 from edge_page_links where domain_id = $1", [domainId])).rows).to.deep.equal([]);
    expect((await world.stored("edge_accounts", account.id))["last_error"]).to.match(/^HTTP 403/);
  });

  it("does not take a hostname from a domain that the caller does not see", async () => {
    const [mine, theirs] = [await tenant.company(), await tenant.company()];
    domainId = await world.domain(tenant, "mine.example", mine.id);
    const other = await world.domain(tenant, "shop.mine.example", theirs.id);
    const { body } = await tenant.owner.post(`/edge/domains/${other}/pages`, { project_id: projectId });
    const restricted = await tenant.member("admin");
    await tenant.group("some", [mine.id], [restricted.membershipId]);
    world.provider.received.length = 0;
    const values = { project_id: projectId, hostname: "shop.mine.example" };
    expect((await restricted.post(`/edge/domains/${domainId}/pages`, values)).status).to.equal(404);
    expect(world.provider.received).to.deep.equal([]);
    expect(await world.stored("edge_page_links", body.id)).to.include({ domain_id: other });
    expect((await restricted.post(`/edge/domains/${domainId}/pages`, { ...values, hostname: "mine.example" })).status).to.equal(
      201,
    );
    expect((await link(values)).body).to.include({ id: body.id, domain_id: domainId });
  });

  it("is linked once by two calls at a time, without an error of the second", async () => {
    await withZone();
    const released = Promise.withResolvers<void>();
    const isList = ({ method, path }: { method: string; path: string }) => method === "GET" && path.endsWith("/dns_records");
    const stop = world.provider.failWhen(isList, { kind: "wait", until: released.promise });
    const calls = [link(), link()].map((call) => Promise.resolve(call));
    await until(() => world.provider.received.filter(isList).length === 2);
    stop();
    released.resolve();
    for (const { status, body } of await Promise.all(calls)) expect([status, body.last_error]).to.deep.equal([201, null]);
    expect(world.provider.state.records).to.have.length(1);
  });

  it("registers a missing hostname again", async () => {
    const { body } = await link();
    world.provider.state.projects[0]?.hostnames.clear();
    await service.sql.query("update edge_page_links set missing_at = now() where id = $1", [body.id]);
    const again = await link();
    expect([again.body.id, again.body.missing_at]).to.deep.equal([body.id, null]);
    expect(hostnames()).to.deep.equal(["a.example"]);
  });

  it("is unlinked without touching DNS, also where the provider has it no more", async () => {
    await withZone();
    for (const isThere of [true, false]) {
      const { body } = await link();
      if (!isThere) world.provider.state.projects[0]?.hostnames.clear();
      expect((await tenant.owner.delete(`/edge/pages/links/${body.id}`)).status).to.equal(204);
      expect(hostnames()).to.deep.equal([]);
      expect(world.provider.state.records).to.have.length(1);
      expect((await tenant.owner.delete(`/edge/pages/links/${body.id}`)).status).to.equal(404);
    }
    expect((await lines()).at(-1)).to.deep.equal(["edge.pages_unlinked", { project: "site", hostname: "a.example" }]);
  });
});
