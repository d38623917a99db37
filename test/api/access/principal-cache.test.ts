import { expect } from "chai";
import { createKey } from "../../../operator/organisations.ts";
import { type Answer, type Call, send } from "../../support/http.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, signIn } from "../../support/sign-in.ts";

const PASSWORD = "correct horse battery";
const UNKNOWN = "01890000-0000-7000-8000-000000000000";

/** Calls that end in every way an endpoint can end, with their answers before any change. */
const ENDINGS: [string, string, unknown, number][] = [
  ["GET", "/companies", undefined, 200],
  ["GET", "/permissions/catalog", undefined, 200],
  ["GET", "/members/lookup", undefined, 200],
  ["POST", "/companies", { name: "Written" }, 201],
  ["GET", "/roles", undefined, 403],
  ["GET", `/companies/${UNKNOWN}`, undefined, 404],
  ["PATCH", `/companies/${UNKNOWN}`, { name: "x" }, 404],
  ["GET", "/companies/not-an-id", undefined, 422],
  ["POST", "/companies", "{", 422],
  ["GET", "/companies?sort=nonsense", undefined, 400],
];

describe("access that changes", () => {
  let service: TestService;
  let tenant: Tenant;
  const sql = (text: string, ...values: unknown[]) => service.sql.query(text, values);
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const as = (credential: Call) => (method: string, path: string, body?: unknown) =>
    send(service.port, method, path, { host: tenant.host, ...credential, body });
  const newKey = (scopes = ["companies.company.read", "companies.company.write"], accountId = tenant.owner.accountId) =>
    createKey(service.sql, tenant.organisation.id, "kt", { name: "short-lived", scopes, accountId });

  it("as a revoked key is seen by the very next request, however that request would have ended", async () => {
    for (let trial = 0; trial < 50; trial++) {
      const [method, path, body, usual] = ENDINGS[trial % ENDINGS.length] as (typeof ENDINGS)[number];
      const key = await newKey();
      const call = as({ key: key.value });
      expect((await call(method, path, body)).status, `${method} ${path}`).to.equal(usual);
      await sql("update api_keys set revoked_at = now() where id = $1", key.id);
      const { status, text } = await call(method, path, body);
      expect(status, `${method} ${path} after its key was revoked, trial ${trial}`).to.equal(401);
      expect(text).to.equal('{"error":{"code":"unauthorized","message":"errors.unauthorized"}}');
    }
  });

  it("as an ended session is seen by the very next request, however that request would have ended", async () => {
    const grants = ["companies.company.read", "companies.company.write"];
    const person = await tenant.member("member", { grants, password: PASSWORD });
    const endings = [...ENDINGS, ["POST", "/auth/logout", undefined, 204] as (typeof ENDINGS)[number]];
    for (const [method, path, body, usual] of endings) {
      const cookie = await signIn(service.port, tenant.host, person.email, PASSWORD);
      const call = as({ cookie });
      expect((await call("GET", "/companies")).status).to.equal(200);
      if (path !== "/auth/logout") expect((await call(method, path, body)).status).to.equal(usual);
      await sql("update sessions set ended_at = now() where account_id = $1", person.accountId);
      expect((await call(method, path, body)).status, `${method} ${path}`).to.equal(401);
    }
  });

  it("as an ended session is 401 also where the write came from another site", async () => {
    const person = await tenant.member("admin", { password: PASSWORD });
    const session = inSession(service.port, tenant.host, await signIn(service.port, tenant.host, person.email, PASSWORD));
    const foreign = { headers: { Origin: "http://evil.test" } };
    expect((await session.post("/companies", { name: "x" }, foreign)).status).to.equal(403);
    await sql("delete from sessions where account_id = $1", person.accountId);
    expect((await session.post("/companies", { name: "x" }, foreign)).status).to.equal(401);
  });

  /** A change, the person's request before and after, and the two answers. */
  interface Change {
    name: string;
    role?: "admin" | "member" | "client";
    change: (person: Caller) => Promise<unknown>;
    path?: string;
    key: [number, number];
    session: [number, number];
  }
  const grantOf = (person: Caller, permissions: string[]) =>
    sql(
      `update roles set permissions = $2 where id = (select role_id from membership_roles where membership_id = $1)`,
      person.membershipId,
      permissions,
    );
  const changes: Change[] = [
    {
      name: "narrower scopes of a key",
      change: ({ keyId }) => sql("update api_keys set scopes = '{tasks.task.read}' where id = $1", keyId),
      key: [200, 403],
      session: [200, 200],
    },
    {
      name: "a key that expires now",
      change: ({ keyId }) => sql("update api_keys set expires_at = now() where id = $1", keyId),
      key: [200, 401],
      session: [200, 200],
    },
    {
      name: "a deleted key",
      change: ({ keyId }) => sql("delete from api_keys where id = $1", keyId),
      key: [200, 401],
      session: [200, 200],
    },
    {
      name: "a deactivated membership",
      change: ({ membershipId }) => sql("update memberships set deactivated_at = now() where id = $1", membershipId),
      key: [200, 401],
      session: [200, 403],
    },
    {
      name: "a deleted membership",
      change: ({ membershipId }) => sql("delete from memberships where id = $1", membershipId),
      key: [200, 401],
      session: [200, 403],
    },
    {
      name: "a role with fewer permissions",
      change: (person) => grantOf(person, []),
      key: [200, 403],
      session: [200, 403],
    },
    {
      name: "a role with more permissions",
      change: (person) => grantOf(person, ["settings.roles.manage"]),
      path: "/roles",
      key: [403, 200],
      session: [403, 200],
    },
    {
      name: "a role that is taken away",
      change: ({ membershipId }) => sql("delete from membership_roles where membership_id = $1", membershipId),
      key: [200, 403],
      session: [200, 403],
    },
    {
      name: "a role that is deleted",
      change: ({ membershipId }) =>
        sql("delete from roles where id in (select role_id from membership_roles where membership_id = $1)", membershipId),
      key: [200, 403],
      session: [200, 403],
    },
    {
      name: "a disabled account",
      change: ({ accountId }) => sql("update accounts set is_active = false where id = $1", accountId),
      key: [200, 401],
      session: [200, 401],
    },
    {
      name: "a deleted account",
      change: ({ accountId }) => sql("delete from accounts where id = $1", accountId),
      key: [200, 401],
      session: [200, 401],
    },
  ];
  for (const { name, change, path = "/companies", key, session } of changes)
    it(`as ${name} is seen at once: a key ${key.join(" → ")}, a session ${session.join(" → ")}`, async () => {
      const person = await tenant.member("member", { grants: ["companies.company.read"], password: PASSWORD });
      const cookie = await signIn(service.port, tenant.host, person.email, PASSWORD);
      const both = async () => {
        const [keyed, signedIn] = await Promise.all([as({ key: person.key })("GET", path), as({ cookie })("GET", path)]);
        return { key: keyed.status, session: signedIn.status };
      };
      expect(await both()).to.deep.equal({ key: key[0], session: session[0] });
      await change(person);
      expect(await both()).to.deep.equal({ key: key[1], session: session[1] });
    });

  it("as groups that are assigned, changed, taken away or deleted is seen at once", async () => {
    const [one, other] = [await tenant.company({ name: "Group one" }), await tenant.company({ name: "Group two" })];
    const person = await tenant.member("admin");
    const sees = async () =>
      (await person.get("/companies?q=group")).body.items.map(({ name }: { name: string }) => name).join(" and ");
    expect(await sees()).to.equal("Group one and Group two");
    const group = await tenant.group("Cache", [one.id], [person.membershipId]);
    expect(await sees()).to.equal("Group one");
    await tenant.owner.put(`/companies/groups/${group}/companies`, { company_ids: [other.id] });
    expect(await sees()).to.equal("Group two");
    await tenant.owner.put(`/companies/groups/${group}/companies`, { company_ids: [] });
    expect(await sees()).to.equal("");
    await sql("delete from company_group_memberships where group_id = $1", group);
    expect(await sees()).to.equal("Group one and Group two");
    await sql("insert into company_group_memberships values ($1, $2, $3)", tenant.organisation.id, group, person.membershipId);
    expect(await sees()).to.equal("");
    await tenant.owner.delete(`/companies/groups/${group}`);
    expect(await sees()).to.equal("Group one and Group two");
  });

  it("as a client role that is added makes the login external at once", async () => {
    const { id } = await tenant.company();
    const person = await tenant.member("member");
    expect((await person.get(`/companies/${id}`)).status).to.equal(200);
    await sql(
      "insert into membership_roles select $1, $2, id from roles where organisation_id = $1 and key = 'client'",
      tenant.organisation.id,
      person.membershipId,
    );
    expect((await person.get(`/companies/${id}`)).status).to.equal(404);
    expect((await person.get("/companies")).body.total).to.equal(0);
  });

  it("as a new name of a person or a service account is in the next line of the trail", async () => {
    const actorOf = async (answer: Answer) =>
      (await sql("select actor_name from activity where entity_id = $1", answer.body.id)).rows[0].actor_name;
    const person = await tenant.member("admin", { name: "Before" });
    expect(await actorOf(await person.post("/companies", { name: "x" }))).to.equal("Before");
    await sql("update accounts set full_name = 'After' where id = $1", person.accountId);
    expect(await actorOf(await person.post("/companies", { name: "x" }))).to.equal("After");
    await sql("update accounts set full_name = null where id = $1", person.accountId);
    expect(await actorOf(await person.post("/companies", { name: "x" }))).to.equal(person.email);
    const machine = await tenant.serviceAccount(["companies.company.write"]);
    expect(await actorOf(await machine.post("/companies", { name: "x" }))).to.equal(machine.email);
    await sql("update service_accounts set name = 'Renamed' where id = $1", machine.accountId);
    expect(await actorOf(await machine.post("/companies", { name: "x" }))).to.equal("Renamed");
    await sql("update service_accounts set is_active = false where id = $1", machine.accountId);
    expect((await machine.get("/companies")).status).to.equal(401);
  });

  it("as other modules, zones or countries of the organisation is seen at once", async () => {
    const other = await service.tenant();
    const { accountId } = other.owner;
    const { value: key } = await createKey(service.sql, other.organisation.id, "kt", {
      name: "all",
      scopes: ["settings.system.read", "companies.company.write"],
      accountId,
    });
    const modules = async () => (await other.owner.get("/system/info", { key })).body.enabled_modules;
    expect(await modules()).to.include("websites");
    await sql("update organisations set enabled_modules = '{time}' where id = $1", other.organisation.id);
    expect(await modules()).to.deep.equal(["time"]);
    const phone = async () => (await other.owner.post("/companies", { name: "x", phone: "0470 12 34 56" }, { key })).status;
    expect(await phone()).to.equal(422);
    await sql("update organisations set country = 'BE', timezone = 'Nowhere/Land' where id = $1", other.organisation.id);
    expect(await phone()).to.equal(201);
  });

  it("as a domain that is unlinked or moved is seen at once", async () => {
    const other = await service.tenant();
    const host = "moving.example";
    const link = (to: Tenant) =>
      sql(
        "insert into organisation_domains (organisation_id, hostname, verified_at) values ($1, $2, now())",
        to.organisation.id,
        host,
      );
    await link(tenant);
    const standing = async () => [
      (await tenant.owner.get("/companies", { host })).status,
      (await other.owner.get("/companies", { host })).status,
      (await service.call("GET", "/companies", { host })).status,
    ];
    expect(await standing()).to.deep.equal([200, 401, 401]);
    await sql("delete from organisation_domains where hostname = $1", host);
    expect(await standing()).to.deep.equal([401, 401, 404]);
    await link(other);
    expect(await standing()).to.deep.equal([401, 200, 401]);
    await sql("update organisation_domains set verified_at = null where hostname = $1", host);
    expect(await standing()).to.deep.equal([401, 401, 404]);
  });

  it("while requests run never lets a stale one through, and loses no permitted one", async () => {
    const person = await tenant.member("member", { grants: ["companies.company.read"] });
    const { rows } = await sql("select role_id from membership_roles where membership_id = $1", person.membershipId);
    let on = true;
    for (let round = 0; round < 20; round++) {
      const answers = Promise.all(Array.from({ length: 8 }, () => person.get("/permissions/catalog")));
      on = !on;
      await sql("update roles set permissions = $2 where id = $1", rows[0].role_id, on ? ["companies.company.read"] : []);
      expect((await person.get("/companies")).status).to.equal(on ? 200 : 403);
      expect((await answers).map(({ status }) => status)).to.deep.equal(Array(8).fill(200));
    }
  });

  describe("costs a request nothing while it does not change", () => {
    const spent = async (call: () => Promise<Answer>) => {
      await call();
      const { status, statements } = await call();
      expect(status).to.be.below(500);
      return statements;
    };
    const reads: [string, number][] = [
      ["/companies", 1],
      ["/companies?q=x&sort=-name&count=false", 1],
      ["/members", 1],
      ["/members/lookup", 1],
      ["/roles", 1],
      ["/permissions/catalog", 0],
      ["/companies/not-an-id", 0],
      ["/companies?sort=nonsense", 0],
    ];
    for (const [path, statements] of reads)
      it(`GET ${path}: ${statements} with a key and with a session`, async () => {
        const person = await tenant.member("admin", { password: PASSWORD });
        const cookie = await signIn(service.port, tenant.host, person.email, PASSWORD);
        expect(await spent(() => person.get(path))).to.equal(statements);
        expect(await spent(() => as({ cookie })("GET", path))).to.equal(statements);
      });

    it("GET of one row: 1, a missing permission: 0", async () => {
      const { id } = await tenant.company();
      expect(await spent(() => tenant.owner.get(`/companies/${id}`))).to.equal(1);
      const nobody = await tenant.serviceAccount([]);
      expect(await spent(() => nobody.get(`/companies/${id}`))).to.equal(0);
    });

    it("and uses of keys are noted without moving the access revision", async () => {
      const revision = async () =>
        (await sql("select access_revision from organisations where id = $1", tenant.organisation.id)).rows[0].access_revision;
      const before = await revision();
      await sql("update api_keys set last_used_at = now() where organisation_id = $1", tenant.organisation.id);
      await sql(
        "update sessions set last_used_at = now(), expires_at = expires_at where organisation_id = $1",
        tenant.organisation.id,
      );
      await newKey();
      expect(await revision()).to.equal(before);
    });
  });
});
