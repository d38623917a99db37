import { expect } from "chai";
import { createKey, createOrganisation } from "../../../operator/organisations.ts";
import { send } from "../../support/http.ts";
import { sharedService, startService, type Tenant, type TestService } from "../../support/service.ts";
import { postLogin, signIn } from "../../support/sign-in.ts";

const UNKNOWN_HOST = { error: { code: "unknown_host", message: "errors.unknown_host" } };
const SUSPENDED = { error: { code: "org_suspended", message: "errors.org_suspended" } };
const UNAUTHORIZED = { error: { code: "unauthorized", message: "errors.unauthorized" } };

const setStatus = (service: TestService, { organisation }: Tenant, status: string) =>
  service.sql.query("update organisations set status = $2 where id = $1", [organisation.id, status]);
const claim = (service: TestService, { organisation }: Tenant, hostname: string, verified = true) =>
  service.sql.query("insert into organisation_domains (organisation_id, hostname, verified_at) values ($1, $2, $3)", [
    organisation.id,
    hostname,
    verified ? new Date() : null,
  ]);

describe("the organisation of a host", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant("acme");
  });
  after(() => service.stop());

  const nowhere = {
    "an unknown slug": "nobody.kantoor.test",
    "the bare base domain": "kantoor.test",
    "a label under a slug host": "www.acme.kantoor.test",
    "an empty slug": ".kantoor.test",
    "another base domain": "acme.elsewhere.test",
    "an address": "127.0.0.1",
    "an IPv6 address": "[::1]:3000",
    "a name that only ends like the base domain": "acmekantoor.test",
  };
  for (const [name, host] of Object.entries(nowhere))
    it(`is invalid for ${name}, even with exactly one organisation: 404, and 401 with a key`, async () => {
      const anonymous = await service.call("GET", "/companies", { host });
      expect(anonymous.status).to.equal(404);
      expect(anonymous.body).to.deep.equal(UNKNOWN_HOST);
      const keyed = await tenant.owner.get("/companies", { host });
      expect(keyed.status).to.equal(401);
      expect(keyed.body).to.deep.equal(UNAUTHORIZED);
    });

  it("is absent for a sign-in on an unknown host, 401 when a key is presented with it", async () => {
    const host = "nobody.kantoor.test";
    const form = { username: "a@b.test", password: "irrelevant" };
    expect((await postLogin(service.port, host, form)).body).to.deep.equal(UNKNOWN_HOST);
    expect((await postLogin(service.port, host, form, { "X-API-Key": tenant.owner.key })).status).to.equal(401);
  });

  it("is found by slug ignoring case, port and a trailing dot", async () => {
    for (const host of [
      "acme.kantoor.test",
      "ACME.Kantoor.TEST",
      "acme.kantoor.test:8080",
      "acme.kantoor.test.",
      "acme.kantoor.test.:443",
    ])
      expect((await tenant.owner.get("/companies", { host })).status, host).to.equal(200);
  });

  it("answers at a verified domain and at its slug at the same time, without redirects", async () => {
    const other = await service.tenant("both");
    await claim(service, other, "office.example");
    await other.company({ name: "One" });
    for (const host of ["office.example", "OFFICE.example:3000", other.host]) {
      const { status, body } = await other.owner.get("/companies", { host });
      expect(status).to.equal(200);
      expect(body.total).to.equal(1);
    }
  });

  it("is never found by an unverified domain, and at once by a verified one", async () => {
    const other = await service.tenant("claims");
    await claim(service, other, "claimed.example", false);
    expect((await service.call("GET", "/companies", { host: "claimed.example" })).body).to.deep.equal(UNKNOWN_HOST);
    expect((await other.owner.get("/companies", { host: "claimed.example" })).status).to.equal(401);
    await service.sql.query("update organisation_domains set verified_at = now() where hostname = 'claimed.example'");
    expect((await other.owner.get("/companies", { host: "claimed.example" })).status).to.equal(200);
  });

  it("may be found by the bare base domain where that is a verified domain itself", async () => {
    const other = await service.tenant("based");
    await claim(service, other, "kantoor.test");
    expect((await other.owner.get("/companies", { host: "kantoor.test" })).status).to.equal(200);
    await service.sql.query("delete from organisation_domains where hostname = 'kantoor.test'");
    expect((await other.owner.get("/companies", { host: "kantoor.test" })).status).to.equal(401);
  });

  it("ignores forwarded headers from anyone", async () => {
    const headers = { "X-Forwarded-Host": tenant.host, Forwarded: `host=${tenant.host}` };
    expect((await tenant.owner.get("/companies", { host: "nobody.kantoor.test", headers })).status).to.equal(401);
    expect((await tenant.owner.get("/companies", { headers: { "X-Forwarded-Host": "nobody.kantoor.test" } })).status).to.equal(
      200,
    );
  });

  it("that is deleted is gone at once: 404, 401 with a key", async () => {
    const other = await service.tenant("going");
    expect((await other.owner.get("/companies")).status).to.equal(200);
    await setStatus(service, other, "deleted");
    expect((await other.owner.get("/companies")).status).to.equal(401);
    expect((await service.call("GET", "/companies", { host: other.host })).body).to.deep.equal(UNKNOWN_HOST);
  });

  it("that is suspended refuses everything with 403 org_suspended, from the next request until it is lifted", async () => {
    const other = await service.tenant("suspended");
    const person = await other.member("member", { password: "correct horse" });
    const cookie = await signIn(service.port, other.host, person.email, "correct horse");
    const { host } = other;
    const calls = {
      key: () => other.owner.get("/companies"),
      "write with a key": () => other.owner.post("/companies", { name: "No" }),
      session: () => send(service.port, "GET", "/companies", { host, cookie }),
      anonymous: () => send(service.port, "GET", "/companies", { host }),
      "bad key": () => send(service.port, "GET", "/companies", { host, key: `kt_${"0".repeat(12)}_${"0".repeat(64)}` }),
      "malformed key": () => send(service.port, "GET", "/companies", { host, key: "nonsense" }),
      "bad session": () => send(service.port, "GET", "/companies", { host, cookie: "kantoor_session=nonsense" }),
      "sign-in": () => postLogin(service.port, host, { username: person.email, password: "correct horse" }),
      "sign-out": () => send(service.port, "POST", "/auth/logout", { host, cookie }),
      catalogue: () => other.owner.get("/permissions/catalog"),
    };
    for (const [name, call] of Object.entries(calls)) {
      await other.owner.get("/companies");
      await setStatus(service, other, "suspended");
      const { status, body } = await call();
      expect(status, name).to.equal(403);
      expect(body, name).to.deep.equal(SUSPENDED);
      await setStatus(service, other, "active");
    }
    expect((await calls.key()).status).to.equal(200);
    expect((await calls.session()).status).to.equal(200);
    expect((await service.call("GET", "//health/ready", { host })).status).to.equal(200);
  });
});

