import { expect } from "chai";
import { CAPABILITIES, type Capability, type InstanceNeed } from "../../../core/declare/instance.ts";
import { type LiveAction, liveActions } from "../../../mixins/live-registry.ts";
import { ADMIN_HOST, administrator, instanceClient, type SignedInAdministrator } from "../../support/instance/administrator.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

const NOBODY = "00000000-0000-7000-8000-000000000000";

describe("every action of the instance", () => {
  let service: TestService;
  let tenant: Tenant;
  let actions: (LiveAction & { instance: InstanceNeed; method: string; urlPath: string })[];
  const without = new Map<Capability, SignedInAdministrator>();
  let powerful: SignedInAdministrator;

  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    actions = liveActions(service.node.broker).filter(({ instance }) => instance !== undefined) as typeof actions;
    powerful = await administrator(service, CAPABILITIES);
    for (const missing of CAPABILITIES)
      without.set(
        missing,
        await administrator(
          service,
          CAPABILITIES.filter((one) => one !== missing),
        ),
      );
  });
  after(() => service.stop());

  const pathOf = ({ urlPath }: { urlPath: string }) => urlPath.replace(/:[a-z_]+/g, NOBODY);
  const bodyOf = ({ method }: { method: string }) => (method === "GET" || method === "DELETE" ? {} : { body: {} });
  const labelOf = ({ method, urlPath }: { method: string; urlPath: string }) => `${method} ${urlPath}`;

  it("is declared with a need, under /instance, and each capability is needed somewhere", () => {
    expect(actions.length).to.be.greaterThan(30);
    for (const action of actions) expect(action.urlPath, action.name).to.match(/^\/instance\//);
    const needed = new Set(actions.map(({ instance }) => instance));
    expect(CAPABILITIES.filter((one) => !needed.has(one))).to.deep.equal([]);
    const open = actions.filter(({ instance }) => instance === "nothing").map(labelOf);
    expect(open).to.deep.equal(["POST /instance/auth/login", "POST /instance/auth/verify"]);
  });

  it("does not exist on an organisation's host, for any caller", async () => {
    for (const action of actions) {
      const call = { host: tenant.host, ...bodyOf(action) };
      for (const credential of [{}, { key: tenant.owner.key }, { cookie: powerful.cookie }]) {
        const answer = await service.call(action.method, pathOf(action), { ...call, ...credential });
        expect([labelOf(action), answer.status]).to.deep.equal([labelOf(action), 404]);
      }
    }
  });

  it("answers 401 without a credential, and to credentials of organisations", async () => {
    for (const action of actions.filter(({ instance }) => instance !== "nothing"))
      for (const credential of [{}, { key: tenant.owner.key }, { cookie: `kantoor_session=${"0".repeat(64)}` }]) {
        const call = { host: ADMIN_HOST, ...bodyOf(action), ...credential };
        const { status, text } = await service.call(action.method, pathOf(action), call);
        expect([labelOf(action), status, text]).to.deep.equal([
          labelOf(action),
          401,
          '{"error":{"code":"unauthorized","message":"errors.unauthorized"}}',
        ]);
      }
  });

  it("answers 403 without its capability, before it reads the request", async () => {
    for (const action of actions) {
      const missing = without.get(action.instance as Capability);
      if (!missing) continue;
      const call = { host: ADMIN_HOST, cookie: missing.cookie, ...(action.method === "GET" ? {} : { body: "{unreadable" }) };
      const { status, text } = await service.call(action.method, pathOf(action), call);
      expect([labelOf(action), status, text]).to.deep.equal([
        labelOf(action),
        403,
        '{"error":{"code":"forbidden","message":"errors.forbidden"}}',
      ]);
    }
  });

  it("lets an administrator with all capabilities further than that", async () => {
    for (const action of actions.filter(({ instance }) => instance !== "nothing" && instance !== "administrator")) {
      const { status } = await service.call(action.method, pathOf(action), {
        host: ADMIN_HOST,
        cookie: powerful.cookie,
        ...bodyOf(action),
      });
      expect(status, labelOf(action)).to.be.oneOf([200, 404, 422]);
    }
  });

  it("is not in an organisation's document, and alone in that of its own host", async () => {
    const paths = async (host: string) => Object.keys((await service.call("GET", "//api/openapi.json", { host })).body.paths);
    expect((await paths(tenant.host)).filter((path) => path.startsWith("/instance"))).to.deep.equal([]);
    const own = await paths(ADMIN_HOST);
    expect(own.filter((path) => !path.startsWith("/instance/"))).to.deep.equal([]);
    expect(own).to.include("/instance/organisations/{organisation_id}");
  });

  it("has the host to itself: no route, page or tool of organisations", async () => {
    for (const path of ["/companies", "/auth/login", "/meta", "/users/me"])
      expect((await service.call("GET", path, { host: ADMIN_HOST, key: tenant.owner.key })).status, path).to.equal(404);
    for (const path of ["//account", "//forgot-password", "//mcp", "//", "//instance"])
      expect((await service.call("GET", path, { host: ADMIN_HOST })).status, path).to.equal(404);
    expect((await service.call("GET", "/health/ready", { host: ADMIN_HOST })).status).to.equal(200);
  });
});

