import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { clock, Leave, lapse, licensed, ok } from "./leave-people.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

describe("free time", () => {
  let service: TestService;
  let tenant: Tenant;
  let leave: Leave;
  let person: Caller;
  const now = clock();
  before(async () => {
    service = await sharedService("clock");
    await licensed(service);
  });
  beforeEach(async () => {
    now.set("2030-03-04");
    tenant = await service.tenant();
    leave = new Leave(service, tenant);
    person = await leave.employee(36, "2030-01-01");
  });
  afterEach(now.restore);
  after(() => service.stop());

  const overview = (who = person) => ok(who.get("/leave/free-time?year=2030"));
  const withdraw = (who: Caller, ...request_ids: string[]) => who.post("/leave/free-time/withdraw", { request_ids });
  const pattern = async (): Promise<string> => {
    const { rows } = await service.sql.query(
      `insert into leave_recurring_days (id, organisation_id, user_id, leave_type_id, anchor_date) values (gen_random_uuid(), $1, $2, $3, '2030-01-04') returning id`,
      [tenant.organisation.id, person.accountId, await leave.type("roostervrij")],
    );
    return rows[0].id;
  };
  const day = async (date: string, from: string | null = null, status = "approved") =>
    leave.book(person, "roostervrij", date, 8, { status, pattern: from });

  it("reports granted, placed, taken, upcoming and unplaced free time", async () => {
    const from = await pattern();
    const taken = await day("2030-03-01", from);
    const today = await day("2030-03-04", from);
    const later = await day("2030-12-30");
    await day("2030-05-03", from, "cancelled");
    await day("2031-01-03", from);
    expect(await overview()).to.deep.equal({
      user_id: person.accountId,
      year: 2030,
      leave_type_ids: [await leave.type("roostervrij")],
      hours_per_day: "8.00",
      entitled_hours: "208.00",
      placed_hours: "24.00",
      taken_hours: "8.00",
      upcoming_hours: "16.00",
      unplaced_hours: "184.00",
      overhang_hours: "0.00",
      days: [
        { request_id: today, date: "2030-03-04", start_time: null, end_time: null, hours: "8.00", from_pattern: true },
        { request_id: later, date: "2030-12-30", start_time: null, end_time: null, hours: "8.00", from_pattern: false },
      ],
      next_date: "2030-03-04",
      overhang: [],
    });
    expect(taken).to.not.equal(today);
  });

  it("is all zero without an active free-time type", async () => {
    await overview();
    await ok(tenant.owner.patch(`/leave/types/${await leave.type("roostervrij")}`, { active: false }));
    expect(await overview()).to.include({ entitled_hours: "0.00", placed_hours: "0.00", next_date: null });
  });

  it("offers placed days from the latest back until the excess is covered, and none booked by hand", async () => {
    await leave.pot(person, "roostervrij", 2030, 12);
    const from = await pattern();
    const [first, second] = [await day("2030-04-05", from), await day("2030-05-03", from)];
    await day("2030-06-07");
    const { overhang_hours, overhang } = await overview();
    expect(overhang_hours).to.equal("12.00");
    expect(overhang.map(({ request_id }: { request_id: string }) => request_id)).to.deep.equal([second, first]);
  });

  it("makes a contract change cancel nothing automatically", async () => {
    const id = await day("2030-05-03", await pattern());
    const [{ id: contract }] = await ok(person.get("/leave/contracts"));
    await ok(tenant.owner.patch(`/leave/contracts/${contract}`, { contract_hours_per_week: 40 }));
    expect(await overview()).to.include({ entitled_hours: "0.00", overhang_hours: "8.00" });
    const { rows } = await service.sql.query("select status from leave_requests where id = $1", [id]);
    expect(rows).to.deep.equal([{ status: "approved" }]);
  });

  describe("withdraw", () => {
    it("cancels one's own upcoming days, and lists what cannot go", async () => {
      const [upcoming, past] = [await day("2030-05-03"), await day("2030-03-01")];
      const sick = await leave.book(person, "sick", "2030-05-10", 8, { status: "approved" });
      const gone = await day("2030-05-17", null, "cancelled");
      const theirs = await leave.book(tenant.owner, "roostervrij", "2030-05-03", 8, { status: "approved" });
      const { status, body } = await withdraw(person, upcoming, past, sick, gone, theirs, UNKNOWN);
      expect(status).to.equal(200);
      expect(body).to.deep.equal({ cancelled: 1, skipped: [past, sick, gone, theirs, UNKNOWN] });
      expect(await overview()).to.include({ placed_hours: "8.00" });
    });

    it("counts an id that is sent twice once", async () => {
      const id = await day("2030-05-03");
      expect((await withdraw(person, id, id.toUpperCase())).body).to.deep.equal({ cancelled: 1, skipped: [] });
    });

    it("reaches another's days under write :any", async () => {
      const id = await day("2030-05-03");
      const colleague = await tenant.member("member");
      expect((await withdraw(colleague, id)).body).to.deep.equal({ cancelled: 0, skipped: [id] });
      expect((await withdraw(tenant.owner, id)).body).to.deep.equal({ cancelled: 1, skipped: [] });
    });

    it("takes 1 to 200 ids", async () => {
      expect((await withdraw(person)).status).to.equal(422);
      expect((await withdraw(person, ...Array.from({ length: 201 }, () => UNKNOWN))).status).to.equal(422);
      expect((await withdraw(person, ...Array.from({ length: 200 }, () => UNKNOWN))).body).to.deep.equal({
        cancelled: 0,
        skipped: [UNKNOWN],
      });
    });

    it("needs the permission before the licence, and the licence", async () => {
      const restore = await lapse(service);
      const reader = await tenant.member("member", { grants: ["leave.request.read:any"] });
      expect((await withdraw(reader, UNKNOWN)).status).to.equal(403);
      expect((await withdraw(person, UNKNOWN)).status).to.equal(402);
      await restore();
    });
  });
});
