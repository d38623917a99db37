import { domainToASCII } from "node:url";
import { expect } from "chai";
import type { Caller, Tenant, TestService } from "../../../support/service.ts";
import { refusalOf, trailOf } from "../../clients/companies/company-records.ts";
import { type Account, type EdgeWorld, startEdge } from "./edge-world.ts";

describe("/edge/zones and connecting", () => {
  let world: EdgeWorld;
  let service: TestService;
  let tenant: Tenant;
  let account: Account;
  before(async () => {
    world = await startEdge();
    ({ service } = world);
  });
  beforeEach(async () => {
    world.provider.reset();
    tenant = await service.tenant();
    account = await world.account(tenant);
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const zones = (query = "", caller: Caller = tenant.owner) => caller.get(`/edge/zones${query}`);
  const connect = (id: string, body: object = {}) => tenant.owner.post(`/edge/domains/${id}/connect`, body);
  const names = async (query = "", caller?: Caller) =>
    (await zones(query, caller)).body.items.map(({ name }: { name: string }) => name);
  const at = () => account.edge_account_id as string;
  const created = () => world.provider.calls().filter((call) => call.startsWith("POST "));

  /** Someone who sees the clients given, and may do everything at the edge. */
  async function restricted(...companies: string[]): Promise<Caller> {
    const caller = await tenant.member("member", { grants: ["edge.dns.read", "edge.zone.manage"] });
    await tenant.group(`group ${Math.random()}`, companies, [caller.membershipId]);
    await service.sql
      .query("update memberships set restrict_to_groups = true where id = $1", [caller.membershipId])
      .catch(() => {});
    return caller;
  }

  describe("GET /edge/zones", () => {
    it("lists by name with filters, in one statement on zones and without any call", async () => {
      const domainId = await world.domain(tenant, "b.example");
      await world.zone(tenant, account, "b.example", { domain_id: domainId, paused: null, name_servers: null });
      await world.zone(tenant, account, "a.example", { status: "gone" });
      const other = await world.account(tenant);
      await world.zone(tenant, other, "c.example");
      const { body, headers } = await zones();
      expect([body.total, body.items.map(({ name }: { name: string }) => name)]).to.deep.equal([
        3,
        ["a.example", "b.example", "c.example"],
      ]);
      expect(body.items[1]).to.deep.include({
        account_name: account.name,
        domain_id: domainId,
        domain_name: "b.example",
        paused: false,
        name_servers: [],
      });
      expect(Number(headers["x-statements"])).to.be.at.most(2);
      expect(await names(`?account_id=${other.id}`)).to.deep.equal(["c.example"]);
      expect(await names(`?domain_id=${domainId}`)).to.deep.equal(["b.example"]);
      expect(await names("?linked=true")).to.deep.equal(["b.example"]);
      expect(await names("?linked=false")).to.deep.equal(["a.example", "c.example"]);
      expect(await names("?q=C.EX")).to.deep.equal(["c.example"]);
      expect(await names("?q=%25")).to.deep.equal([]);
      expect(await names("?limit=1&offset=1")).to.deep.equal(["b.example"]);
      expect(world.provider.received).to.deep.equal([]);
    });

    it("takes as many statements for 300 as for 3", async () => {
      const count = async () => Number((await zones("?limit=200")).headers["x-statements"]);
      await world.zone(tenant, account, "a.example");
      const few = await count();
      await service.sql.query(
        `insert into edge_zones (id, organisation_id, account_id, edge_zone_id, name, status)
         select gen_random_uuid(), $1, $2, 'z' || n, n || '.example', 'active' from generate_series(1, 300) n`,
        [tenant.organisation.id, account.id],
      );
      expect(await count()).to.equal(few);
    });

    it("shows a restricted caller the zones of its clients and unlinked ones", async () => {
      const [mine, theirs] = [await tenant.company(), await tenant.company()];
      for (const [name, company] of [
        ["mine.example", mine],
        ["theirs.example", theirs],
      ] as const)
        await world.zone(tenant, account, name, { domain_id: await world.domain(tenant, name, company.id) });
      await world.zone(tenant, account, "none.example");
      const caller = await restricted(mine.id);
      expect(await names("", caller)).to.deep.equal(["mine.example", "none.example"]);
    });
  });

  it("finds an international zone by its name in Unicode and in ASCII, synced or connected", async () => {
    world.provider.state.zone(at(), "grüne-äpfel.example");
    await tenant.owner.post(`/edge/accounts/${account.id}/sync`);
    await connect(await world.domain(tenant, domainToASCII("blaue-bären.example")));
    for (const [q, name] of [
      ...["äpfel", "grune", "GRÜNE-ÄPFEL.example", "xn--grne-pfel"].map((word) => [word, "grüne-äpfel.example"] as const),
      ...["Bären", "blaue baren", "XN--BLAUE"].map((word) => [word, "blaue-bären.example"] as const),
    ]) {
      const { body } = await tenant.owner.get(`/edge/zones?q=${encodeURIComponent(q)}`);
      expect(
        body.items.map((zone: { name: string }) => zone.name),
        q,
      ).to.deep.equal([domainToASCII(name)]);
    }
  });

  describe("linking", () => {
    it("lets a zone serve a domain of another name, and none again", async () => {
      const [one, two] = [await world.domain(tenant, "one.example"), await world.domain(tenant, "two.example")];
      const zone = await world.zone(tenant, account, "zone.example");
      const linked = await tenant.owner.post(`/edge/zones/${zone.id}/link`, { domain_id: one });
      expect([linked.status, linked.body.domain_id]).to.deep.equal([200, one]);
      const other = await world.zone(tenant, account, "other.example");
      expect(refusalOf(await tenant.owner.post(`/edge/zones/${other.id}/link`, { domain_id: one }))).to.deep.equal([
        409,
        "edge_domain_already_linked",
        null,
      ]);
      await tenant.owner.post(`/edge/zones/${zone.id}/link`, { domain_id: two });
      const unlinked = await tenant.owner.delete(`/edge/zones/${zone.id}/link`);
      expect([unlinked.status, unlinked.body.domain_id]).to.deep.equal([200, null]);
      const lines = async (id: string) =>
        (await trailOf(service.sql, "domain", id)).map(({ action, payload }) => [action, payload]);
      const said = [
        ["edge.zone_linked", { zone: "zone.example" }],
        ["edge.zone_unlinked", { zone: "zone.example" }],
      ];
      expect([await lines(one), await lines(two)]).to.deep.equal([said, said]);
      expect((await tenant.owner.post(`/edge/zones/${zone.id}/link`, { domain_id: crypto.randomUUID() })).status).to.equal(404);
      expect(world.provider.received).to.deep.equal([]);
    });
  });

  describe("POST /edge/domains/{domain_id}/connect", () => {
    it("gives the zone that is linked without a call", async () => {
      const domainId = await world.domain(tenant, "a.example");
      const zone = await world.zone(tenant, account, "zone.example", { domain_id: domainId });
      const { status, body } = await connect(domainId);
      expect([status, body.id]).to.deep.equal([200, zone.id]);
      expect(world.provider.received).to.deep.equal([]);
    });

    it("takes the zone that is at the provider, and only one of exactly that name", async () => {
      const domainId = await world.domain(tenant, "a.example");
      const there = world.provider.state.zone(at(), "a.example", { status: "pending" });
      const { status, body } = await connect(domainId);
      expect([status, body.edge_zone_id, body.domain_id, body.status]).to.deep.equal([200, there.id, domainId, "pending"]);
      expect(world.provider.calls()).to.deep.equal(["GET /zones?name=a.example&per_page=50"]);
      const [line] = await trailOf(service.sql, "domain", domainId);
      expect([line?.action, line?.payload]).to.deep.equal([
        "edge.zone_connected",
        { zone: "a.example", account: account.name, nameservers: there.name_servers },
      ]);
    });

    it("creates a missing zone, unless disabled", async () => {
      const domainId = await world.domain(tenant, "new.example");
      expect(refusalOf(await connect(domainId, { create_if_missing: false }))).to.deep.equal([409, "edge_zone_not_found", null]);
      expect(created()).to.deep.equal([]);
      const { status, body } = await connect(domainId);
      expect([status, body.name, body.status, body.name_servers.length]).to.deep.equal([200, "new.example", "pending", 2]);
      expect(JSON.parse(world.provider.received.at(-1)?.body ?? "")).to.deep.equal({
        name: "new.example",
        account: { id: at() },
        type: "full",
        jump_start: false,
      });
      expect((await trailOf(service.sql, "domain", domainId))[0]?.action).to.equal("edge.zone_created");
    });

    it("cannot make a zone in an account without id", async () => {
      await tenant.owner.patch(`/edge/accounts/${account.id}`, { edge_account_id: "" });
      expect(refusalOf(await connect(await world.domain(tenant, "a.example")))).to.deep.equal([
        409,
        "edge_cannot_create_zone",
        null,
      ]);
    });

    it("chooses the account: the one named, that of the only candidate, or the only active one", async () => {
      const domainId = await world.domain(tenant, "a.example");
      const second = await world.account(tenant);
      const required = { account_id: "errors.required" };
      expect(refusalOf(await connect(domainId))).to.deep.equal([409, "edge_account_ambiguous", required]);
      expect((await connect(domainId, { account_id: crypto.randomUUID() })).status).to.equal(404);
      await tenant.owner.patch(`/edge/accounts/${second.id}`, { active: false });
      expect(refusalOf(await connect(domainId, { account_id: second.id }))).to.deep.equal([409, "edge_account_inactive", null]);
      await tenant.owner.patch(`/edge/accounts/${second.id}`, { active: true });
      const one = await world.zone(tenant, second, "a.example");
      const elsewhere = world.provider.state.account("Elsewhere");
      const two = await world.zone(tenant, { ...account, edge_account_id: elsewhere.id }, "a.example");
      expect(refusalOf(await connect(domainId))).to.deep.equal([409, "edge_zone_ambiguous", required]);
      await service.sql.query("update edge_zones set status = 'gone' where id = $1", [two.id]);
      const { body } = await connect(domainId);
      expect([body.id, body.account_id]).to.deep.equal([one.id, second.id]);
      for (const { id } of [account, second]) await tenant.owner.patch(`/edge/accounts/${id}`, { active: false });
      expect(refusalOf(await connect(await world.domain(tenant, "b.example")))).to.deep.equal([409, "edge_no_account", null]);
    });

    it("passes the link of a gone zone on, with the requested redirect", async () => {
      const domainId = await world.domain(tenant, "a.example");
      const gone = await world.zone(tenant, account, "a.example", { status: "gone", domain_id: domainId });
      world.provider.state.zones.length = 0;
      await service.sql.query(
        `insert into edge_redirects (id, organisation_id, zone_id, domain_id, target_url, status_code, preserve_path, preserve_query, include_subdomains)
         values (gen_random_uuid(), $1, $2, $3, 'https://x.example', 301, true, true, true)`,
        [tenant.organisation.id, gone.id, domainId],
      );
      const { body } = await connect(domainId);
      expect([body.id === gone.id, body.domain_id]).to.deep.equal([false, domainId]);
      expect((await world.stored("edge_zones", gone.id))["domain_id"]).to.equal(null);
      const { rows } = await service.sql.query("select zone_id from edge_redirects where domain_id = $1", [domainId]);
      expect(rows[0].zone_id).to.equal(body.id);
    });

    it("refuses a zone that serves another domain", async () => {
      const [one, other] = [await world.domain(tenant, "a.example"), await world.domain(tenant, "b.example")];
      await world.zone(tenant, account, "a.example", { domain_id: other });
      expect(refusalOf(await connect(one))).to.deep.equal([409, "edge_domain_already_linked", null]);
    });

    it("finds a zone whose creation lost its answer, and creates no second one", async () => {
      const domainId = await world.domain(tenant, "lost.example");
      world.provider.failWhen(({ method }) => method === "POST", { kind: "lose" });
      expect(refusalOf(await connect(domainId))).to.deep.equal([502, "edge_unreachable", null]);
      expect(created(), "a create is not repeated").to.have.length(1);
      const { status, body } = await connect(domainId);
      expect([status, body.name]).to.deep.equal([200, "lost.example"]);
      expect(world.provider.state.zones).to.have.length(1);
    });

    it("ends in one zone for five callers at once", async () => {
      const domainId = await world.domain(tenant, "race.example");
      const answers = await Promise.all(Array.from({ length: 5 }, () => connect(domainId)));
      for (const { status } of answers) expect(status).to.be.oneOf([200, 409]);
      expect((await connect(domainId)).status).to.equal(200);
      expect([world.provider.state.zones.length, (await zones()).body.total]).to.deep.equal([1, 1]);
    });

    it("hides domains that a restricted caller does not see", async () => {
      const [mine, theirs] = [await tenant.company(), await tenant.company()];
      const domainId = await world.domain(tenant, "theirs.example", theirs.id);
      const caller = await restricted(mine.id);
      expect((await caller.post(`/edge/domains/${domainId}/connect`, {})).status).to.equal(404);
      expect(world.provider.received).to.deep.equal([]);
    });
  });
});
