import { expect } from "chai";
import { jobsOf } from "../../../mixins/jobs.ts";
import { fire } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { Leave, ok } from "./leave-people.ts";

describe("the scheduled work of leave rights", () => {
  let service: TestService;
  let tenant: Tenant;
  const next = new Date().getUTCFullYear() + 1;
  before(async () => {
    service = await startService();
    await jobsOf(service.node.broker).ready();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const schedules = async () =>
    Object.fromEntries(
      (
        await service.sql.query(
          "select name, repeat_interval from jobs.agenda_jobs where name like 'leave.%' and type = 'single'",
        )
      ).rows.map(({ name, repeat_interval }) => [name, repeat_interval]),
    );
  const holidays = async () =>
    (
      await service.sql.query("select 1 from leave_holidays where organisation_id = $1 and date_part('year', date) = $2", [
        tenant.organisation.id,
        next,
      ])
    ).rows.length;

  it("comes on 1 December: holidays at 03:00, pots at 04:00", async () => {
    expect(await schedules()).to.include({ "leave.import-holidays": "0 3 1 12 *", "leave.derive-pots": "0 4 1 12 *" });
  });

  it("imports next year's holidays unless that is switched off, and twice nothing more", async () => {
    await ok(tenant.owner.put("/leave/settings", { holiday_auto_import: false }));
    await ok(tenant.owner.get("/leave/holidays"));
    await service.sql.query("delete from leave_holidays where organisation_id = $1 and date_part('year', date) = $2", [
      tenant.organisation.id,
      next,
    ]);
    await fire(service, "leave.import-holidays");
    expect(await holidays()).to.equal(0);
    await ok(tenant.owner.put("/leave/settings", { holiday_auto_import: true }));
    for (const _ of [1, 2]) {
      await fire(service, "leave.import-holidays");
      expect(await holidays()).to.equal(11);
    }
  });

  it("leaves an organisation that never used leave with this year's holidays as well", async () => {
    const year = next - 1;
    await fire(service, "leave.import-holidays");
    const { rows } = await service.sql.query(
      "select date_part('year', date)::int as year, count(*)::int as days from leave_holidays where organisation_id = $1 group by 1 order by 1",
      [tenant.organisation.id],
    );
    expect(rows).to.deep.equal([
      { year, days: 11 },
      { year: next, days: 11 },
    ]);
    expect(await ok(tenant.owner.get(`/leave/holidays?year=${year}`))).to.have.length(11);
  });

  it("computes next year's missing pots of everyone who accrues", async () => {
    const leave = new Leave(service, tenant);
    const person = await leave.employee(32);
    await leave.types();
    await service.sql.query("delete from leave_entitlements where organisation_id = $1", [tenant.organisation.id]);
    await leave.pot(person, "vacation_extra", next, 3);
    await fire(service, "leave.derive-pots");
    expect(await leave.pots(person, next)).to.include({ vacation_statutory: "128.00", vacation_extra: "3.00" });
    expect(await leave.pots(tenant.owner, next)).to.include({ vacation_statutory: "160.00" });
  });
});
