import { expect } from "chai";
import { sharedService, type TestService } from "../../support/service.ts";
import { clock, FIVE_SHORT_DAYS, Leave, licensed, ok, UNEVEN } from "./leave-people.ts";

describe("worked examples of people §15 that are about pots and balances, over the API", () => {
  let service: TestService;
  let leave: Leave;
  const now = clock();
  before(async () => {
    service = await sharedService("clock");
    await licensed(service);
  });
  beforeEach(async () => {
    // Before the years of the examples.
    now.set("2026-11-02");
    leave = new Leave(service, await service.tenant());
  });
  afterEach(now.restore);
  after(() => service.stop());

  it("7: a mid-year hire accrues for the days covered", async () => {
    const person = await leave.employee(32, "2030-05-20");
    await leave.generate(2030);
    expect(await leave.pots(person, 2030)).to.deep.equal({
      vacation_statutory: "79.25",
      vacation_extra: "19.81",
      roostervrij: "260.00",
    });
  });

  it("8: a change of hours in a leap year", async () => {
    const person = await leave.employee(28, "2028-01-01", { end_date: "2028-08-31" });
    await leave.contract(person, 36, "2028-09-01");
    await leave.generate(2028);
    expect(await leave.pots(person, 2028)).to.deep.equal({
      vacation_statutory: "122.67",
      vacation_extra: "30.67",
      roostervrij: "488.00",
    });
  });

  it("9: a departure takes back the rest of the year, and later pots for good", async () => {
    now.set("2030-02-01");
    const person = await leave.tenant.member("member");
    const { id } = await leave.contract(person, 40, "2025-01-01");
    await leave.generate(2030);
    await leave.generate(2031);
    expect(await leave.pots(person, 2031)).to.deep.equal({ vacation_statutory: "160.00", vacation_extra: "40.00" });
    await ok(leave.tenant.owner.patch(`/leave/contracts/${id}`, { end_date: "2030-03-15" }));
    expect(await leave.pots(person, 2030)).to.deep.equal({ vacation_statutory: "32.44", vacation_extra: "8.11" });
    expect(await leave.pots(person, 2031)).to.deep.equal({});
    await leave.balance(person, 2031);
    expect(await leave.pots(person, 2031)).to.deep.equal({});
  });

  it("10: an employee who goes freelance accrues nothing from then on", async () => {
    const person = await leave.employee(24, "2029-01-01", { end_date: "2030-06-30" });
    await leave.contract(person, null, "2030-07-01", { employment_type: "freelance" });
    await leave.generate(2030);
    await leave.generate(2031);
    const { vacation_statutory, roostervrij } = await leave.pots(person, 2030);
    expect([vacation_statutory, roostervrij]).to.deep.equal(["47.61", "412.00"]);
    expect(await leave.pots(person, 2031)).to.deep.equal({});
  });

  it("11: without a contract the profile's hours count, and there is no free time", async () => {
    const person = await leave.tenant.member("member");
    await ok(leave.tenant.owner.put(`/leave/profiles/${person.accountId}`, { hours_per_week: 32 }));
    await leave.generate(2030);
    expect(await leave.pots(person, 2030)).to.deep.equal({ vacation_statutory: "128.00", vacation_extra: "32.00" });
  });

  it("12: free time derived, agreed, or in the roster already", async () => {
    const inRoster = await leave.employee(32, "2030-01-01", { free_time_hours_per_week: 0 });
    const agreed = await leave.employee(32, "2030-01-01", { free_time_hours_per_week: 3 });
    const derived = await leave.employee(38, "2030-01-01", { schedule: FIVE_SHORT_DAYS });
    await leave.generate(2030);
    expect((await leave.pots(inRoster, 2030))["roostervrij"]).to.equal(undefined);
    expect((await leave.pots(agreed, 2030))["roostervrij"]).to.equal("156.00");
    expect((await leave.pots(derived, 2030))["roostervrij"]).to.equal("102.60");
  });

  it("13: the soonest to expire is drawn first", async () => {
    const person = await leave.tenant.member("member");
    await leave.pot(person, "vacation_statutory", 2028, 30);
    await leave.pot(person, "vacation_extra", 2028, 16);
    await leave.pot(person, "vacation_statutory", 2029, 128);
    await leave.pot(person, "vacation_extra", 2029, 32);
    await leave.book(person, "vacation_statutory", ["2029-05-14", "2029-05-18"], 40);
    await leave.book(person, "vacation_statutory", ["2029-09-03", "2029-09-04"], 16);
    const group = await leave.group(person, "vacation_statutory", 2029);
    expect(group).to.include({
      entitled_hours: "206.00",
      pending_hours: "56.00",
      remaining_hours: "150.00",
      approved_hours: "0.00",
    });
    expect(
      group.pots.map((pot: Record<string, unknown>) => [
        pot["accrual_year"],
        pot["entitled_hours"],
        pot["remaining_hours"],
        pot["expires_on"],
      ]),
    ).to.deep.equal([
      [2028, "30.00", "0.00", "2029-07-01"],
      [2029, "128.00", "102.00", "2030-07-01"],
      [2028, "16.00", "16.00", "2034-01-01"],
      [2029, "32.00", "32.00", "2035-01-01"],
    ]);
    const rows = await leave.balance(person, 2029);
    expect([rows["vacation_statutory"]?.["remaining_hours"], rows["vacation_extra"]?.["remaining_hours"]]).to.deep.equal([
      "102.00",
      "48.00",
    ]);
    expect(await leave.group(person, "vacation_statutory", 2030)).to.include({
      entitled_hours: "150.00",
      remaining_hours: "150.00",
    });
  });

  it("14: undrawn hours lapse on the day the pot dies", async () => {
    const person = await leave.tenant.member("member");
    await leave.pot(person, "vacation_statutory", 2028, 30);
    await leave.pot(person, "vacation_statutory", 2029, 128);
    await leave.book(person, "vacation_statutory", ["2029-03-05", "2029-03-06"], 16);
    await leave.book(person, "vacation_statutory", "2029-10-01", 8);
    now.set("2029-02-15");
    expect(await leave.group(person, "vacation_statutory", 2029)).to.include({
      remaining_hours: "134.00",
      expiring_soon_hours: "14.00",
    });
    now.set("2029-07-01");
    expect(await leave.group(person, "vacation_statutory", 2029)).to.include({
      remaining_hours: "120.00",
      lapsed_hours: "14.00",
    });
  });

  it("15: a shortfall sits on the representative and stays in its year", async () => {
    const person = await leave.tenant.member("member");
    await leave.pot(person, "vacation_statutory", 2029, 10);
    await leave.pot(person, "vacation_extra", 2029, 6);
    await leave.pot(person, "vacation_statutory", 2030, 40);
    await leave.book(person, "vacation_extra", ["2029-09-03", "2029-09-05"], 24);
    const group = await leave.group(person, "vacation_statutory", 2029);
    expect(group).to.include({ remaining_hours: "-8.00", pending_hours: "24.00" });
    const { vacation_statutory, vacation_extra } = await leave.balance(person, 2029);
    expect(vacation_statutory).to.include({ remaining_hours: "-8.00", pending_hours: "0.00" });
    expect(vacation_extra).to.include({ remaining_hours: "0.00", pending_hours: "24.00" });
    expect(await leave.group(person, "vacation_statutory", 2030)).to.include({ remaining_hours: "40.00" });
  });

  it("16: leave over New Year counts whole in the year it starts", async () => {
    const person = await leave.tenant.member("member");
    await leave.pot(person, "vacation_statutory", 2029, 24);
    await leave.pot(person, "vacation_statutory", 2030, 0);
    await leave.book(person, "vacation_statutory", ["2029-12-19", "2029-12-20"], 16);
    await leave.book(person, "vacation_statutory", ["2029-12-27", "2030-01-04"], 48);
    expect(await leave.group(person, "vacation_statutory", 2029)).to.include({ remaining_hours: "-40.00" });
    expect(await leave.group(person, "vacation_statutory", 2030)).to.include({ remaining_hours: "0.00" });
  });

  it("19: raised hours leave an overhang of placed days, latest first, which withdrawing takes back", async () => {
    const person = await leave.tenant.member("member");
    const { id } = await leave.contract(person, 36, "2030-01-01");
    await leave.generate(2030);
    const { rows } = await service.sql.query(
      `insert into leave_recurring_days (id, organisation_id, user_id, leave_type_id, anchor_date, interval_weeks)
        values (gen_random_uuid(), $1, $2, $3, '2030-01-04', 2) returning id`,
      [leave.tenant.organisation.id, person.accountId, await leave.type("roostervrij")],
    );
    const fridays = Array.from({ length: 26 }, (_, index) =>
      new Date(Date.UTC(2030, 0, 4 + 14 * index)).toISOString().slice(0, 10),
    );
    for (const date of fridays) await leave.book(person, "roostervrij", date, 8, { status: "approved", pattern: rows[0].id });
    const byHand = await leave.book(person, "roostervrij", "2030-12-30", 8, { status: "approved" });
    const overview = () => ok(person.get("/leave/free-time?year=2030"));
    expect(await overview()).to.include({ entitled_hours: "208.00", placed_hours: "216.00", overhang_hours: "8.00" });

    await ok(leave.tenant.owner.patch(`/leave/contracts/${id}`, { contract_hours_per_week: 38 }));
    const raised = await overview();
    expect(raised).to.include({
      entitled_hours: "104.00",
      placed_hours: "216.00",
      overhang_hours: "112.00",
      unplaced_hours: "0.00",
    });
    const offered: { date: string; request_id: string }[] = raised.overhang;
    expect([offered.length, offered[0]?.date, offered.at(-1)?.date]).to.deep.equal([14, "2030-12-20", "2030-06-21"]);
    expect(offered.map(({ request_id }) => request_id)).to.not.include(byHand);

    const ids = offered.map(({ request_id }) => request_id);
    expect(await ok(person.post("/leave/free-time/withdraw", { request_ids: ids }))).to.deep.equal({
      cancelled: 14,
      skipped: [],
    });
    expect(await overview()).to.include({ placed_hours: "104.00", overhang_hours: "0.00" });
  });

  it("4: an uneven week is 15.75 hours, 5.25 on average", async () => {
    const person = await leave.tenant.member("member");
    const body = await ok(leave.tenant.owner.put(`/leave/profiles/${person.accountId}`, { schedule: UNEVEN }));
    expect(body).to.include({ hours_per_week: "15.75", hours_per_day: "5.25" });
  });
});
