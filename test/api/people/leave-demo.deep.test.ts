import { expect } from "chai";
import { fillPeople } from "../../../services/people/demo/demo-people.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { ok } from "./leave-people.ts";

describe("people of the demo organisation", () => {
  let service: TestService;
  let tenant: Tenant;
  const year = new Date().getUTCFullYear();
  const seed = () => fillPeople({ client: service.sql, organisation: tenant.organisation, owner: tenant.owner.email });
  before(async () => {
    // Of its own: the demo employees of another file's organisation would be there already.
    service = await startService();
    tenant = await service.tenant();
    for (let n = 0; n < 4; n++) await tenant.member("member");
    await seed();
  });
  after(() => service.stop());

  it("are 12 employees with a contract each, the owner not among them", async () => {
    const contracts: { user_id: string }[] = await ok(tenant.owner.get("/leave/contracts?all_users=true"));
    expect(new Set(contracts.map(({ user_id }) => user_id)).size).to.equal(12);
    expect(contracts.map(({ user_id }) => user_id)).to.not.include(tenant.owner.accountId);
  });

  it("have pots and leave in last year and this, priced as the service prices it", async () => {
    for (const one of [year - 1, year]) {
      expect((await ok(tenant.owner.get(`/leave/entitlements?year=${one}`))).length).to.be.greaterThan(23);
      const { items, total } = await ok(tenant.owner.get(`/leave/requests?all_users=true&year=${one}&limit=200`));
      expect(total).to.be.within(60, 96);
      for (const { user_id, leave_type_id, start_date, end_date, hours } of items.slice(0, 5)) {
        const span = { user_id, leave_type_id, start_date, end_date };
        expect((await ok(tenant.owner.post("/leave/requests/preview", span))).hours).to.equal(hours);
      }
    }
    const { rows } =
      await service.sql.query(`select 1 from leave_requests a join leave_requests b on a.user_id = b.user_id and a.id < b.id
      and daterange(a.start_date, a.end_date, '[]') && daterange(b.start_date, b.end_date, '[]')`);
    expect(rows, "two of one person on one day").to.deep.equal([]);
  });

  it("come once", async () => {
    const counted = async () =>
      (
        await service.sql.query(
          "select (select count(*) from leave_requests)::int as requests, (select count(*) from memberships)::int as members",
        )
      ).rows[0];
    const before = await counted();
    await seed();
    expect(await counted()).to.deep.equal(before);
  });
});
