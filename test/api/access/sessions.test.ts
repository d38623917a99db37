import { createHash } from "node:crypto";
import { expect } from "chai";
import { effortOf, median } from "../../support/effort.ts";
import { send } from "../../support/http.ts";
import { until } from "../../support/jobs.ts";
import { type Caller, sharedService, startService, type Tenant, type TestService } from "../../support/service.ts";
import { cookieIn, inSession, postLogin, signIn } from "../../support/sign-in.ts";

const PASSWORD = "correct horse battery";
/** Both cookies of a browser: the session's, and that of a client's login that is looked into in it. */
const EXPIRED = ["session", "impersonation"].map((name) => `kantoor_${name}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`);
const REFUSED = '{"error":{"code":"login_bad_credentials","message":"errors.validation"}}';

describe("POST /auth/login", () => {
  let service: TestService;
  let tenant: Tenant;
  let person: Caller;
  const login = (username: string, password: string, host = tenant.host) => postLogin(service.port, host, { username, password });
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    person = await tenant.member("member", { password: PASSWORD });
  });
  after(() => service.stop());

  it("answers 204 without body and sets the session cookie", async () => {
    const answer = await login(person.email, PASSWORD);
    expect(answer.status).to.equal(204);
    expect(answer.text).to.equal("");
    const [cookie] = answer.headers["set-cookie"] as [string];
    expect(cookie).to.match(/^kantoor_session=[0-9a-f]{64}; /);
    expect(cookie.split("; ").slice(1).sort()).to.deep.equal(["HttpOnly", "Max-Age=604800", "Path=/", "SameSite=Lax"]);
    expect((await inSession(service.port, tenant.host, cookieIn(answer)).get("/companies")).status).to.equal(200);
  });

  it("takes the address in any case and with spaces around it", async () => {
    expect((await login(` ${person.email.toUpperCase()} `, PASSWORD)).status).to.equal(204);
  });

  it("accepts the address in its given spelling, in any alphabet", async () => {
    const { body } = await tenant.owner.post("/members/invite", { email: "ΟΔΟΣ.İZMİR@example.com", send_email: false });
    await service.sql.query(
      "update accounts set password_hash = (select password_hash from accounts where id = $2) where id = $1",
      [body.user_id, person.accountId],
    );
    for (const username of ["ΟΔΟΣ.İZMİR@example.com", body.email])
      expect((await login(username, PASSWORD)).status, username).to.equal(204);
  });

  it("keeps only the hash of the cookie's value", async () => {
    const cookie = await signIn(service.port, tenant.host, person.email, PASSWORD);
    const value = cookie.split("=")[1] as string;
    const { rows } = await service.sql.query("select s::text as row from sessions s");
    expect(JSON.stringify(rows)).not.to.contain(value);
    expect(JSON.stringify(rows)).to.contain(createHash("sha256").update(value).digest("hex"));
  });

  it("makes a new value each time", async () => {
    const [one, other] = [await login(person.email, PASSWORD), await login(person.email, PASSWORD)];
    expect(cookieIn(one)).not.to.equal(cookieIn(other));
  });

  it("ignores any session or key presented with it", async () => {
    const headers = { "X-API-Key": "nonsense", Cookie: "kantoor_session=planted", Origin: "http://evil.test" };
    const answer = await postLogin(service.port, tenant.host, { username: person.email, password: PASSWORD }, headers);
    expect(answer.status).to.equal(204);
    expect(cookieIn(answer)).not.to.contain("planted");
  });

  it("refuses every failure with the same 400, byte for byte", async () => {
    const { sql } = service;
    const other = await service.tenant();
    const elsewhere = await other.member("member", { password: PASSWORD });
    const disabled = await tenant.member("member", { password: PASSWORD });
    await sql.query("update accounts set is_active = false where id = $1", [disabled.accountId]);
    const deactivated = await tenant.member("member", { password: PASSWORD });
    await sql.query("update memberships set deactivated_at = now() where id = $1", [deactivated.membershipId]);
    const revoked = await tenant.member("member", { password: PASSWORD });
    await sql.query("delete from memberships where id = $1", [revoked.membershipId]);
    const invited = await tenant.member("member");
    const cases: [string, string, string][] = [
      ["a wrong password", person.email, "wrong"],
      ["an empty password", person.email, ""],
      ["a password in another case", person.email, PASSWORD.toUpperCase()],
      ["an unknown address", "nobody@nowhere.test", PASSWORD],
      ["no address at all", "not an address", PASSWORD],
      ["a disabled account", disabled.email, PASSWORD],
      ["a member of another organisation", elsewhere.email, PASSWORD],
      ["a deactivated member", deactivated.email, PASSWORD],
      ["a former member", revoked.email, PASSWORD],
      ["an account without password", invited.email, ""],
    ];
    for (const [name, username, password] of cases) {
      const answer = await login(username, password);
      expect(answer.status, name).to.equal(400);
      expect(answer.text, name).to.equal(REFUSED);
      expect(answer.headers["set-cookie"], name).to.equal(undefined);
    }
  });

  it("names a missing field: 422", async () => {
    const post = (form: Record<string, string>) => postLogin(service.port, tenant.host, form);
    expect((await post({ username: "a@b.test" })).body.error.fields).to.deep.equal({ password: "errors.required" });
    expect((await post({ password: "x" })).body.error.fields).to.deep.equal({ username: "errors.required" });
    expect((await post({ other: "x" })).body.error.fields).to.deep.equal({
      username: "errors.required",
      password: "errors.required",
    });
  });

  it("takes a form, nothing else", async () => {
    const body = { username: person.email, password: PASSWORD };
    const answer = await send(service.port, "POST", "/auth/login", { host: tenant.host, body });
    expect(answer.status).to.equal(415);
  });

  it("reads escapes and plus signs of a form", async () => {
    const odd = await tenant.member("member", { password: "a+b c&d=%é😀" });
    expect((await login(odd.email, "a+b c&d=%é😀")).status).to.equal(204);
  });

  it("works as hard for an unknown address as for a wrong password", async () => {
    const work = (username: string) => effortOf(() => login(username, "wrong"));
    await work(person.email);
    const [known, unknown]: [number[], number[]] = [[], []];
    for (let round = 0; round < 15; round++) {
      known.push(await work(person.email));
      unknown.push(await work(`nobody${round}@nowhere.test`));
    }
    const ratio = median(unknown) / median(known);
    expect(ratio).to.be.within(0.5, 2);
  });

  it("needs no verified address", async () => {
    await service.sql.query("update accounts set is_verified = false where id = $1", [person.accountId]);
    expect((await login(person.email, PASSWORD)).status).to.equal(204);
  });
});

