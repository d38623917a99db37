import { expect } from "chai";
import { MARKER, ruleOf } from "../../../../../integrations/edge/redirects/rules/rule.ts";
import { invalidOn, refusalOf } from "../../../clients/companies/company-records.ts";
import { type AtEdge, type EdgeWorld, ENTRYPOINT, RECORDS, RULES, startEdge } from "./edge-redirects-world.ts";

const INTENT = {
  target_url: "https://nieuw.example",
  status_code: 301,
  preserve_path: true,
  preserve_query: true,
  include_subdomains: true,
};

describe("PUT /edge/domains/{domain_id}/redirect", () => {
  let world: EdgeWorld;
  let domain: AtEdge;
  before(async () => {
    world = await startEdge();
  });
  beforeEach(async () => {
    domain = await world.connected();
    world.edge.received.length = 0;
  });
  afterEach(() => expect(world.edge.complaints).to.deep.equal([]));
  after(() => world.stop());

  const rules = () => world.edge.redirects.rules(domain.zone.id);
  const stored = () => world.row("edge_redirects", domain.domainId, "domain_id");
  const sentRule = (change: object = {}) => {
    const { action, expression, action_parameters, description, enabled } = rules().at(-1) ?? {};
    expect({ action, expression, action_parameters, description, enabled }).to.deep.equal(
      ruleOf(domain.name, { ...INTENT, ...change }),
    );
  };

  it("makes the ruleset with its first rule, gives both hosts an origin, and has the domain say so", async () => {
    const { status, body, headers } = await domain.put();
    const { id, last_pushed_at, ...rest } = body;
    expect([status, rest]).to.deep.equal([
      200,
      {
        ...INTENT,
        zone_id: domain.zoneId,
        domain_id: domain.domainId,
        last_status: "active",
        last_error: null,
        last_checked_at: null,
      },
    ]);
    expect(headers["etag"]).to.match(/^"\d+"$/);
    expect(Date.now() - Date.parse(last_pushed_at)).to.be.within(-1000, 60_000);
    expect(world.writes()).to.deep.equal([`PUT ${ENTRYPOINT}`, `POST ${RECORDS}`, `POST ${RECORDS}`]);
    sentRule();
    expect(world.edge.state.records.filter(({ zone }) => zone === domain.zone.id)).to.containSubset([
      { type: "AAAA", name: domain.name, content: "100::", proxied: true, ttl: 1 },
      { type: "AAAA", name: `www.${domain.name}`, content: "100::", proxied: true, ttl: 1 },
    ]);
    expect(await stored()).to.include({ id, adopted: false, rule_id: rules()[0]?.id });
    expect(await world.row("domains", domain.domainId)).to.include({ status: "redirect", redirect_url: INTENT.target_url });
    const reported = { target: INTENT.target_url, status_code: 301, zone: domain.name };
    const lines = await world.trail(domain);
    expect(lines).to.deep.include(["edge.redirect_set", reported]);
    expect(lines).to.deep.include(["edge.origin_created", { hosts: [domain.name, `www.${domain.name}`] }]);
    const changes = { status: { from: "active", to: "redirect" }, redirect_url: { from: null, to: INTENT.target_url } };
    expect(lines).to.deep.include(["updated", { changes }]);
    expect(lines).to.have.length(3);
  });

  it("adds its rule behind those of others, and leaves them as they are", async () => {
    const other = world.edge.redirects.rule(domain.zone.id, { expression: 'http.host eq "shop.example"', description: "theirs" });
    const before = structuredClone(other);
    await domain.put({
      ...INTENT,
      status_code: 308,
      preserve_path: false,
      preserve_query: false,
      include_subdomains: false,
      ensure_origin: false,
    });
    expect(world.writes()).to.deep.equal([`POST ${RULES}`]);
    expect(rules().map(({ description }) => description)).to.deep.equal(["theirs", MARKER]);
    expect(rules()[0]).to.deep.equal(before);
    sentRule({ status_code: 308, preserve_path: false, preserve_query: false, include_subdomains: false });
  });

  it("changes the existing rule, even for an identical request", async () => {
    const { body: first } = await domain.put({ ...INTENT, ensure_origin: false });
    world.writes();
    const again = await domain.put({ ...INTENT, ensure_origin: false });
    expect(again.body.id).to.equal(first.id);
    expect(world.writes()).to.deep.equal([`PATCH ${RULES}/*`]);
    await domain.put({ target_url: "https://ander.example/x", status_code: 302, ensure_origin: false });
    expect(world.writes()).to.deep.equal([`PATCH ${RULES}/*`]);
    sentRule({ target_url: "https://ander.example/x", status_code: 302 });
    expect(rules()).to.have.length(1);
    expect((await world.trail(domain)).filter(([action]) => action === "edge.redirect_updated")).to.deep.equal([
      ["edge.redirect_updated", { target: INTENT.target_url, status_code: 301, zone: domain.name }],
      ["edge.redirect_updated", { target: "https://ander.example/x", status_code: 302, zone: domain.name }],
    ]);
  });

  it("keeps the stored subdomains value if the body has none", async () => {
    await domain.put({ ...INTENT, include_subdomains: false });
    expect(world.writes().filter((call) => call.endsWith(RECORDS))).to.have.length(1);
    expect((await domain.put({ target_url: "https://ander.example" })).body.include_subdomains).to.equal(false);
    sentRule({ target_url: "https://ander.example", include_subdomains: false });
    expect(
      (await domain.put({ target_url: "https://ander.example", include_subdomains: true })).body.include_subdomains,
    ).to.equal(true);
  });

  it("adopts a rule identical to its own, in any position, and writes nothing", async () => {
    const zone = domain.zone.id;
    world.edge.redirects.rule(zone, { ...ruleOf(domain.name, INTENT), description: "of a person" });
    const left = world.edge.redirects.rule(zone, ruleOf(domain.name, INTENT));
    const { body } = await domain.put({ ...INTENT, ensure_origin: false });
    expect(world.writes()).to.deep.equal([]);
    expect([body.last_status, (await stored())["rule_id"], (await stored())["adopted"]]).to.deep.equal([
      "active",
      left.id,
      false,
    ]);
    await domain.tenant.owner.delete(domain.at("redirect"));
    expect(rules().map(({ id }) => id)).not.to.include(left.id);
  });

  const different: [what: string, change: object][] = [
    ["is disabled", { enabled: false }],
    ["is described otherwise", { description: "x" }],
    ["has another code", { action_parameters: ruleOf("x", { ...INTENT, status_code: 302 }).action_parameters }],
  ];
  for (const [what, change] of different)
    it(`creates its own next to a rule that ${what}`, async () => {
      world.edge.redirects.rule(domain.zone.id, { ...ruleOf(domain.name, INTENT), ...change });
      await domain.put({ ...INTENT, ensure_origin: false });
      expect(world.writes()).to.deep.equal([`POST ${RULES}`]);
    });

  it("makes another where its rule is gone", async () => {
    await domain.put({ ...INTENT, ensure_origin: false });
    rules().length = 0;
    await domain.check();
    expect((await domain.status()).body.redirect.last_status).to.equal("missing");
    world.writes();
    expect((await domain.put({ ...INTENT, ensure_origin: false })).body.last_status).to.equal("active");
    expect(world.writes()).to.deep.equal([`POST ${RULES}`]);
  });

  describe("the origin", () => {
    it("is made only where nothing proxied is there", async () => {
      const zone = domain.zone.id;
      world.edge.state.record(zone, { type: "CNAME", name: domain.name, content: "x.example", proxied: true });
      world.edge.state.record(zone, { type: "A", name: `www.${domain.name}`, content: "192.0.2.1", proxied: false });
      expect((await domain.put()).body.last_error).to.equal(null);
      expect(await world.trail(domain)).to.deep.include(["edge.origin_created", { hosts: [`www.${domain.name}`] }]);
      world.writes();
      await domain.put();
      expect(world.writes()).to.deep.equal([`PATCH ${RULES}/*`]);
    });

    it("can be refused: the redirect exists, with the provider's message, and the account stays healthy", async () => {
      world.edge.state.record(domain.zone.id, { type: "CNAME", name: `www.${domain.name}`, content: "x.example" });
      const { status, body } = await domain.put();
      expect([status, body.last_status]).to.deep.equal([200, "active"]);
      expect(body.last_error).to.match(/^HTTP 400 \(code 81053\)/);
      expect(await world.row("edge_accounts", domain.accountId)).to.include({ status: "active", last_error: null });
      expect(await world.trail(domain)).to.deep.include(["edge.origin_created", { hosts: [domain.name] }]);
      world.edge.state.records.length = 0;
      expect((await domain.put()).body.last_error).to.equal(null);
    });

    it("is not made outside of the zone: the provider would make another host of it", async () => {
      domain = await world.connected({ zoneName: "elders.example" });
      expect((await domain.put()).body.last_error).to.equal(`${domain.name} is not in the zone elders.example`);
      expect(world.writes()).to.deep.equal([`PUT ${ENTRYPOINT}`]);
    });

    it("is left alone unless requested", async () => {
      await domain.put({ ...INTENT, ensure_origin: false });
      expect(world.edge.calls().filter((call) => call.includes("dns_records"))).to.deep.equal([]);
    });
  });

  describe("refuses", () => {
    const bodies: [what: string, body: object, fields: Record<string, string>][] = [
      ["no target", {}, { target_url: "errors.required" }],
      ["a target that is no address", { target_url: "nieuw.example" }, { target_url: "errors.edge_target_absolute" }],
      [
        "a target without a scheme of the web",
        { target_url: "ftp://nieuw.example" },
        { target_url: "errors.edge_target_absolute" },
      ],
      ["a script", { target_url: "javascript:alert(1)" }, { target_url: "errors.validation" }],
      [
        "a target of 2,049 characters",
        { target_url: `https://x.example/${"y".repeat(2031)}` },
        { target_url: "errors.validation" },
      ],
      ["a code that there is not", { ...INTENT, status_code: 303 }, { status_code: "errors.validation" }],
      ["a flag that is none", { ...INTENT, preserve_path: "maybe" }, { preserve_path: "errors.validation" }],
    ];
    for (const [what, body, fields] of bodies)
      it(`${what}, before any call`, async () => {
        expect(refusalOf(await domain.put(body))).to.deep.equal(invalidOn(fields));
        expect(world.edge.received).to.deep.equal([]);
      });

    it("a redirect that leads back, before any call", async () => {
      const refused = [422, "edge_redirect_loop", { target_url: "errors.edge_redirect_loop" }];
      expect(refusalOf(await domain.put({ target_url: `https://${domain.name}/x` }))).to.deep.equal(refused);
      expect(refusalOf(await domain.put({ target_url: `https://www.${domain.name}` }))).to.deep.equal(refused);
      expect(world.edge.received).to.deep.equal([]);
      const below = { target_url: `https://www.${domain.name}`, include_subdomains: false };
      expect((await domain.put(below)).status).to.equal(200);
      expect(refusalOf(await domain.put({ ...below, include_subdomains: true }))).to.deep.equal(refused);
    });

    it("a domain that is not there, or not the caller's", async () => {
      const other = await world.connected();
      const put = (id: string) => domain.tenant.owner.put(`/edge/domains/${id}/redirect`, INTENT);
      expect((await put(other.domainId)).status).to.equal(404);
      expect((await put("0197e9b0-0000-7000-8000-000000000000")).status).to.equal(404);
      expect((await put("x")).status).to.equal(422);
    });

    it("a domain without a zone, or with one that is gone", async () => {
      await world.service.sql.query("update edge_zones set status = 'gone' where id = $1", [domain.zoneId]);
      expect(refusalOf(await domain.put())).to.deep.equal([409, "edge_not_connected", null]);
      await world.service.sql.query("delete from edge_zones where id = $1", [domain.zoneId]);
      expect(refusalOf(await domain.put())).to.deep.equal([409, "edge_not_connected", null]);
      expect(world.edge.received).to.deep.equal([]);
    });

    it("those who may only read at the edge", async () => {
      const reader = await domain.tenant.member("member", { grants: ["edge.dns.read", "domains.domain.write"] });
      expect((await domain.put(undefined, reader)).status).to.equal(403);
      const manager = await domain.tenant.member("member", { grants: ["edge.zone.manage"] });
      expect((await domain.put(undefined, manager)).status).to.equal(200);
      expect(await world.row("domains", domain.domainId)).to.include({ status: "redirect" });
    });

    it("a state that has moved on, before any call", async () => {
      const put = (ifMatch: string) =>
        domain.tenant.owner.put(domain.at("redirect"), { ...INTENT, ensure_origin: false }, { headers: { "If-Match": ifMatch } });
      expect((await put('"1"')).status).to.equal(412);
      expect((await put("*")).status).to.equal(412);
      expect(world.edge.received).to.deep.equal([]);
      const { headers } = await domain.put();
      expect((await put(headers["etag"] as string)).status).to.equal(200);
      world.edge.received.length = 0;
      expect((await put(headers["etag"] as string)).status).to.equal(412);
      expect(world.edge.received).to.deep.equal([]);
    });
  });

  it("makes one rule for callers at the same moment", async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) => domain.put({ target_url: `https://n${n}.example`, ensure_origin: true })),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    expect(rules()).to.have.length(1);
    expect(new Set(answers.map(({ body }) => body.id))).to.have.length(1);
    expect(world.edge.state.records.filter(({ zone }) => zone === domain.zone.id)).to.have.length(2);
    const { target_url } = await stored();
    sentRule({ target_url });
    expect(
      (await world.service.sql.query("select 1 from edge_zone_leases where zone_id = $1", [domain.zoneId])).rows,
    ).to.deep.equal([]);
  });
});
