import { expect } from "chai";
import { createKey } from "../../../operator/organisations.ts";
import { type Call, send } from "../../support/http.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, signIn } from "../../support/sign-in.ts";

const UNAUTHORIZED = '{"error":{"code":"unauthorized","message":"errors.unauthorized"}}';
const FORBIDDEN = '{"error":{"code":"forbidden","message":"errors.forbidden"}}';
const PASSWORD = "correct horse battery";

describe("credentials", () => {
  let service: TestService;
  let tenant: Tenant;
  let other: Tenant;
  let cookie: string;
  const read = (call: Call, path = "/companies") => send(service.port, "GET", path, { host: tenant.host, ...call });
  const bearer = (value: string) => ({ headers: { Authorization: `Bearer ${value}` } });
  const wrongSecret = (key: string) => `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`;

  before(async () => {
    service = await sharedService();
    [tenant, other] = [await service.tenant(), await service.tenant()];
    const person = await tenant.member("member", { password: PASSWORD });
    cookie = await signIn(service.port, tenant.host, person.email, PASSWORD);
  });
  after(() => service.stop());

  async function deadKeys(): Promise<Record<string, Call>> {
    const make = async (values: { expiresAt?: string; accountId?: string } = {}) =>
      (
        await createKey(service.sql, tenant.organisation.id, "kt", {
          name: "dead",
          scopes: ["companies.company.read"],
          accountId: tenant.owner.accountId,
          ...values,
        })
      ).value;
    const of = async (sql: string, pick: "accountId" | "membershipId") => {
      const person = await tenant.member("member");
      await service.sql.query(sql, [person[pick]]);
      return person.key;
    };
    const revoked = await make();
    await service.sql.query("update api_keys set revoked_at = now() where lookup = $1", [revoked.split("_")[1]]);
    const idle = await tenant.serviceAccount(["companies.company.read"]);
    await service.sql.query("update service_accounts set is_active = false where id = $1", [idle.accountId]);
    const gone = await tenant.serviceAccount(["companies.company.read"]);
    await service.sql.query("delete from service_accounts where id = $1", [gone.accountId]);
    return {
      "no credential": {},
      "an unknown key": { key: `kt_${"0".repeat(12)}_${"0".repeat(64)}` },
      "a malformed key": { key: "kt_nonsense" },
      "a key of another prefix": { key: tenant.owner.key.replace("kt_", "xx_") },
      "a key in upper case": { key: tenant.owner.key.toUpperCase() },
      "a very long key": { key: `kt_${"a".repeat(8000)}` },
      "a wrong secret": { key: wrongSecret(tenant.owner.key) },
      "a wrong secret as bearer": bearer(wrongSecret(tenant.owner.key)),
      "a malformed bearer with our prefix": bearer("kt_nonsense"),
      "a bearer with another prefix": bearer(`xx_${"0".repeat(12)}_${"0".repeat(64)}`),
      "basic credentials": { headers: { Authorization: "Basic dXNlcjpwYXNz" } },
      "a revoked key": { key: revoked },
      "an expired key": { key: await make({ expiresAt: new Date(Date.now() - 1).toISOString() }) },
      "a key of another organisation": { key: other.owner.key },
      "a key of a disabled owner": { key: await of("update accounts set is_active = false where id = $1", "accountId") },
      "a key of a deactivated membership": {
        key: await of("update memberships set deactivated_at = now() where id = $1", "membershipId"),
      },
      "a key of a revoked membership": { key: await of("delete from memberships where id = $1", "membershipId") },
      "a key of a deleted account": { key: await of("delete from accounts where id = $1", "accountId") },
      "a key of an inactive service account": { key: idle.key },
      "a key of a deleted service account": { key: gone.key },
      "an unknown session": { cookie: "kantoor_session=0123" },
      "an empty session": { cookie: "kantoor_session=" },
    };
  }

  it("that fail all get one 401, byte for byte, on every endpoint", async () => {
    for (const [name, call] of Object.entries(await deadKeys()))
      for (const path of ["/companies", "/permissions/catalog", "/roles"]) {
        const { status, text } = await read(call, path);
        expect(status, `${name} on ${path}`).to.equal(401);
        expect(text, `${name} on ${path}`).to.equal(UNAUTHORIZED);
      }
  });

  it("fail alone despite a valid session: a bad key is 401", async () => {
    for (const [name, { key, headers }] of Object.entries(await deadKeys())) {
      const ignored = headers !== undefined && !/Bearer kt_/.test(headers["Authorization"] ?? "");
      if (key === undefined && (headers === undefined || ignored)) continue;
      const { status } = await read({ cookie, ...(key !== undefined && { key }), ...(headers && { headers }) });
      expect(status, name).to.equal(401);
    }
    expect((await read({ cookie })).status).to.equal(200);
  });

  it("as a good key are used although a session is present", async () => {
    expect((await read({ cookie }, "/roles")).status).to.equal(403);
    expect((await read({ cookie, key: tenant.owner.key }, "/roles")).status).to.equal(200);
    expect((await read({ cookie, ...bearer(tenant.owner.key) }, "/roles")).status).to.equal(200);
  });

  it("in X-API-Key win over a bearer", async () => {
    expect((await read({ key: tenant.owner.key, ...bearer("kt_nonsense") })).status).to.equal(200);
    expect((await read({ key: "nonsense", ...bearer(tenant.owner.key) })).status).to.equal(401);
  });

  it("in an empty X-API-Key count as absent", async () => {
    expect((await read({ key: "", ...bearer(tenant.owner.key) })).status).to.equal(200);
    expect((await read({ key: "", cookie })).status).to.equal(200);
  });

  it("in two X-API-Key headers are a failed key", async () => {
    expect((await read({ key: `${tenant.owner.key}, ${tenant.owner.key}` })).status).to.equal(401);
  });

  it("of a bearer without our prefix are ignored, so that the session decides", async () => {
    expect((await read({ cookie, ...bearer("eyJhbGciOi.some.token") })).status).to.equal(200);
    expect((await read({ headers: { Authorization: `bearer ${tenant.owner.key}` } })).status).to.equal(200);
  });

  it("expire at the instant itself, also when they were used before", async () => {
    const lasting = async (milliseconds: number) => {
      const end = Date.now() + milliseconds;
      const { value } = await createKey(service.sql, tenant.organisation.id, "kt", {
        name: "short",
        scopes: ["companies.company.read"],
        accountId: tenant.owner.accountId,
        expiresAt: new Date(end).toISOString(),
      });
      return { end, value, first: (await read({ key: value })).status };
    };
    // A session that ended before its use proves nothing: a busy machine needs one that lasts longer.
    let key = await lasting(700);
    for (let milliseconds = 1400; key.first !== 200 && Date.now() >= key.end; milliseconds *= 2)
      key = await lasting(milliseconds);
    expect(key.first).to.equal(200);
    while (Date.now() < key.end) await new Promise((resolve) => setTimeout(resolve, key.end - Date.now()));
    expect((await read({ key: key.value })).status).to.equal(401);
  });

  it("of a member who lost the membership come back with the membership, as the owner's standing decides", async () => {
    const person = await tenant.member("member");
    await service.sql.query("update memberships set deactivated_at = now() where id = $1", [person.membershipId]);
    expect((await person.get("/companies")).status).to.equal(401);
    await service.sql.query("update memberships set deactivated_at = null where id = $1", [person.membershipId]);
    expect((await person.get("/companies")).status).to.equal(200);
  });

  it("of another organisation never borrow its cached principal, for any access revisions", async () => {
    const stranger = await other.member("admin");
    await service.sql.query("update organisations set access_revision = 777777 where id in ($1, $2)", [
      tenant.organisation.id,
      other.organisation.id,
    ]);
    expect((await tenant.owner.get("/companies")).status).to.equal(200);
    expect((await stranger.get("/companies")).status).to.equal(200);
    const { status, text } = await read({ key: stranger.key });
    expect(status).to.equal(401);
    expect(text).to.equal(UNAUTHORIZED);
    expect((await stranger.get("/companies")).status).to.equal(200);
  });

  describe("as a session cookie", () => {
    const origin = () => `http://${tenant.host}`;
    const writes: [string, () => Record<string, string>, number][] = [
      ["without Origin and Sec-Fetch-Site", () => ({}), 201],
      ["with the own origin", () => ({ Origin: origin() }), 201],
      ["with the own origin in capitals", () => ({ Origin: origin().toUpperCase() }), 201],
      ["with Sec-Fetch-Site same-origin", () => ({ "Sec-Fetch-Site": "same-origin" }), 201],
      ["with both", () => ({ Origin: origin(), "Sec-Fetch-Site": "same-origin" }), 201],
      ["with another host", () => ({ Origin: "http://evil.test" }), 403],
      ["with a sibling organisation", () => ({ Origin: `http://${other.host}` }), 403],
      ["with another scheme", () => ({ Origin: origin().replace("http:", "https:") }), 403],
      ["with another port", () => ({ Origin: `${origin()}:8080` }), 403],
      ["with Origin null", () => ({ Origin: "null" }), 403],
      ["with Sec-Fetch-Site same-site", () => ({ "Sec-Fetch-Site": "same-site" }), 403],
      ["with Sec-Fetch-Site cross-site", () => ({ "Sec-Fetch-Site": "cross-site" }), 403],
      ["with Sec-Fetch-Site none", () => ({ "Sec-Fetch-Site": "none" }), 403],
      ["with the own origin but cross-site", () => ({ Origin: origin(), "Sec-Fetch-Site": "cross-site" }), 403],
    ];
    let session: ReturnType<typeof inSession>;
    before(async () => {
      const person = await tenant.member("admin", { password: PASSWORD });
      session = inSession(service.port, tenant.host, await signIn(service.port, tenant.host, person.email, PASSWORD));
    });

    for (const [name, headers, status] of writes)
      it(`writes ${name}: ${status}`, async () => {
        const answer = await session.post("/companies", { name: `By cookie ${name}` }, { headers: headers() });
        expect(answer.status).to.equal(status);
        if (status === 403) expect(answer.text).to.equal(FORBIDDEN);
      });

    it("reads from anywhere", async () => {
      for (const method of ["GET", "HEAD"]) {
        const headers = { Origin: "http://evil.test", "Sec-Fetch-Site": "cross-site" };
        expect((await session.get("/companies", { headers })).status, method).to.equal(200);
      }
    });

    it("is not looked at for its origin when a key is presented", async () => {
      const headers = { Origin: "http://evil.test", "Sec-Fetch-Site": "cross-site" };
      const answer = await session.post("/companies", { name: "By key" }, { key: tenant.owner.key, headers });
      expect(answer.status).to.equal(201);
    });

    it("is 401 before its origin is looked at", async () => {
      const headers = { Origin: "http://evil.test" };
      const answer = await inSession(service.port, tenant.host, "kantoor_session=none").post("/companies", {}, { headers });
      expect(answer.status).to.equal(401);
    });
  });

  describe("as a secret that opens an account without one", () => {
    const foreign: Record<string, string>[] = [
      { Origin: "http://evil.test" },
      { Origin: "null" },
      { Origin: `http://evil.test`, "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
      { "Sec-Fetch-Site": "none" },
    ];
    const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
    const password = "another long password";
    const calls: [path: string, body: () => unknown, type?: Record<string, string>][] = [
      ["/auth/login", () => new URLSearchParams({ username: tenant.owner.email, password }).toString(), FORM],
      ["/auth/2fa/verify", () => ({ challenge_token: "x", code: "000000" })],
      ["/auth/2fa/challenge/sms", () => ({ challenge_token: "x" })],
      ["/auth/register", () => ({ email: `planted${Date.now()}@example.com`, password })],
      ["/auth/verify", () => ({ token: "x" })],
      ["/auth/request-verify-token", () => ({ email: tenant.owner.email })],
      ["/auth/forgot-password", () => ({ email: tenant.owner.email })],
      ["/auth/reset-password", () => ({ token: "x", password })],
    ];

    for (const [path, body, type = {}] of calls)
      it(`is not taken from a foreign page: POST ${path}`, async () => {
        const call = (headers: Record<string, string>) =>
          service.call("POST", path, { host: tenant.host, body: body(), headers: { ...type, ...headers } });
        for (const headers of foreign) {
          const answer = await call(headers);
          expect([answer.status, answer.text], JSON.stringify(headers)).to.deep.equal([403, FORBIDDEN]);
          expect(answer.headers["set-cookie"]).to.equal(undefined);
        }
        expect((await call({})).status).to.not.equal(403);
        const own = { Origin: `http://${tenant.host}`, "Sec-Fetch-Site": "same-origin" };
        expect((await call(own)).status).to.not.equal(403);
      });

    it("opens no session for a foreign page that knows it", async () => {
      const attacker = await tenant.member("member", { password });
      const form = new URLSearchParams({ username: attacker.email, password }).toString();
      const headers = { ...FORM, Origin: "http://evil.test", "Sec-Fetch-Site": "cross-site" };
      const answer = await service.call("POST", "/auth/login", { host: tenant.host, body: form, headers });
      expect(answer.status).to.equal(403);
      const sessions = await service.sql.query("select 1 from sessions where account_id = $1", [attacker.accountId]);
      expect(sessions.rows).to.have.length(0);
    });
  });

  it("as a session are invalid on the host of another organisation, members of both included: 401", async () => {
    const person = await tenant.member("member", { password: PASSWORD });
    const membership = await service.sql.query(
      "insert into memberships (organisation_id, account_id) values ($1, $2) returning id",
      [other.organisation.id, person.accountId],
    );
    await service.sql.query(
      "insert into membership_roles select $1, $2, id from roles where organisation_id = $1 and key = 'member'",
      [other.organisation.id, membership.rows[0].id],
    );
    const here = await signIn(service.port, tenant.host, person.email, PASSWORD);
    const there = await signIn(service.port, other.host, person.email, PASSWORD);
    expect((await inSession(service.port, tenant.host, here).get("/companies")).status).to.equal(200);
    expect((await inSession(service.port, other.host, there).get("/companies")).status).to.equal(200);
    for (const path of ["/companies", "/permissions/catalog", "/members/lookup"]) {
      const answer = await inSession(service.port, other.host, here).get(path);
      expect(answer.status).to.equal(401);
      expect(answer.text).to.equal(UNAUTHORIZED);
    }
    expect((await inSession(service.port, other.host, here).post("/auth/logout")).status).to.equal(401);
    expect((await inSession(service.port, tenant.host, here).get("/companies")).status).to.equal(200);
  });

  it("as a session without live membership are 403, of a disabled account 401", async () => {
    const changes: [string, "accountId" | "membershipId", number, string][] = [
      ["update memberships set deactivated_at = now() where id = $1", "membershipId", 403, FORBIDDEN],
      ["delete from memberships where id = $1", "membershipId", 403, FORBIDDEN],
      ["update accounts set is_active = false where id = $1", "accountId", 401, UNAUTHORIZED],
    ];
    for (const [sql, pick, status, text] of changes) {
      const person = await tenant.member("member", { password: PASSWORD });
      const session = inSession(service.port, tenant.host, await signIn(service.port, tenant.host, person.email, PASSWORD));
      expect((await session.get("/companies")).status).to.equal(200);
      await service.sql.query(sql, [person[pick]]);
      for (const path of ["/companies", "/permissions/catalog"]) {
        const answer = await session.get(path);
        expect(answer.status, `${sql} ${path}`).to.equal(status);
        expect(answer.text).to.equal(text);
      }
    }
  });

  it("of a service account are not a person's: own reads are empty, writes carry its name", async () => {
    const account = await tenant.serviceAccount(["companies.company.read", "companies.company.write"]);
    expect((await account.get("/companies?mine=true")).body).to.deep.include({ items: [], total: 0 });
    const { status, body } = await account.post("/companies", { name: "By a machine" });
    expect(status).to.equal(201);
    const line = await service.sql.query(
      "select actor_account_id, actor_service_account_id, actor_name from activity where entity_id = $1",
      [body.id],
    );
    expect(line.rows).to.deep.equal([
      { actor_account_id: null, actor_service_account_id: account.accountId, actor_name: account.email },
    ]);
    expect((await account.get("/members/lookup")).status).to.equal(200);
    expect((await account.get("/roles")).status).to.equal(403);
  });

  describe("needed by the endpoints without permission", () => {
    const table: [string, string, { anonymous: number; session: number; key: number; nothing: number }][] = [
      ["POST", "/auth/login", { anonymous: 422, session: 422, key: 422, nothing: 422 }],
      ["GET", "//health/ready", { anonymous: 200, session: 200, key: 200, nothing: 200 }],
      ["GET", "/health/ready", { anonymous: 200, session: 200, key: 200, nothing: 200 }],
      ["GET", "/members/lookup", { anonymous: 401, session: 200, key: 200, nothing: 200 }],
      ["GET", "/permissions/catalog", { anonymous: 401, session: 200, key: 200, nothing: 200 }],
      ["GET", "/companies", { anonymous: 401, session: 200, key: 200, nothing: 403 }],
      ["GET", "/members", { anonymous: 401, session: 403, key: 200, nothing: 403 }],
      ["GET", "/roles", { anonymous: 401, session: 403, key: 200, nothing: 403 }],
      ["GET", "/system/info", { anonymous: 401, session: 403, key: 200, nothing: 403 }],
      ["POST", "/auth/logout", { anonymous: 401, session: 204, key: 401, nothing: 401 }],
    ];
    for (const [method, path, wanted] of table)
      it(`${method} ${path}: ${JSON.stringify(wanted)}`, async () => {
        const { host } = tenant;
        const person = await tenant.member("member", { grants: ["companies.company.read"], password: PASSWORD });
        const nobody = await tenant.serviceAccount([]);
        const session = await signIn(service.port, host, person.email, PASSWORD);
        const got = {
          anonymous: (await send(service.port, method, path, { host })).status,
          session: (await send(service.port, method, path, { host, cookie: session })).status,
          key: (await send(service.port, method, path, { host, key: tenant.owner.key })).status,
          nothing: (await send(service.port, method, path, { host, key: nobody.key })).status,
        };
        expect(got).to.deep.equal(wanted);
      });
  });
});
