import { expect } from "chai";
import { send } from "../../support/http.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

const READ = "companies.company.read";
const PERSONAL = "apikeys.personal.manage";
const SERVICE = "apikeys.service_account.manage";

describe("POST /api-keys/{key_id}/revoke", () => {
  let service: TestService;
  let tenant: Tenant;
  const revoke = (caller: Caller, id: string) => caller.post(`/api-keys/${id}/revoke`);
  const use = async (key: string) => (await send(service.port, "GET", "/companies", { host: tenant.host, key })).status;
  const newKey = async (caller: Caller, scopes = [READ]) => (await caller.post("/api-keys", { name: "made", scopes })).body;
  const withKey = (key: string) => (path: string, body?: unknown) =>
    send(service.port, "POST", path, { host: tenant.host, key, body });
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  it("ends the key with the very next request, one that was used a moment ago", async () => {
    const person = await tenant.member("member");
    const key = await newKey(person);
    expect(await use(key.secret)).to.equal(200);
    const { status, body } = await revoke(person, key.id);
    expect(status).to.equal(200);
    expect(body.revoked_at).to.be.a("string");
    expect(body).not.to.have.property("secret");
    expect(await use(key.secret)).to.equal(401);
  });

  it("keeps the first moment when repeated, and audits once", async () => {
    const person = await tenant.member("member");
    const key = await newKey(person);
    const first = await revoke(person, key.id);
    const again = await revoke(person, key.id);
    expect(again.body).to.deep.equal(first.body);
    const { rows } = await service.sql.query(
      "select 1 from access_audit where action = 'api_key.revoke' and detail->>'id' = $1",
      [key.id],
    );
    expect(rows).to.have.length(1);
  });

  it("follows the table of §6.4", async () => {
    const [owner, robot] = [await tenant.member("admin"), await tenant.serviceAccount([READ])];
    const [personal, both, serviceOnly] = [
      await tenant.member("member", { grants: [PERSONAL, READ] }),
      await tenant.member("member", { grants: [PERSONAL, SERVICE, READ] }),
      await tenant.member("member", { grants: [SERVICE, READ] }),
    ];
    const theirs = await newKey(owner);
    expect((await revoke(personal, (await newKey(personal)).id)).status, "own").to.equal(200);
    expect((await revoke(personal, robot.keyId)).status, "a service account's without the permission").to.equal(403);
    const hidden = await revoke(personal, theirs.id);
    expect(hidden.status, "another person's without it").to.equal(404);
    expect(hidden.text).to.equal((await revoke(personal, "00000000-0000-4000-8000-000000000000")).text);
    expect((await revoke(serviceOnly, robot.keyId)).status, "without apikeys.personal.manage").to.equal(403);
    expect([await use(robot.key), await use(theirs.secret)]).to.deep.equal([200, 200]);
    expect((await revoke(both, robot.keyId)).status, "a service account's").to.equal(200);
    expect((await revoke(both, theirs.id)).status, "another person's").to.equal(200);
    expect([await use(robot.key), await use(theirs.secret)]).to.deep.equal([401, 401]);
  });

  it("never reaches another organisation's key", async () => {
    const other = await service.tenant();
    const stranger = await other.member("admin");
    expect((await revoke(tenant.owner, stranger.keyId)).status).to.equal(404);
    expect((await stranger.get("/companies")).status).to.equal(200);
  });

  it("takes the whole line along: keys made with the key, by those keys, for a service account too, and no sibling", async () => {
    const person = await tenant.member("admin");
    const scopes = [PERSONAL, SERVICE, READ];
    const root = await newKey(person, scopes);
    const sibling = await newKey(person, scopes);
    const child = (await withKey(root.secret)("/api-keys", { name: "child", scopes })).body;
    const grandchild = (await withKey(child.secret)("/api-keys", { name: "grandchild", scopes })).body;
    const { body: account } = await person.post("/service-accounts", { name: "Robot" });
    const leaf = (await withKey(grandchild.secret)(`/service-accounts/${account.id}/keys`, { name: "leaf", scopes: [READ] }))
      .body;
    for (const { secret } of [root, child, grandchild, leaf]) expect(await use(secret)).to.equal(200);
    await revoke(person, root.id);
    for (const { secret, name } of [root, child, grandchild, leaf]) expect(await use(secret), name).to.equal(401);
    expect(await use(sibling.secret)).to.equal(200);
    const { rows } = await service.sql.query(
      "select detail->>'name' as name from access_audit where action = 'api_key.revoke' and detail->>'id' = any($1) order by 1",
      [[root, child, grandchild, leaf, sibling].map(({ id }) => id)],
    );
    expect(rows.map(({ name }) => name)).to.deep.equal(["child", "grandchild", "leaf", "made"]);
  });

  it("lets a key revoke itself", async () => {
    const person = await tenant.member("member");
    const key = await newKey(person, [PERSONAL, READ]);
    expect((await withKey(key.secret)(`/api-keys/${key.id}/revoke`)).status).to.equal(200);
    expect(await use(key.secret)).to.equal(401);
  });
});

describe("a key that was issued over the API", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  it("gives nothing at :any to someone who now holds :own, and comes back with the role", async () => {
    const person = await tenant.member("member", { grants: [PERSONAL, "time.entry.read:any", READ] });
    const key = (await person.post("/api-keys", { name: "x", scopes: ["time.entry.read:any", READ] })).body.secret;
    const role = "update roles set permissions = $2 where id = (select role_id from membership_roles where membership_id = $1)";
    const status = async (path: string) => (await send(service.port, "GET", path, { host: tenant.host, key })).status;
    await service.sql.query(role, [person.membershipId, [PERSONAL]]);
    expect(await status("/companies")).to.equal(403);
    await service.sql.query(role, [person.membershipId, [PERSONAL, READ]]);
    expect(await status("/companies")).to.equal(200);
  });

  it("does not reach accounts: 401 on every /users operation", async () => {
    const paths = [
      "GET /users/me",
      "PATCH /users/me",
      "POST /users/me/email",
      "GET /users/x",
      "PATCH /users/x",
      "DELETE /users/x",
    ];
    for (const one of paths) {
      const [method = "", path = ""] = one.replace("/x", `/${tenant.owner.accountId}`).split(" ");
      const { status } = await send(service.port, method, path, { host: tenant.host, key: tenant.owner.key, body: {} });
      expect(status, one).to.equal(401);
    }
  });
});