describe("the tables of instance administrators", () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  it("give the application role no right at all", async () => {
    const { rows } = await service.sql.query(
      `select c.relname || ' ' || p.privilege as may from pg_class c, unnest('{select,insert,update,delete,truncate,references,trigger}'::text[]) p(privilege)
        where (c.relname like 'instance\\_%' or c.relname = 'organisation_suspensions') and c.relkind = 'r'
          and has_table_privilege('kantoor_app', c.oid, p.privilege)`,
    );
    expect(rows).to.deep.equal([]);
    const found = await service.sql.query(
      "select count(*)::int as tables from pg_class where relname like 'instance\\_%' and relkind = 'r'",
    );
    expect(found.rows).to.deep.equal([{ tables: 4 }]);
  });
});

describe("a key of an instance administrator", () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  const issue = async (owner: SignedInAdministrator, form: Record<string, unknown>) => {
    const made = await owner.post("/instance/keys", { name: "Provisioning", ...form });
    expect(made.status, made.text).to.equal(201);
    return { id: made.body.id as string, ...instanceClient(service.port, { key: made.body.value }) };
  };

  it("allows what it was given, as long as its administrator has it", async () => {
    const owner = await administrator(service, ["organisations", "plans"]);
    const key = await issue(owner, { capabilities: ["organisations"] });
    expect((await key.get("/instance/organisations")).status).to.equal(200);
    expect((await key.get("/instance/plans")).status).to.equal(403);
    expect((await key.get("/instance/me")).body).to.deep.include({ capabilities: ["organisations"], credential: "key" });
    await service.sql.query("update instance_administrators set capabilities = '{plans}' where id = $1", [owner.id]);
    expect((await key.get("/instance/organisations")).status).to.equal(403);
    await service.sql.query("update instance_administrators set is_active = false where id = $1", [owner.id]);
    expect((await key.get("/instance/me")).status).to.equal(401);
  });

  it("is not given more than its administrator has, and issues no keys itself", async () => {
    const owner = await administrator(service, ["organisations"]);
    const beyond = await owner.post("/instance/keys", { name: "x", capabilities: ["plans"] });
    expect(beyond.status).to.equal(403);
    const key = await issue(owner, { capabilities: ["organisations"] });
    expect((await key.post("/instance/keys", { name: "x", capabilities: ["organisations"] })).status).to.equal(403);
  });

  it("ends when it is revoked, and at its expiry", async () => {
    const owner = await administrator(service, []);
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const [revoked, expired] = [
      await issue(await administrator(service, ["jobs"]), { capabilities: ["jobs"] }),
      await issue(await administrator(service, ["jobs"]), { capabilities: ["jobs"], expires_at: soon }),
    ];
    expect((await owner.delete(`/instance/keys/${revoked.id}`)).status).to.equal(404);
    expect((await (await administrator(service, ["administrators"])).delete(`/instance/keys/${revoked.id}`)).status).to.equal(
      204,
    );
    expect((await expired.get("/instance/me")).status).to.equal(200);
    await service.sql.query("update instance_keys set expires_at = now() where id = $1", [expired.id]);
    for (const key of [revoked, expired]) expect((await key.get("/instance/me")).status).to.equal(401);
  });

  it("that is limited to organisations shows and changes no other, and nothing of the installation", async () => {
    const owner = await administrator(service, CAPABILITIES);
    const [mine, other] = [await service.tenant(), await service.tenant()];
    const key = await issue(owner, { capabilities: CAPABILITIES, organisations: [mine.organisation.id] });
    const listed = await key.get("/instance/organisations");
    expect(listed.body.items.map(({ id }: { id: string }) => id)).to.deep.equal([mine.organisation.id]);
    expect(listed.body.total).to.equal(1);
    for (const [path, status] of [
      [`/instance/organisations/${mine.organisation.id}`, 200],
      [`/instance/organisations/${other.organisation.id}`, 404],
      [`/instance/organisations/${other.organisation.id}/users`, 404],
      [`/instance/organisations/${other.organisation.id}/domains`, 404],
      ["/instance/administrators", 403],
      ["/instance/jobs", 403],
    ] as const)
      expect([path, (await key.get(path)).status]).to.deep.equal([path, status]);
    expect((await key.post("/instance/organisations", { slug: `new-${process.pid}` })).status).to.equal(403);
    expect((await key.post(`/instance/organisations/${other.organisation.id}/suspend`, {})).status).to.equal(404);
    const seen = new Set(
      (await key.get("/instance/audit")).body.items.map((line: { organisation_id: string }) => line.organisation_id),
    );
    expect([...seen].filter((id) => id !== mine.organisation.id)).to.deep.equal([]);
  });
});
