import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

interface Line {
  action: string;
  created_at: string;
  [field: string]: unknown;
}

describe("GET /settings/audit", () => {
  let service: TestService;
  let tenant: Tenant;
  let admin: Caller;
  const read = async (query = "", who = tenant.owner) => (await who.get(`/settings/audit${query}`)).body;
  const actions = async (query = "") => (await read(query)).items.map(({ action }: Line) => action);
  const stamp = (action: string, at: string) =>
    service.sql.query("update access_audit set created_at = $3 where organisation_id = $1 and action = $2", [
      tenant.organisation.id,
      action,
      at,
    ]);

  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    admin = await tenant.member("admin");
    const { id } = (await tenant.owner.post("/roles", { key: "x", permissions: ["companies.company.read"] })).body;
    await admin.patch(`/roles/${id}`, { permissions: [] });
    await admin.delete(`/roles/${id}`);
  });

  it("is a page of every field, newest first, that survives the role it names", async () => {
    const { items, total, limit, offset } = await read();
    expect({ total, limit, offset }).to.deep.equal({ total: 3, limit: 50, offset: 0 });
    expect(items.map(({ action }: Line) => action)).to.deep.equal(["role.delete", "role.update", "role.create"]);
    expect(items[1]).to.have.all.keys(
      "id",
      "created_at",
      "action",
      "actor_id",
      "actor_email",
      "role_id",
      "role_key",
      "target_account_id",
      "detail",
    );
    expect(items[1]).to.deep.include({
      actor_id: admin.accountId,
      actor_email: admin.email,
      role_key: "x",
      target_account_id: null,
      detail: { granted: [], revoked: ["companies.company.read"] },
    });
  });

  it("filters by a set of actions and by actor", async () => {
    expect(await actions("?action=role.create,role.delete")).to.deep.equal(["role.delete", "role.create"]);
    expect(await actions(`?actor=${tenant.owner.accountId}`)).to.deep.equal(["role.create"]);
    expect(await actions("?action=nothing")).to.deep.equal([]);
    for (const empty of ["?action=", "?action=%20,"]) expect(await actions(empty), empty).to.deep.equal(await actions());
    expect((await read(`?actor=${admin.accountId}&limit=1`)).total).to.equal(2);
  });

  it("filters by days of the organisation's zone, both counted", async () => {
    // Amsterdam is two hours ahead in summer: the first is the 1st of July there, the second still the 1st, the third the 2nd.
    await stamp("role.create", "2026-06-30T22:00:00Z");
    await stamp("role.update", "2026-07-01T21:59:59Z");
    await stamp("role.delete", "2026-07-01T22:00:00Z");
    expect(await actions("?date_from=2026-07-01&date_to=2026-07-01")).to.deep.equal(["role.update", "role.create"]);
    expect(await actions("?date_from=2026-07-02")).to.deep.equal(["role.delete"]);
    expect(await actions("?date_to=2026-06-30")).to.deep.equal([]);
  });

  it("returns with updated_since what was written at or after that instant, in items and total", async () => {
    await stamp("role.create", "2026-06-30T22:00:00Z");
    await stamp("role.update", "2026-07-01T10:00:00.123456Z");
    await stamp("role.delete", "2026-07-02T10:00:00Z");
    const since = async (instant: string, more = "") => {
      const { items, total } = await read(`?updated_since=${encodeURIComponent(instant)}${more}`);
      expect(total).to.equal(items.length);
      return items.map(({ action }: Line) => action);
    };
    expect(await since("2026-07-01T10:00:00.123456Z")).to.deep.equal(["role.update", "role.delete"]);
    expect(await since("2026-07-01T12:00:00.123457+02:00")).to.deep.equal(["role.delete"]);
    expect(await since("2026-06-01T00:00:00Z", "&date_to=2026-07-01")).to.deep.equal(["role.create", "role.update"]);
    expect(await since("2026-07-03T00:00:00Z")).to.deep.equal([]);
    expect((await tenant.owner.get("/settings/audit?updated_since=yesterday")).body.error.fields).to.have.property(
      "updated_since",
    );
  });

  it("keeps an actor's address as it was", async () => {
    await service.sql.query("update accounts set email = 'moved@example.com' where id = $1", [admin.accountId]);
    expect((await read("?action=role.update")).items[0].actor_email).to.equal(admin.email);
  });

  it("is for those who manage roles", async () => {
    const member = await tenant.member("member");
    expect((await member.get("/settings/audit")).status).to.equal(403);
    expect((await admin.get("/settings/audit")).status).to.equal(200);
  });

  it("takes the first and the last day there is", async () => {
    const { status, body } = await tenant.owner.get("/settings/audit?date_from=0001-01-01&date_to=9999-12-31");
    expect([status, body.total > 0]).to.deep.equal([200, true]);
  });

  it("refuses an invalid day", async () => {
    expect((await tenant.owner.get("/settings/audit?date_from=2026-02-30")).body.error.fields).to.have.property("date_from");
  });
});
