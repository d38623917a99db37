import { expect } from "chai";
import { type LeaveService, type LeaveTenant, sharedLeaveService } from "../../support/leave.ts";

const MONDAYS = ["2031-03-31", "2031-04-07", "2031-04-21", "2031-04-28"];
/** Easter Monday and Liberation Day of 2031, both Mondays. */
const [EASTER_MONDAY, LIBERATION_DAY] = ["2031-04-14", "2031-05-05"];

describe("recurring days in a year that was not imported yet", () => {
  let service: LeaveService;
  let tenant: LeaveTenant;
  before(async () => {
    service = await sharedLeaveService("2029-12-03");
  });
  beforeEach(async () => {
    service.today("2029-12-03");
    tenant = await service.leaveTenant();
    service.today("2030-05-06");
  });
  after(() => service.stop());

  const years = async (): Promise<number[]> => {
    const { rows } = await service.sql.query(
      "select distinct extract(year from date)::int as year from leave_holidays where organisation_id = $1 order by 1",
      [tenant.organisation.id],
    );
    return rows.map(({ year }) => year);
  };
  const settings = async (body: object) => expect((await tenant.owner.put("/leave/settings", body)).status).to.equal(200);
  /** Every Monday from the end of March 2031 to the horizon, of a type that spends no pot. */
  const placed = async (): Promise<string[]> => {
    const answer = await tenant.owner.post("/leave/recurring", {
      user_id: tenant.employee.accountId,
      leave_type_id: tenant.types["sick"],
      anchor_date: "2031-03-31",
      interval_weeks: 1,
    });
    expect(answer.status, answer.text).to.equal(201);
    const { rows } = await service.sql.query(
      "select start_date::text as day from leave_requests where organisation_id = $1 order by 1",
      [tenant.organisation.id],
    );
    return rows.map(({ day }) => day);
  };

  it("stay away from the holidays that its import will bring", async () => {
    expect(await years()).to.deep.equal([2029, 2030]);
    expect(await placed()).to.deep.equal(MONDAYS);
    expect(await years(), "nothing is imported early").to.deep.equal([2029, 2030]);
  });

  it("are placed on any day where the organisation keeps its calendar itself", async () => {
    await settings({ holiday_auto_import: false });
    expect(await placed()).to.deep.equal([...MONDAYS, EASTER_MONDAY, LIBERATION_DAY].sort());
  });

  it("take an imported year as it is: a deactivated holiday is an ordinary day", async () => {
    expect((await tenant.owner.post("/leave/holidays/import", { year: 2031 })).status).to.be.lessThan(300);
    await service.sql.query("update leave_holidays set active = false where organisation_id = $1 and date = $2", [
      tenant.organisation.id,
      EASTER_MONDAY,
    ]);
    expect(await placed()).to.deep.equal([...MONDAYS, EASTER_MONDAY].sort());
  });

  it("follow another country's rules", async () => {
    await settings({ holiday_country: "us" });
    expect(await placed(), "neither day is one there").to.deep.equal([...MONDAYS, EASTER_MONDAY, LIBERATION_DAY].sort());
  });
});