describe("a session", () => {
  let service: TestService;
  let tenant: Tenant;
  let person: Caller;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    person = await tenant.member("member", { password: PASSWORD });
  });
  after(() => service.stop());

  const open = async () => {
    const cookie = await signIn(service.port, tenant.host, person.email, PASSWORD);
    const hash = createHash("sha256")
      .update(cookie.split("=")[1] as string)
      .digest();
    const { rows } = await service.sql.query("select id from sessions where token_hash = $1", [hash]);
    return { id: rows[0].id as string, ...inSession(service.port, tenant.host, cookie) };
  };
  const row = async (id: string) =>
    (
      await service.sql.query(
        `select extract(epoch from expires_at - now())::float8 / 86400 as days_left, ended_at is not null as ended,
                extract(epoch from now() - last_used_at)::float8 as idle, address, user_agent, method from sessions where id = $1`,
        [id],
      )
    ).rows[0];
  const age = (id: string, sql: string) => service.sql.query(`update sessions set ${sql} where id = $1`, [id]);

  it("lives 7 days and knows how and from where it was made", async () => {
    const { id } = await open();
    const stored = await row(id);
    expect(stored.days_left).to.be.within(6.99, 7);
    expect(stored).to.deep.include({ method: "password", address: "127.0.0.1", ended: false });
  });

  it("slides with use: a new 7 days, and the cookie again", async () => {
    const session = await open();
    await age(session.id, "last_used_at = now() - interval '2 days', expires_at = now() + interval '5 days'");
    const { status, headers } = await session.get("/companies");
    expect(status).to.equal(200);
    expect(headers["set-cookie"]?.[0]).to.contain("Max-Age=604800");
    await until(async () => (await row(session.id)).days_left > 6);
    expect((await row(session.id)).days_left).to.be.within(6.99, 7);
    expect((await session.get("/companies")).headers["set-cookie"]).to.equal(undefined);
  });

  it("never slides beyond 30 days after sign-in", async () => {
    const session = await open();
    await age(session.id, "created_at = now() - interval '28 days', last_used_at = now() - interval '1 day'");
    expect((await session.get("/companies")).status).to.equal(200);
    await until(async () => (await row(session.id)).idle < 60);
    expect((await row(session.id)).days_left).to.be.within(1.99, 2);
  });

  it("is 401 once it has expired or ended", async () => {
    for (const sql of ["expires_at = now() - interval '1 second'", "ended_at = now()"]) {
      const session = await open();
      await age(session.id, sql);
      expect((await session.get("/companies")).status, sql).to.equal(401);
    }
  });

  it("is 401 once its row is gone", async () => {
    const session = await open();
    expect((await session.get("/companies")).status).to.equal(200);
    await service.sql.query("delete from sessions where id = $1", [session.id]);
    expect((await session.get("/companies")).status).to.equal(401);
  });

  it("carries the live grants of the person, not those of the moment it was made", async () => {
    const session = await open();
    expect((await session.get("/roles")).status).to.equal(403);
    await service.sql.query(
      "insert into membership_roles select $1, $2, id from roles where organisation_id = $1 and key = 'owner'",
      [tenant.organisation.id, person.membershipId],
    );
    expect((await session.get("/roles")).status).to.equal(200);
    await service.sql.query(
      "delete from membership_roles mr using roles r where r.id = mr.role_id and r.key = 'owner' and mr.membership_id = $1",
      [person.membershipId],
    );
    expect((await session.get("/roles")).status).to.equal(403);
  });

  describe("POST /auth/logout", () => {
    it("ends it at once, every copy of the cookie with it, and expires both cookies", async () => {
      const session = await open();
      const other = await open();
      expect((await session.get("/companies")).status).to.equal(200);
      const answer = await session.post("/auth/logout");
      expect(answer.status).to.equal(204);
      expect(answer.text).to.equal("");
      expect(answer.headers["set-cookie"]).to.deep.equal(EXPIRED);
      expect(answer.headers["clear-site-data"], "what the browser has cached").to.equal('"cache"');
      expect((await session.get("/companies")).status).to.equal(401);
      expect((await session.post("/auth/logout")).status).to.equal(401);
      expect((await row(session.id)).ended).to.equal(true);
      expect((await other.get("/companies")).status).to.equal(200);
    });

    it("expires the cookies of a session that was due to slide", async () => {
      const session = await open();
      await age(session.id, "last_used_at = now() - interval '2 days'");
      expect((await session.post("/auth/logout")).headers["set-cookie"]).to.deep.equal(EXPIRED);
      expect((await session.get("/companies")).status).to.equal(401);
    });

    it("is refused from another site", async () => {
      const session = await open();
      const answer = await session.post("/auth/logout", undefined, { headers: { Origin: "http://evil.test" } });
      expect(answer.status).to.equal(403);
      expect((await session.get("/companies")).status).to.equal(200);
    });

    it("is 401 without session, with a key, and with both a key and a session", async () => {
      const session = await open();
      expect((await service.call("POST", "/auth/logout", { host: tenant.host })).status).to.equal(401);
      expect((await tenant.owner.post("/auth/logout")).status).to.equal(401);
      expect((await session.post("/auth/logout", undefined, { key: tenant.owner.key })).status).to.equal(401);
      expect((await session.get("/companies")).status).to.equal(200);
    });
  });
});

