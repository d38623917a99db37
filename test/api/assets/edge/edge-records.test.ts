import { expect } from "chai";
import type { Tenant, TestService } from "../../../support/service.ts";
import { refusalOf, trailOf } from "../../clients/companies/company-records.ts";
import { type Account, type EdgeWorld, newToken, startEdge } from "./edge-world.ts";

describe("/edge/zones/{zone_id}/dns", () => {
  let world: EdgeWorld;
  let service: TestService;
  let tenant: Tenant;
  let account: Account;
  let token: string;
  let domainId: string;
  let zone: { id: string; edgeId: string };
  before(async () => {
    world = await startEdge();
    ({ service } = world);
  });
  beforeEach(async () => {
    world.provider.reset();
    tenant = await service.tenant();
    token = newToken();
    account = await world.account(tenant, { api_token: token });
    domainId = await world.domain(tenant, "a.example");
    zone = await world.zone(tenant, account, "a.example", { domain_id: domainId });
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const path = (rest = "") => `/edge/zones/${zone.id}/dns${rest}`;
  const A = { type: "a", name: "www.a.example", content: "192.0.2.1", proxied: true };
  const sent = () => JSON.parse(world.provider.received.at(-1)?.body ?? "{}");

  it("reads records live, page by page", async () => {
    for (let n = 0; n < 1_001; n++)
      world.provider.state.record(zone.edgeId, { type: "TXT", name: `t${n}.a.example`, content: `"${n}"` });
    const { status, body } = await tenant.owner.get(path());
    expect([status, body.zone_id, body.zone_name, body.records.length]).to.deep.equal([200, zone.id, "a.example", 1_001]);
    expect(body.records[0]).to.deep.equal({
      id: world.provider.state.records[0]?.id,
      type: "TXT",
      name: "t0.a.example",
      content: '"0"',
      ttl: 1,
      proxied: false,
      priority: null,
      comment: null,
    });
    expect(world.provider.calls()).to.have.length(2);
  });

  it("adds, changes and deletes a record, and writes each in the trail of the domain", async () => {
    const { status, body } = await tenant.owner.post(path(), A);
    expect([status, body.type, body.proxied, body.ttl]).to.deep.equal([201, "A", true, 1]);
    expect(sent()).to.deep.equal({ type: "A", name: "www.a.example", content: "192.0.2.1", ttl: 1, proxied: true });
    const changed = await tenant.owner.patch(path(`/${body.id}`), { ...A, content: "192.0.2.2", ttl: 300, comment: "ours" });
    expect([changed.status, changed.body.content, changed.body.comment]).to.deep.equal([200, "192.0.2.2", "ours"]);
    expect((await tenant.owner.delete(path(`/${body.id}`))).status).to.equal(204);
    expect(world.provider.state.records).to.deep.equal([]);
    const lines = (await trailOf(service.sql, "domain", domainId)).map(({ action, payload }) => [action, payload]);
    expect(lines).to.deep.equal([
      ["edge.dns_record_created", { zone: "a.example", type: "A", name: "www.a.example" }],
      ["edge.dns_record_updated", { zone: "a.example", type: "A", name: "www.a.example" }],
      ["edge.dns_record_deleted", { zone: "a.example", record_id: body.id }],
    ]);
    expect((await tenant.owner.delete(path(`/${body.id}`))).status, "gone is gone").to.equal(204);
  });

  for (const name of [" ", ".", " . "])
    it(`refuses the name '${name}' before any call`, async () => {
      const record = { ...A, name };
      for (const answer of [await tenant.owner.post(path(), record), await tenant.owner.patch(path("/some-record"), record)])
        expect(refusalOf(answer)).to.deep.equal([422, "validation", { name: "errors.validation" }]);
      expect(world.provider.received).to.deep.equal([]);
    });

  it("sends `proxied` only for A, AAAA and CNAME, and priority and comment only where they are set", async () => {
    await tenant.owner.post(path(), {
      type: "MX",
      name: "a.example",
      content: "mx.example",
      priority: 0,
      proxied: true,
      comment: "",
    });
    expect(sent()).to.deep.equal({ type: "MX", name: "a.example", content: "mx.example", ttl: 1, priority: 0 });
  });

  const refused: [what: string, values: object, field: string][] = [
    ["a ttl of 0", { ttl: 0 }, "ttl"],
    ["a ttl of 86401", { ttl: 86_401 }, "ttl"],
    ["a type of 17", { type: "x".repeat(17) }, "type"],
    ["no content", { content: "" }, "content"],
    ["a name of 254", { name: "x".repeat(254) }, "name"],
    ["a priority of 65536", { priority: 65_536 }, "priority"],
    ["a comment of 101", { comment: "x".repeat(101) }, "comment"],
  ];
  for (const [what, values, field] of refused)
    it(`refuses ${what} before any call`, async () => {
      expect(refusalOf(await tenant.owner.post(path(), { ...A, ...values }))).to.deep.equal([
        422,
        "validation",
        { [field]: "errors.validation" },
      ]);
      expect(world.provider.received).to.deep.equal([]);
    });

  it("exports as the provider's zone file, and as CSV", async () => {
    world.provider.state.record(zone.edgeId, { type: "A", name: "a.example", content: "192.0.2.1", proxied: true });
    world.provider.state.record(zone.edgeId, {
      type: "MX",
      name: "a.example",
      content: "mx, one",
      priority: 10,
      comment: 'a "b"',
    });
    const { body: bind } = await tenant.owner.get(path("/export"));
    expect([bind.filename, bind.content_type]).to.deep.equal(["a.example.zone", "text/plain"]);
    expect(bind.content).to.match(/^;; Domain: a\.example\.\n/);
    const { body: csv } = await tenant.owner.get(path("/export?format=csv"));
    expect(csv).to.deep.equal({
      filename: "a.example-dns.csv",
      content_type: "text/csv",
      content:
        'type,name,content,ttl,proxied,priority,comment\nA,a.example,192.0.2.1,1,true,,\nMX,a.example,"mx, one",1,false,10,"a ""b"""\n',
    });
    expect((await tenant.owner.get(path("/export?format=json"))).status).to.equal(422);
  });

  it("refuses a gone zone before any call, and one that is not there", async () => {
    await service.sql.query("update edge_zones set status = 'gone' where id = $1", [zone.id]);
    for (const answer of [
      await tenant.owner.get(path()),
      await tenant.owner.post(path(), A),
      await tenant.owner.get(path("/export")),
    ])
      expect(refusalOf(answer)).to.deep.equal([409, "edge_not_connected", null]);
    expect((await tenant.owner.get(`/edge/zones/${crypto.randomUUID()}/dns`)).status).to.equal(404);
    expect(world.provider.received).to.deep.equal([]);
  });

  const errors = (code: number | null, message = "no") =>
    JSON.stringify({ success: false, errors: [{ ...(code !== null && { code }), message }], result: null });
  const mapped: [status: number, code: number | null, error: string, isBroken: boolean, words?: string][] = [
    [400, 6003, "edge_token_rejected", true],
    [403, 6003, "edge_token_rejected", true],
    [401, null, "edge_token_rejected", true],
    ...[1000, 6111, 9103, 9106, 9107, 10000].map(
      (code) => [400, code, "edge_token_rejected", true] as [number, number, string, boolean],
    ),
    [403, 9109, "edge_token_ip_blocked", true, "Cannot use the access token from location: 192.0.2.1"],
    [401, 9109, "edge_token_ip_blocked", true, "Cannot use the access token from location: 192.0.2.1"],
    [403, 9109, "edge_token_rejected", true, "Invalid access token"],
    [403, 9109, "edge_scope_missing", false, "Unauthorized to access requested resource"],
    [401, 9109, "edge_scope_missing", false, "Unauthorized to access requested resource"],
    [400, 1061, "edge_zone_exists", false],
    [400, 1049, "edge_zone_not_found", false],
    [400, 81053, "edge_record_exists", false],
    [400, 81057, "edge_record_exists", false],
    [400, 81058, "edge_record_exists", false],
    [403, 10000, "edge_scope_missing", false],
    [403, null, "edge_scope_missing", false],
    [404, 81044, "edge_request_failed", false],
    [500, null, "edge_request_failed", false],
    [200, 7000, "edge_request_failed", false],
  ];
  for (const [status, code, error, isBroken, words = ""] of mapped)
    it(`turns HTTP ${status} with code ${code} (${words}) into ${error}, and keeps the provider's words on the account`, async () => {
      world.provider.failWhen(() => true, { kind: "reply", status, body: errors(code, `${words} said of ${token}`) });
      const answer = await tenant.owner.post(path(), A);
      expect(refusalOf(answer)).to.deep.equal([error.startsWith("edge_request") ? 502 : 409, error, null]);
      expect(answer.body.error.message).to.equal(`errors.${error}`);
      const stored = await world.stored("edge_accounts", account.id);
      expect(stored["status"]).to.equal(isBroken ? "error" : "active");
      expect(stored["last_error"]).to.match(/said of \*\*\*/);
      for (const text of [answer.text, String(stored["last_error"])]) expect(text).not.to.include(token);
      expect(world.provider.received, "a create is not repeated").to.have.length(1);
    });

  it("reports the provider's wait, if it names one", async () => {
    for (const [headers, details] of [
      [{ "Retry-After": "9" }, { retry_after_seconds: 9 }],
      [{}, undefined],
    ] as const) {
      world.provider.fail({ kind: "reply", status: 429, headers });
      const answer = await tenant.owner.get(path());
      expect([answer.status, answer.body.error.code, answer.body.error.details]).to.deep.equal([
        502,
        "edge_request_failed",
        details,
      ]);
    }
  });

  it("repeats a read, a change and a deletion once when the way there breaks, and a create never", async () => {
    const { id } = world.provider.state.record(zone.edgeId, { type: "A", name: "a.example", content: "192.0.2.1" });
    const tries: [what: string, call: () => ReturnType<typeof tenant.owner.get>, status: number, calls: number][] = [
      ["read", () => tenant.owner.get(path()), 200, 2],
      ["change", () => tenant.owner.patch(path(`/${id}`), { ...A, content: "192.0.2.3" }), 200, 2],
      ["create", () => tenant.owner.post(path(), { ...A, name: "x.a.example" }), 502, 1],
      ["delete", () => tenant.owner.delete(path(`/${id}`)), 204, 2],
    ];
    for (const [what, call, status, calls] of tries) {
      world.provider.received.length = 0;
      world.provider.fail({ kind: "lose" });
      expect((await call()).status, what).to.equal(status);
      expect(world.provider.received, what).to.have.length(calls);
    }
    expect((await tenant.owner.post(path(), { ...A, name: "x.a.example" })).body.error.code, "it is there").to.equal(
      "edge_record_exists",
    );
    expect(world.provider.state.records.filter(({ name }) => name === "x.a.example")).to.have.length(1);
  });

  it("adopts the record of a request whose answer was lost, under the same key alone", async () => {
    const bodies: object[] = [
      { ...A, name: "Löst", comment: "ours" },
      { type: "TXT", name: "@", content: '"v=spf1 -all"', ttl: 300 },
      { type: "CNAME", name: "c.a.example", content: "Target.Example" },
      { type: "MX", name: "a.example", content: "mx.a.example", priority: 10 },
      { type: "CAA", name: "a.example", content: '0 issue "ca.example"' },
    ];
    for (const [at, body] of bodies.entries()) {
      const headers = { "Idempotency-Key": `lost ${at}` };
      const before = world.provider.state.records.length;
      world.provider.fail({ kind: "lose" });
      expect((await tenant.owner.post(path(), body, { headers })).status).to.equal(502);
      expect((await tenant.owner.post(path(), body)).body.error.code).to.equal("edge_record_exists");
      const again = await tenant.owner.post(path(), body, { headers });
      expect([again.status, again.body.id], again.text).to.deep.equal([201, world.provider.state.records.at(-1)?.id]);
      const replayed = await tenant.owner.post(path(), body, { headers });
      expect([replayed.body, replayed.headers["idempotent-replayed"]]).to.deep.equal([again.body, "true"]);
      expect(world.provider.state.records).to.have.length(before + 1);
    }
    const lines = await trailOf(service.sql, "domain", domainId);
    expect(lines.map(({ action }) => action)).to.deep.equal(bodies.map(() => "edge.dns_record_created"));
  });

  it("adopts no record that differs from the request", async () => {
    const headers = { "Idempotency-Key": "differs" };
    world.provider.state.record(zone.edgeId, { type: "A", name: "www.a.example", content: "192.0.2.1", ttl: 300 });
    world.provider.fail({ kind: "drop" });
    expect((await tenant.owner.post(path(), A, { headers })).status).to.equal(502);
    expect((await tenant.owner.post(path(), A, { headers })).body.error.code).to.equal("edge_record_exists");
    expect((await trailOf(service.sql, "domain", domainId)).length).to.equal(0);
  });

  it("says that the provider cannot be reached", async () => {
    world.provider.failWhen(() => true, { kind: "drop" });
    expect(refusalOf(await tenant.owner.get(path()))).to.deep.equal([502, "edge_unreachable", null]);
    expect(await world.stored("edge_accounts", account.id)).to.include({ status: "active" });
  });
});
