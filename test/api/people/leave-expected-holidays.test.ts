import { expect } from "chai";
import { eventsAbout, type LeaveService, type LeaveTenant, sharedLeaveService } from "../../support/leave.ts";
import { fileBody } from "../../support/multipart.ts";

const MONDAYS = ["2031-03-31", "2031-04-07", "2031-04-21", "2031-04-28"];
/** Easter Monday and Liberation Day of 2031, both Mondays. */
const [EASTER_MONDAY, LIBERATION_DAY] = ["2031-04-14", "2031-05-05"];

describe("leave in a year whose holidays were not imported yet", () => {
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

  it("is laid out as it was priced, in the team view and in the event", async () => {
    const leave = { leave_type_id: tenant.types["sick"], start_date: EASTER_MONDAY, end_date: "2031-04-15" };
    const { status, body } = await tenant.employee.post("/leave/requests", leave);
    expect([status, body.hours]).to.deep.equal([201, "8.00"]);
    const days = [
      { date: EASTER_MONDAY, hours: "0.00", reason: "holiday" },
      { date: "2031-04-15", hours: "8.00", reason: null },
    ];
    const team = await tenant.employee.get("/leave/team?date_from=2031-04-01&date_to=2031-04-30");
    expect(team.body[0].days).to.deep.equal(days);
    const [event] = (await eventsAbout(service, body.id)) as { payload: Record<string, unknown> }[];
    expect(event?.payload["days"]).to.deep.equal(days);
  });

  it("costs the same in an import as in a request", async () => {
    const row = `${tenant.employee.email},sick,${EASTER_MONDAY},2031-04-15,,,`;
    const { body, headers } = fileBody(
      `email,leave_type_key,start_date,end_date,hours,status,note\r\n${row}`,
      "text/csv",
      "leave.csv",
    );
    expect((await tenant.owner.post("/impex/leave_request?dry_run=false", body, { headers })).body.created).to.equal(1);
    const { items } = (await tenant.employee.get("/leave/requests")).body;
    expect(items.map(({ hours }: { hours: string }) => hours)).to.deep.equal(["8.00"]);
  });

  it("recurs on days that stay away from the holidays its import will bring", async () => {
    expect(await years()).to.deep.equal([2029, 2030]);
    expect(await placed()).to.deep.equal(MONDAYS);
    expect(await years(), "nothing is imported early").to.deep.equal([2029, 2030]);
  });

  it("recurs on any day where the organisation keeps its calendar itself", async () => {
    await settings({ holiday_auto_import: false });
    expect(await placed()).to.deep.equal([...MONDAYS, EASTER_MONDAY, LIBERATION_DAY].sort());
  });

  it("takes an imported year as it is: a deactivated holiday is an ordinary day", async () => {
    expect((await tenant.owner.post("/leave/holidays/import", { year: 2031 })).status).to.be.lessThan(300);
    await service.sql.query("update leave_holidays set active = false where organisation_id = $1 and date = $2", [
      tenant.organisation.id,
      EASTER_MONDAY,
    ]);
    expect(await placed()).to.deep.equal([...MONDAYS, EASTER_MONDAY].sort());
  });

  it("follows another country's rules", async () => {
    await settings({ holiday_country: "us" });
    expect(await placed(), "neither day is one there").to.deep.equal([...MONDAYS, EASTER_MONDAY, LIBERATION_DAY].sort());
  });
});
