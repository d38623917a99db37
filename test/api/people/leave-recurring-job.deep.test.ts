import { expect } from "chai";
import { fire, holdSchedules, settled } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

describe("the monthly placement of recurring days", () => {
  let service: TestService;
  before(async () => {
    service = await startService();
    await holdSchedules(service, "leave.%");
  });
  after(() => service.stop());

  /** An organisation with two people whose patterns have placed nothing yet. */
  const planned = async () => {
    const tenant = await service.tenant();
    const type = await tenant.owner.post("/leave/types", { key: "course", requires_approval: false });
    const people = [tenant.owner, await tenant.member("member"), await tenant.member("member")];
    for (const { accountId } of people) {
      const answer = await tenant.owner.post("/leave/recurring", {
        user_id: accountId,
        leave_type_id: type.body.id,
        anchor_date: "2020-01-06",
        interval_weeks: 8,
      });
      if (answer.status !== 201) throw new Error(answer.text);
    }
    await service.sql.query("delete from leave_requests where organisation_id = $1", [tenant.organisation.id]);
    return { tenant, people };
  };
  const placed = async ({ organisation }: Tenant): Promise<number> =>
    (await service.sql.query("select count(*)::int as n from leave_requests where organisation_id = $1", [organisation.id]))
      .rows[0].n;

  it("comes on the first of each month at 04:30", async () => {
    const { rows } = await service.sql.query("select repeat_interval from jobs.agenda_jobs where name = 'leave.place-days'");
    expect(rows).to.deep.equal([{ repeat_interval: "30 4 1 * *" }]);
  });

  it("places due days in every organisation, for members only; a second run places nothing", async () => {
    const [one, other] = [await planned(), await planned()];
    const gone = one.people[2]?.membershipId;
    await service.sql.query("delete from memberships where id = $1", [gone]);
    await settled(service);
    await fire(service, "leave.place-days");
    const [first, second] = [await placed(one.tenant), await placed(other.tenant)];
    expect(first).to.be.greaterThan(8);
    expect(second * 2, "two people here, three there").to.equal(first * 3);
    await fire(service, "leave.place-days");
    expect([await placed(one.tenant), await placed(other.tenant)]).to.deep.equal([first, second]);
  });

  it("stays away from patterns that are switched off", async () => {
    const { tenant } = await planned();
    await service.sql.query("update leave_recurring_days set active = false where organisation_id = $1", [
      tenant.organisation.id,
    ]);
    await fire(service, "leave.place-days");
    expect(await placed(tenant)).to.equal(0);
  });
});
