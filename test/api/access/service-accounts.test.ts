import { expect } from "chai";
import { send } from "../../support/http.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

const READ = "companies.company.read";
const SERVICE = "apikeys.service_account.manage";

describe("service accounts", () => {
  let service: TestService;
  let tenant: Tenant;
  let admin: Caller;
  const use = async (key: string) => (await send(service.port, "GET", "/companies", { host: tenant.host, key })).status;
  const account = async (name = "Robot", by = admin) => (await by.post("/service-accounts", { name })).body;
  const keyFor = (id: string, body: object = { name: "key", scopes: [READ] }, by = admin) =>
    by.post(`/service-accounts/${id}/keys`, body);
  const audited = async (action: string, id: string) =>
    (await service.sql.query("select * from access_audit where action = $1 and detail->>'id' = $2", [action, id])).rows;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    admin = await tenant.member("admin");
  });
  after(() => service.stop());

  describe("POST /service-accounts", () => {
    it("makes one without keys, says who made it, and audits it", async () => {
      const { status, body } = await admin.post("/service-accounts", { name: "Importer" });
      expect(status).to.equal(201);
      expect(body).to.deep.include({
        name: "Importer",
        active: true,
        keys: [],
        org_id: tenant.organisation.id,
        created_by_user_id: admin.accountId,
      });
      const [row] = await audited("service_account.create", body.id);
      expect(row).to.deep.include({ actor_id: admin.accountId, actor_email: admin.email });
    });

    it("takes the same name twice, and 1 to 120 characters", async () => {
      expect((await account("Twin")).id).not.to.equal((await account("Twin")).id);
      expect((await admin.post("/service-accounts", { name: "é".repeat(120) })).status).to.equal(201);
      for (const name of ["", "x".repeat(121)])
        expect((await admin.post("/service-accounts", { name })).body.error.fields).to.deep.equal({ name: "errors.validation" });
    });

    it("refuses a caller with a restricted selection, whose account would see every client", async () => {
      const company = await tenant.company();
      const restricted = await tenant.member("admin");
      await tenant.group("Some", [company.id], [restricted.membershipId]);
      const before = (await admin.get("/service-accounts")).body.length;
      expect((await restricted.post("/service-accounts", { name: "Way out" })).status).to.equal(403);
      expect((await keyFor((await account()).id, undefined, restricted)).status).to.equal(403);
      expect((await restricted.get("/service-accounts")).body.length).to.equal(before + 1);
    });

    it("is open to a service account, which the audit lists under its name", async () => {
      const robot = await tenant.serviceAccount([SERVICE]);
      const made = await account("Made by a robot", robot);
      expect(made.created_by_user_id).to.equal(null);
      const [row] = await audited("service_account.create", made.id);
      expect(row.actor_email).to.equal(robot.email);
    });
  });

  describe("POST /service-accounts/{account_id}/keys", () => {
    it("makes a key that may do exactly its scopes", async () => {
      const { id } = await account();
      const { status, body } = await keyFor(id);
      expect(status).to.equal(201);
      expect(body).to.deep.include({ principal_type: "service_account", service_account_id: id, user_id: null, scopes: [READ] });
      expect(await use(body.secret)).to.equal(200);
      const [row] = await audited("api_key.create", body.id);
      expect(row).to.deep.include({ target_account_id: null });
    });

    it("is bounded by the caller, with the checks of personal keys", async () => {
      const { id } = await account();
      const limited = await tenant.member("member", { grants: [SERVICE, READ] });
      const beyond = await keyFor(id, { name: "x", scopes: [READ, "companies.company.write"] }, limited);
      expect(beyond.status).to.equal(403);
      expect(beyond.body.error.message).to.equal("errors.apikey_scope_exceeds_grants");
      for (const scopes of [["*"], ["time.entry.read"], [`${READ}:own`]])
        expect((await keyFor(id, { name: "x", scopes })).body.error.fields).to.deep.equal({
          scopes: "errors.apikey_unknown_scope",
        });
      const past = await keyFor(id, { name: "x", scopes: [READ], expires_at: "2020-01-01T00:00:00Z" });
      expect(past.body.error.fields).to.deep.equal({ expires_at: "errors.apikey_expiry_past" });
      expect((await keyFor(id, undefined, limited)).status).to.equal(201);
    });

    it("ends with the personal key that made it where an invitation takes that key from an unproven account", async () => {
      const admin = await tenant.member("admin");
      const { id } = (await admin.post("/service-accounts", { name: "Sync" })).body;
      const made = await admin.post(`/service-accounts/${id}/keys`, { name: "sync", scopes: ["companies.company.read"] });
      const use = async () => (await service.call("GET", "/companies", { host: tenant.host, key: made.body.secret })).status;
      expect(await use()).to.equal(200);
      await service.sql.query("update accounts set is_verified = false where id = $1", [admin.accountId]);
      const other = await service.tenant();
      expect((await other.owner.post("/members/invite", { email: admin.email })).status).to.equal(201);
      expect(await use()).to.equal(401);
    });

    it("stays as it is when the caller loses rights, is deactivated or deleted", async () => {
      const { id } = await account();
      const leaver = await tenant.member("admin");
      const { body } = await keyFor(id, undefined, leaver);
      await service.sql.query("update memberships set deactivated_at = now() where id = $1", [leaver.membershipId]);
      expect(await use(body.secret)).to.equal(200);
      await service.sql.query("delete from accounts where id = $1", [leaver.accountId]);
      expect(await use(body.secret)).to.equal(200);
    });

    it("refuses a service account, also for itself", async () => {
      const robot = await tenant.serviceAccount([SERVICE, READ]);
      expect((await keyFor(robot.accountId, undefined, robot)).status).to.equal(403);
    });

    it("is 404 for a foreign, unknown or deleted account, and makes nothing", async () => {
      const other = await service.tenant();
      const { body: foreign } = await other.owner.post("/service-accounts", { name: "Theirs" });
      const { id: gone } = await account();
      await admin.delete(`/service-accounts/${gone}`);
      for (const id of [foreign.id, "00000000-0000-4000-8000-000000000000", gone]) {
        expect((await keyFor(id)).status).to.equal(404);
        expect((await admin.get(`/service-accounts/${id}/keys`)).status).to.equal(404);
        expect((await admin.delete(`/service-accounts/${id}`)).status).to.equal(404);
      }
      expect((await other.owner.get(`/service-accounts/${foreign.id}/keys`)).body).to.deep.equal([]);
    });
  });

  describe("GET /service-accounts", () => {
    it("lists by name, case ignored, each with its keys newest first, in one statement for any number", async () => {
      const fresh = await service.tenant();
      const ids: string[] = [];
      const ask = async () => {
        await fresh.owner.get("/service-accounts");
        const { body, statements } = await fresh.owner.get("/service-accounts");
        return { body, statements };
      };
      for (const name of ["beta", "Alpha", "gamma"]) {
        const { body } = await fresh.owner.post("/service-accounts", { name });
        ids.push(body.id);
        for (const key of ["one", "two"])
          await fresh.owner.post(`/service-accounts/${body.id}/keys`, { name: key, scopes: [READ] });
      }
      const few = await ask();
      expect(few.body.map(({ name }: { name: string }) => name)).to.deep.equal(["Alpha", "beta", "gamma"]);
      for (const one of few.body) expect(one.keys.map(({ name }: { name: string }) => name)).to.deep.equal(["two", "one"]);
      const single = await fresh.owner.get(`/service-accounts/${ids[0]}/keys`);
      expect(few.body[1].keys).to.deep.equal(single.body);
      for (let n = 0; n < 30; n++) await fresh.owner.post("/service-accounts", { name: `more ${n}` });
      for (let n = 0; n < 30; n++) await fresh.owner.post(`/service-accounts/${ids[0]}/keys`, { name: `k${n}`, scopes: [READ] });
      const many = await ask();
      expect(many.body).to.have.length(33);
      expect([few.statements, many.statements]).to.deep.equal([1, 1]);
      const keys = await fresh.owner.get(`/service-accounts/${ids[0]}/keys`);
      expect(keys.body).to.have.length(32);
      expect(keys.statements).to.equal(2);
    });

    it("takes updated_since: a new key changes its account", async () => {
      const { id } = await account("Quiet");
      await account("Still");
      await service.sql.query("update service_accounts set updated_at = now() - interval '1 day'");
      await service.sql.query("update api_keys set updated_at = now() - interval '1 day' where service_account_id is not null");
      await keyFor(id);
      const { body } = await admin.get(`/service-accounts?updated_since=${new Date(Date.now() - 3_600_000).toISOString()}`);
      expect(body.map((one: { id: string }) => one.id)).to.deep.equal([id]);
    });
  });

  describe("DELETE /service-accounts/{account_id}", () => {
    it("deletes its keys at once, and leaves its name on past actions", async () => {
      const { id } = await account("Leaving");
      const { body: key } = await keyFor(id, { name: "k", scopes: ["companies.company.write", READ] });
      const call = { host: tenant.host, key: key.secret };
      const made = await send(service.port, "POST", "/companies", { ...call, body: { name: "Made by a robot" } });
      expect(made.status).to.equal(201);
      expect((await admin.delete(`/service-accounts/${id}`)).status).to.equal(204);
      expect(await use(key.secret)).to.equal(401);
      const { rows } = await service.sql.query("select actor_name from activity where entity_id = $1 and action = 'created'", [
        made.body.id,
      ]);
      expect(rows).to.deep.equal([{ actor_name: "Leaving" }]);
      expect(await audited("service_account.delete", id)).to.have.length(1);
    });

    it("lets no key survive that is made in the same moment", async () => {
      for (let round = 0; round < 6; round++) {
        const { id } = await account("Raced");
        const [gone, made] = await Promise.all([admin.delete(`/service-accounts/${id}`), keyFor(id)]);
        expect(gone.status).to.equal(204);
        expect(made.status).to.be.oneOf([201, 404]);
        if (made.status === 201) expect(await use(made.body.secret)).to.equal(401);
      }
    });
  });
});
