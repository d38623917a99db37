import { expect } from "chai";
import { send } from "../../support/http.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, postLogin, signIn } from "../../support/sign-in.ts";

const PASSWORD = "correct horse battery";
const NEXT = "another horse, another battery";
const NOBODY = "00000000-0000-4000-8000-000000000000";

describe("/users/{id}", () => {
  let service: TestService;
  let tenant: Tenant;
  let other: Tenant;
  let operator: Caller;
  let cookie: string;
  const signedIn = (person: Caller, at = tenant, password = PASSWORD) => signIn(service.port, at.host, person.email, password);
  const call = (method: string, id: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(service.port, method, `/users/${id}`, { host: tenant.host, cookie, body, headers });
  const mayEnter = async (email: string, password: string, at = tenant) =>
    (await postLogin(service.port, at.host, { username: email, password })).status === 204;
  /** A member of both organisations, signed in to both. */
  const inBoth = async () => {
    const person = await tenant.member("member", { password: PASSWORD });
    await service.sql.query("insert into memberships (organisation_id, account_id) values ($1, $2)", [
      other.organisation.id,
      person.accountId,
    ]);
    const sessions = [tenant, other].map(async (at) => inSession(service.port, at.host, await signedIn(person, at)));
    return { person, sessions: await Promise.all(sessions) };
  };
  before(async () => {
    service = await sharedService();
    [tenant, other] = [await service.tenant(), await service.tenant()];
    operator = await tenant.member("member", { password: PASSWORD });
    await service.sql.query("update accounts set is_superuser = true where id = $1", [operator.accountId]);
    cookie = await signedIn(operator);
  });
  after(() => service.stop());

  it("is 403 for every other caller, before the id or the body is checked", async () => {
    const owner = await tenant.member("owner", { password: PASSWORD });
    const session = await signedIn(owner);
    for (const [method, id, body] of [
      ["GET", "no-id"],
      ["PATCH", NOBODY, { is_active: "maybe" }],
      ["PATCH", NOBODY, "{"],
    ] as const) {
      const answer = await send(service.port, method, `/users/${id}`, { host: tenant.host, cookie: session, body });
      expect([answer.status, answer.body.error.code], `${method} ${id}`).to.deep.equal([403, "forbidden"]);
    }
  });

  it("is 403 for everyone but an instance administrator, the owner included, for known and unknown accounts", async () => {
    const target = await tenant.member("member");
    for (const role of ["owner", "admin", "member", "client"] as const) {
      const person = await tenant.member(role, { password: PASSWORD });
      const session = await signedIn(person);
      for (const id of [target.accountId, person.accountId, NOBODY])
        for (const method of ["GET", "PATCH", "DELETE"]) {
          const body = method === "PATCH" ? { full_name: "Taken over" } : undefined;
          const answer = await send(service.port, method, `/users/${id}`, { host: tenant.host, cookie: session, body });
          expect(answer.status, `${role} ${method}`).to.equal(403);
        }
    }
  });

  it("is 401 without session and with an instance administrator's key", async () => {
    expect((await send(service.port, "GET", `/users/${operator.accountId}`, { host: tenant.host })).status).to.equal(401);
    expect((await operator.get(`/users/${operator.accountId}`)).status).to.equal(401);
  });

  it("requires the current password for one's own account as /users/me does, and only there", async () => {
    const root = await tenant.member("member", { password: PASSWORD });
    await service.sql.query("update accounts set is_superuser = true where id = $1", [root.accountId]);
    const session = inSession(service.port, tenant.host, await signedIn(root));
    await service.sql.query("update sessions set created_at = now() - interval '11 minutes' where account_id = $1", [
      root.accountId,
    ]);
    for (const id of [root.accountId, root.accountId.toUpperCase()]) {
      const missing = await session.patch(`/users/${id}`, { password: NEXT });
      expect([missing.status, missing.body.error.fields]).to.deep.equal([422, { current_password: "errors.required" }]);
      const wrong = await session.patch(`/users/${id}`, { password: NEXT, current_password: "a guess" });
      expect([wrong.status, wrong.body.error.code]).to.deep.equal([400, "password_incorrect"]);
    }
    const other = await tenant.member("member");
    expect((await session.patch(`/users/${other.accountId}`, { password: NEXT })).status).to.equal(200);
    const right = { password: NEXT, current_password: PASSWORD };
    expect((await session.patch(`/users/${root.accountId}`, right)).status).to.equal(200);
  });

  it("is 404 for an unknown id and 422 for an invalid one", async () => {
    for (const method of ["GET", "PATCH", "DELETE"]) {
      expect((await call(method, NOBODY, method === "PATCH" ? {} : undefined)).status, method).to.equal(404);
      expect((await call(method, "nonsense", method === "PATCH" ? {} : undefined)).body.error.fields).to.deep.equal({
        id: "errors.validation",
      });
    }
  });

  it("is 403 in a session made by SSO, which does not prove identity to the installation", async () => {
    const person = await tenant.member("member", { password: PASSWORD });
    await service.sql.query("update accounts set is_superuser = true where id = $1", [person.accountId]);
    const session = await signedIn(person);
    await service.sql.query("update sessions set method = 'sso' where account_id = $1", [person.accountId]);
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const body = method === "PATCH" ? {} : undefined;
      const answer = await send(service.port, method, `/users/${person.accountId}`, { host: tenant.host, cookie: session, body });
      expect(answer.status, method).to.equal(403);
    }
  });

  it("reads an account of any organisation", async () => {
    const elsewhere = await other.member("member");
    const { status, body, headers } = await call("GET", elsewhere.accountId);
    expect(status).to.equal(200);
    expect(Object.keys(body).sort()).to.deep.equal(["email", "full_name", "id", "is_active", "is_superuser", "is_verified"]);
    expect(headers.etag).to.match(/^"\d+"$/);
  });

  describe("PATCH", () => {
    it("sets any field but is_superuser", async () => {
      const { accountId } = await tenant.member("member");
      const email = "Renamed@Example.com";
      const { status, body } = await call("PATCH", accountId, { email, full_name: "New", is_verified: true, is_superuser: true });
      expect(status).to.equal(200);
      expect(body).to.deep.equal({
        id: accountId,
        email: "renamed@example.com",
        full_name: "New",
        is_active: true,
        is_superuser: false,
        is_verified: true,
      });
      expect((await call("PATCH", accountId, { is_verified: false })).body.is_verified).to.equal(false);
    });

    it("never takes an instance administrator's power away either", async () => {
      expect((await call("PATCH", operator.accountId, { is_superuser: false })).body.is_superuser).to.equal(true);
    });

    it("counts a new address as unproven", async () => {
      const { accountId } = await tenant.member("member");
      expect((await call("PATCH", accountId, { email: "unproven@example.com" })).body.is_verified).to.equal(false);
    });

    it("refuses a registered address and a password against the rule", async () => {
      const [one, two] = [await tenant.member("member"), await other.member("member")];
      const taken = await call("PATCH", one.accountId, { email: two.email.toUpperCase(), full_name: "Nobody" });
      expect([taken.status, taken.body.error.code]).to.deep.equal([409, "email_taken"]);
      const weak = await call("PATCH", one.accountId, { email: "long.enough@example.com", password: "Long.Enough@example.com" });
      expect([weak.status, weak.body.error.message]).to.deep.equal([400, "errors.password_is_email"]);
      expect((await call("GET", one.accountId)).body.email).to.equal(one.email);
    });

    it("refuses null where nothing can be cleared, and ignores a null password", async () => {
      const { accountId } = await tenant.member("member");
      const { body } = await call("PATCH", accountId, { email: null, is_active: null, is_verified: null, password: null });
      expect(body.error.fields).to.deep.equal({
        email: "errors.validation",
        is_active: "errors.validation",
        is_verified: "errors.validation",
      });
      expect((await call("PATCH", accountId, { password: null, full_name: null })).body.full_name).to.equal(null);
    });

    for (const [what, body] of [
      ["a new password", { password: NEXT }],
      ["a new address", { email: "moved.by.operator@example.com" }],
    ] as const)
      it(`ends every session of the account with ${what}, in every organisation`, async () => {
        const { person, sessions } = await inBoth();
        expect((await call("PATCH", person.accountId, body)).status).to.equal(200);
        for (const session of sessions) expect((await session.get("/users/me")).status).to.equal(401);
        const [email, password] = ["email" in body ? body.email : person.email, "password" in body ? body.password : PASSWORD];
        expect(await mayEnter(email, password)).to.equal(true);
        expect((await call("GET", operator.accountId)).status).to.equal(200);
      });

    it("disables an account in every organisation for good: sessions stay ended when it is enabled again, keys come back", async () => {
      const { person, sessions } = await inBoth();
      expect((await call("PATCH", person.accountId, { is_active: false })).body.is_active).to.equal(false);
      for (const session of sessions) expect((await session.get("/users/me")).status).to.equal(401);
      expect((await person.get("/companies")).status).to.equal(401);
      for (const at of [tenant, other]) expect(await mayEnter(person.email, PASSWORD, at)).to.equal(false);
      const byHand = async () =>
        (await service.sql.query("select hand_disabled_at is not null as yes from accounts where id = $1", [person.accountId]))
          .rows[0].yes;
      expect(await byHand()).to.equal(true);
      expect((await call("PATCH", person.accountId, { is_active: true })).body.is_active).to.equal(true);
      expect(await byHand()).to.equal(false);
      for (const session of sessions) expect((await session.get("/users/me")).status).to.equal(401);
      expect((await person.get("/companies")).status).to.equal(200);
      expect(await mayEnter(person.email, PASSWORD)).to.equal(true);
    });

    it("leaves sessions alone when only the name changes", async () => {
      const { person, sessions } = await inBoth();
      await call("PATCH", person.accountId, { full_name: "New name", email: person.email.toUpperCase(), is_active: true });
      for (const session of sessions) expect((await session.get("/users/me")).status).to.equal(200);
    });

    it("keeps the administrator's session after a change of its own password", async () => {
      const person = await tenant.member("member", { password: PASSWORD });
      await service.sql.query("update accounts set is_superuser = true where id = $1", [person.accountId]);
      const [mine, second] = [await signedIn(person), await signedIn(person)];
      const ask = (session: string, method: string, body?: unknown) =>
        send(service.port, method, `/users/${person.accountId}`, { host: tenant.host, cookie: session, body });
      expect((await ask(mine, "PATCH", { password: NEXT })).status).to.equal(200);
      expect((await ask(mine, "GET")).status).to.equal(200);
      expect((await ask(second, "GET")).status).to.equal(401);
    });
  });

  describe("DELETE", () => {
    it("removes memberships, sessions and personal keys everywhere, and leaves names on past writes", async () => {
      const { person, sessions } = await inBoth();
      const admin = await tenant.member("admin", { password: PASSWORD, name: "Leaving Admin" });
      const company = (await admin.post("/companies", { name: "Left behind" })).body;
      const { body: account } = await admin.post("/service-accounts", { name: "Stays" });
      const scopes = ["companies.company.read"];
      const { body: key } = await admin.post(`/service-accounts/${account.id}/keys`, { name: "stays", scopes });
      for (const { accountId } of [person, admin]) {
        expect((await call("DELETE", accountId)).status).to.equal(204);
        expect((await call("GET", accountId)).status).to.equal(404);
        expect((await call("DELETE", accountId)).status).to.equal(404);
        for (const table of ["memberships", "sessions", "api_keys"]) {
          const { rows } = await service.sql.query(`select 1 from ${table} where account_id = $1`, [accountId]);
          expect(rows, table).to.deep.equal([]);
        }
      }
      for (const session of sessions) expect((await session.get("/users/me")).status).to.equal(401);
      expect((await admin.get("/companies")).status).to.equal(401);
      // The service account's key was made with a key that is now deleted: leaving does not revoke it (access §6.2).
      expect((await send(service.port, "GET", "/companies", { host: tenant.host, key: key.secret })).status).to.equal(200);
      const { rows } = await service.sql.query("select actor_name from activity where entity_id = $1", [company.id]);
      expect(rows[0].actor_name).to.equal("Leaving Admin");
      const { body: accounts } = await tenant.owner.get("/service-accounts");
      expect(accounts.find(({ id }: { id: string }) => id === account.id).created_by_user_id).to.equal(null);
    });

    it("deletes with If-Match only while the tag holds", async () => {
      const { accountId } = await tenant.member("member");
      const { etag } = (await call("GET", accountId)).headers as { etag: string };
      await call("PATCH", accountId, { full_name: "Moved on" });
      expect((await call("DELETE", accountId, undefined, { "If-Match": etag })).status).to.equal(412);
      expect((await call("DELETE", accountId, undefined, { "If-Match": "*" })).status).to.equal(204);
    });
  });
});