describe("the session cookie where the scheme is https", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({ SERVICE_PUBLIC_SCHEME: "https", SERVICE_PUBLIC_PORT: "8443" });
    tenant = await service.tenant();
  });
  after(() => service.stop());

  it("is Secure, host-only and named with __Host-; the plain name is rejected", async () => {
    const person = await tenant.member("admin", { password: PASSWORD });
    const answer = await postLogin(service.port, tenant.host, { username: person.email, password: PASSWORD });
    const [cookie] = answer.headers["set-cookie"] as [string];
    expect(cookie).to.match(/^__Host-kantoor_session=[0-9a-f]{64}; /);
    expect(cookie.split("; ").slice(1).sort()).to.deep.equal(["HttpOnly", "Max-Age=604800", "Path=/", "SameSite=Lax", "Secure"]);
    const session = inSession(service.port, tenant.host, cookieIn(answer));
    expect((await session.get("/companies")).status).to.equal(200);
    const plain = inSession(service.port, tenant.host, cookieIn(answer).replace("__Host-", ""));
    expect((await plain.get("/companies")).status).to.equal(401);
  });

  it("writes from the public scheme, host and port only", async () => {
    const person = await tenant.member("admin", { password: PASSWORD });
    const session = inSession(service.port, tenant.host, await signIn(service.port, tenant.host, person.email, PASSWORD));
    const post = (origin: string) => session.post("/companies", { name: "By cookie" }, { headers: { Origin: origin } });
    expect((await post(`https://${tenant.host}:8443`)).status).to.equal(201);
    for (const origin of [`https://${tenant.host}`, `http://${tenant.host}:8443`, `https://${tenant.host}:443`])
      expect((await post(origin)).status, origin).to.equal(403);
  });
});