describe("the slug of an organisation", () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  const create = (slug: string) =>
    createOrganisation(service.sql, { slug, name: "Any" }).then(
      () => null,
      (error: Error) => error.name,
    );

  for (const slug of ["a", "7", "a-b", "a--b", "x".repeat(63)])
    it(`may be '${slug}'`, async () => {
      expect(await create(slug)).to.equal(null);
      expect((await service.call("GET", "/companies", { host: `${slug}.kantoor.test` })).status).to.equal(401);
    });

  for (const slug of ["", "-a", "a-", "A", "a.b", "a_b", "\u00e9", "x".repeat(64)])
    it(`may not be '${slug}'`, async () => {
      expect(await create(slug)).to.equal("OperatorError");
    });

  for (const slug of ["app", "api", "www", "mail", "admin", "console", "edge", "status", "cdn", "ns1", "smtp", "setup"])
    it(`'${slug}' is reserved`, async () => {
      expect(await create(slug)).to.equal("OperatorError");
    });

  it("is used once", async () => {
    expect(await create("taken")).to.equal(null);
    expect(await create("taken")).to.equal("OperatorError");
  });
});

describe("rows of another organisation", () => {
  let service: TestService;
  let one: Tenant;
  let other: Tenant;
  before(async () => {
    service = await sharedService();
    [one, other] = [await service.tenant(), await service.tenant()];
  });
  after(() => service.stop());

  it("behave in path, query and body exactly like ids that do not exist", async () => {
    const foreign = (await other.company({ name: "Theirs", client_number: "X-1" })).id;
    const unknown = "01890000-0000-7000-8000-000000000000";
    const both = async (call: (id: string) => Promise<{ status: number; text: string }>) => {
      const [theirs, nobodys] = [await call(foreign), await call(unknown)];
      expect(theirs.status).to.equal(nobodys.status);
      expect(theirs.text).to.equal(nobodys.text);
      return theirs.status;
    };
    expect(await both((id) => one.owner.get(`/companies/${id}`))).to.equal(404);
    expect(await both((id) => one.owner.patch(`/companies/${id}`, { name: "Mine now" }))).to.equal(404);
    expect(await both((id) => one.owner.delete(`/companies/${id}`))).to.equal(404);
    expect(await both((id) => one.owner.get(`/companies/${id}/panels`))).to.equal(404);
    const group = (await one.owner.post("/companies/groups", { name: "Mine" })).body;
    expect(await both((id) => one.owner.put(`/companies/groups/${group.id}/companies`, { company_ids: [id] }))).to.equal(204);
    expect((await one.owner.get("/companies/groups")).body[0].company_ids).to.deep.equal([]);
    const stranger = (await other.member("member")).accountId;
    const named = (id: string) => one.owner.post("/companies", { name: "R", responsible_user_id: id });
    const [theirs, nobodys] = [await named(stranger), await named(unknown)];
    expect(theirs.status).to.equal(400);
    expect(theirs.text).to.equal(nobodys.text);
    expect((await other.owner.get(`/companies/${foreign}`)).body.name).to.equal("Theirs");
  });

  it("take no number, name or key from another organisation", async () => {
    await other.company({ name: "Same", client_number: "SAME" });
    expect((await one.owner.post("/companies", { name: "Same", client_number: "SAME" })).status).to.equal(201);
  });

  it("stay out of reach of a body: org_id, id, timestamps and authors are ignored", async () => {
    const sent = {
      name: "Ignored",
      id: "01890000-0000-7000-8000-000000000001",
      org_id: other.organisation.id,
      organisation_id: other.organisation.id,
      created_at: "2001-01-01T00:00:00Z",
      updated_at: "2001-01-01T00:00:00Z",
      created_by: other.owner.accountId,
      version: 99,
    };
    const { status, body, headers } = await one.owner.post("/companies", sent);
    expect(status).to.equal(201);
    expect(body.org_id).to.equal(one.organisation.id);
    expect(body.id).not.to.equal(sent.id);
    expect(body.created_at).not.to.match(/^2001/);
    const patched = await one.owner.patch(`/companies/${body.id}`, sent);
    expect(patched.status).to.equal(200);
    expect(patched.body.org_id).to.equal(one.organisation.id);
    expect(patched.headers["etag"]).to.equal(headers["etag"]);
    expect((await other.owner.get(`/companies/${body.id}`)).status).to.equal(404);
  });

  it("check a key with the same lookup", async () => {
    const key = await createKey(service.sql, one.organisation.id, "kt", {
      name: "twin",
      scopes: ["companies.company.read"],
      accountId: one.owner.accountId,
    });
    await service.sql.query(
      `insert into api_keys (organisation_id, name, lookup, secret_hash, scopes, account_id)
       select $2, 'twin', lookup, decode(repeat('00', 32), 'hex'), scopes, $3 from api_keys where id = $1`,
      [key.id, other.organisation.id, other.owner.accountId],
    );
    expect((await one.owner.get("/companies", { key: key.value })).status).to.equal(200);
    expect((await other.owner.get("/companies", { key: key.value })).status).to.equal(401);
  });

  it("are refused by the storage itself, and every row is while no organisation is bound", async () => {
    const pg = (await import("pg")).default;
    const application = new pg.Client({ connectionString: service.database.application });
    await application.connect();
    try {
      const tables = await service.sql.query(
        "select table_name from information_schema.columns where table_schema = 'public' and column_name = 'organisation_id' order by 1",
      );
      expect(tables.rows.length).to.be.greaterThan(10);
      for (const { table_name: table } of tables.rows) {
        const { rows } = await application.query(`select count(*)::int as count from ${table}`);
        expect(rows[0].count, table).to.equal(0);
      }
      await application.query("begin");
      await application.query("select enter_organisation($1, null, false)", [one.organisation.id]);
      const { rows } = await application.query("select distinct organisation_id from companies");
      expect(rows).to.deep.equal([{ organisation_id: one.organisation.id }]);
      const stolen = await application.query("update companies set organisation_id = $1", [other.organisation.id]).then(
        () => null,
        (error: { code: string }) => error.code,
      );
      expect(stolen).to.equal("42501");
      await application.query("rollback");
    } finally {
      await application.end();
    }
  });
});

describe("SERVICE_TRUSTED_PROXIES", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({ SERVICE_TRUSTED_PROXIES: "127.0.0.1, ::1/128" });
    tenant = await service.tenant();
  });
  after(() => service.stop());

  it("makes the first forwarded host of such a peer the effective one", async () => {
    const headers = { "X-Forwarded-Host": `${tenant.host.toUpperCase()}:8443, inner.test` };
    expect((await tenant.owner.get("/companies", { host: "proxy.internal", headers })).status).to.equal(200);
  });

  it("keeps `Host` if the peer forwards none", async () => {
    expect((await tenant.owner.get("/companies")).status).to.equal(200);
    expect((await tenant.owner.get("/companies", { headers: { "X-Forwarded-Host": "" } })).status).to.equal(200);
  });
});
