import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { invalidOn, refusalOf } from "../clients/companies/company-records.ts";
import { lapse, ok } from "./leave-people.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

describe("hourly rates", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const put = (id: string, body: unknown, call = {}) => tenant.owner.put(`/leave/rate/${id}`, body, call);
  const get = async (id: string) => (await tenant.owner.get(`/leave/rate/${id}`)).body;

  it("are the person's own, else the organisation's, else none; 0 is a rate", async () => {
    const { accountId: id } = await tenant.member("member");
    expect(await get(id)).to.deep.equal({ user_id: id, hourly_rate: null, effective_hourly_rate: null });
    await ok(tenant.owner.put("/leave/settings", { default_hourly_rate: "30" }));
    expect(await get(id)).to.include({ hourly_rate: null, effective_hourly_rate: "30.00" });
    expect((await put(id, { hourly_rate: 0 })).body).to.include({ hourly_rate: "0.00", effective_hourly_rate: "0.00" });
    expect((await put(id, { hourly_rate: "41.5" })).body).to.include({ hourly_rate: "41.50", effective_hourly_rate: "41.50" });
    expect((await put(id, {})).body).to.include({ hourly_rate: "41.50" });
    expect((await put(id, { hourly_rate: null })).body).to.include({ hourly_rate: null, effective_hourly_rate: "30.00" });
  });

  for (const [what, hourly_rate] of [
    ["below nothing", -1],
    ["over 100000", 100000.01],
    ["that is no number", "much"],
  ] as const)
    it(`refuse a rate ${what}`, async () => {
      expect(refusalOf(await put(tenant.owner.accountId, { hourly_rate }))).to.deep.equal(
        invalidOn({ hourly_rate: "errors.validation" }),
      );
    });

  it("are read by their owner; another's needs :any and is 403 without, known or not", async () => {
    const member = await tenant.member("member");
    await put(member.accountId, { hourly_rate: 20 });
    expect((await member.get("/leave/rate")).body).to.include({ user_id: member.accountId, hourly_rate: "20.00" });
    expect((await member.get(`/leave/rate/${member.accountId.toUpperCase()}`)).body).to.include({ hourly_rate: "20.00" });
    for (const id of [tenant.owner.accountId, UNKNOWN]) expect((await member.get(`/leave/rate/${id}`)).status).to.equal(403);
    expect((await member.get("/leave/rates")).status).to.equal(403);
    expect((await member.put(`/leave/rate/${member.accountId}`, { hourly_rate: 1 })).status).to.equal(403);
  });

  it("answer 404 for a non-member", async () => {
    const stranger = await (await service.tenant()).member("member");
    for (const id of [UNKNOWN, stranger.accountId]) {
      expect((await tenant.owner.get(`/leave/rate/${id}`)).status).to.equal(404);
      expect((await put(id, { hourly_rate: 1 })).status).to.equal(404);
    }
  });

  it("make the profile row, whose members the list names", async () => {
    const [zita, anna] = [await tenant.member("member", { name: "Zita" }), await tenant.member("member", { name: "anna" })];
    await tenant.member("member");
    await put(zita.accountId, { hourly_rate: 20 });
    await ok(tenant.owner.put(`/leave/profiles/${anna.accountId}`, { hours_per_week: 32 }));
    const rows: { user_id: string; hourly_rate: string | null }[] = (await tenant.owner.get("/leave/rates")).body;
    expect(rows.map(({ user_id, hourly_rate }) => [user_id, hourly_rate])).to.deep.equal([
      [anna.accountId, null],
      [zita.accountId, "20.00"],
    ]);
    await service.sql.query("update leave_profiles set updated_at = '2026-01-01' where user_id = $1", [anna.accountId]);
    expect((await tenant.owner.get("/leave/rates?updated_since=2026-01-02T00:00:00Z")).body.length).to.equal(1);
  });

  it("keep a stored week when they are set, and the week keeps the rate", async () => {
    const { accountId: id } = await tenant.member("member");
    await put(id, { hourly_rate: 20 });
    await ok(tenant.owner.put(`/leave/profiles/${id}`, { hours_per_week: 32 }));
    expect(await get(id)).to.include({ hourly_rate: "20.00" });
  });

  it("let one of several writers with one tag win, also the first ones", async () => {
    const { accountId: id } = await tenant.member("member");
    const { etag } = (await tenant.owner.get(`/leave/rate/${id}`)).headers;
    const answers = await Promise.all([1, 2, 3].map((rate) => put(id, { hourly_rate: rate }, { headers: { "If-Match": etag } })));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 412, 412]);
  });

  it("are not written without a licence, and still read", async () => {
    const restore = await lapse(service);
    expect((await put(tenant.owner.accountId, { hourly_rate: 1 })).status).to.equal(402);
    expect((await tenant.owner.get("/leave/rate")).status).to.equal(200);
    await restore();
  });
});
