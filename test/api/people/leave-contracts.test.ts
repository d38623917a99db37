import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { invalidOn, refusalOf } from "../clients/companies/company-records.ts";
import { clock, FOUR_DAYS, Leave, licensed, ok, UNEVEN } from "./leave-people.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

describe("employment contracts", () => {
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
    now.set("2030-02-04");
    tenant = await service.tenant();
    leave = new Leave(service, tenant);
    person = await tenant.member("member");
  });
  afterEach(now.restore);
  after(() => service.stop());

  const create = (body: object) => tenant.owner.post("/leave/contracts", { user_id: person.accountId, ...body });
  const patch = (id: string, body: unknown) => tenant.owner.patch(`/leave/contracts/${id}`, body);

  it("are answered whole, with what follows from week and norm", async () => {
    const { status, body } = await create({ start_date: "2030-01-01", contract_hours_per_week: "32" });
    expect(status).to.equal(201);
    expect(body).to.deep.equal({
      id: body.id,
      org_id: tenant.organisation.id,
      user_id: person.accountId,
      start_date: "2030-01-01",
      end_date: null,
      employment_type: "employee",
      contract_hours_per_week: "32.00",
      schedule: null,
      scheduled_hours_per_week: "40.00",
      free_time_hours_per_week: null,
      effective_free_time_per_week: "8.00",
      note: null,
      created_at: body.created_at,
      updated_at: body.updated_at,
    });
  });

  it("count scheduled hours by their own week, else by the person's current hours", async () => {
    expect((await create({ start_date: "2030-01-01", contract_hours_per_week: 16, schedule: UNEVEN })).body).to.include({
      scheduled_hours_per_week: "15.75",
    });
    await ok(tenant.owner.put(`/leave/profiles/${tenant.owner.accountId}`, { hours_per_week: 24 }));
    expect(await leave.contract(tenant.owner, 16, "2030-01-01")).to.include({ scheduled_hours_per_week: "24.00" });
  });

  const free: [what: string, body: object, expected: string][] = [
    ["the gap to the norm when nothing is agreed", { contract_hours_per_week: 32 }, "8.00"],
    ["nothing when it is in the roster already", { contract_hours_per_week: 32, free_time_hours_per_week: 0 }, "0.00"],
    ["the agreed figure", { contract_hours_per_week: 32, free_time_hours_per_week: 3.5 }, "3.50"],
    ["nothing over the norm", { contract_hours_per_week: 44 }, "0.00"],
    [
      "nothing for a freelancer",
      { employment_type: "freelance", contract_hours_per_week: 8, free_time_hours_per_week: 4 },
      "0.00",
    ],
  ];
  for (const [what, body, expected] of free)
    it(`give as free time ${what}`, async () => {
      expect((await create({ start_date: "2030-01-01", ...body })).body.effective_free_time_per_week).to.equal(expected);
    });

  const refused: [what: string, body: object, fields: Record<string, string>][] = [
    ["no hours for an employee", {}, { contract_hours_per_week: "errors.leave_contract_hours_required" }],
    ["0 hours", { contract_hours_per_week: 0 }, { contract_hours_per_week: "errors.validation" }],
    ["hours that round to none", { contract_hours_per_week: "0.001" }, { contract_hours_per_week: "errors.validation" }],
    ["over 80 hours", { contract_hours_per_week: "80.5" }, { contract_hours_per_week: "errors.validation" }],
    [
      "free time over 80 hours",
      { contract_hours_per_week: 8, free_time_hours_per_week: 81 },
      { free_time_hours_per_week: "errors.validation" },
    ],
    [
      "an end before the start",
      { contract_hours_per_week: 8, end_date: "2029-12-31" },
      { end_date: "errors.leave_end_before_start" },
    ],
    ["a week without work", { contract_hours_per_week: 8, schedule: {} }, { schedule: "errors.leave_schedule_empty" }],
    ["another kind", { contract_hours_per_week: 8, employment_type: "intern" }, { employment_type: "errors.validation" }],
    ["no start", { contract_hours_per_week: 8, start_date: undefined }, { start_date: "errors.required" }],
  ];
  for (const [what, body, fields] of refused)
    it(`refuse ${what}`, async () => {
      expect(refusalOf(await create({ start_date: "2030-01-01", ...body }))).to.deep.equal(invalidOn(fields));
    });

  it("need no hours for a freelancer, and kind and hours may change in one PATCH", async () => {
    const { id, contract_hours_per_week } = (await create({ start_date: "2030-01-01", employment_type: "freelance" })).body;
    expect(contract_hours_per_week).to.equal(null);
    expect(refusalOf(await patch(id, { employment_type: "employee" }))).to.deep.equal(
      invalidOn({ contract_hours_per_week: "errors.leave_contract_hours_required" }),
    );
    expect((await patch(id, { employment_type: "employee", contract_hours_per_week: 24 })).body).to.include({
      employment_type: "employee",
      contract_hours_per_week: "24.00",
    });
    expect((await patch(id, { employment_type: "freelance", contract_hours_per_week: null })).status).to.equal(200);
  });

  it("clear end, hours, week, free time and note with null, and nothing else", async () => {
    const { id } = (
      await create({
        start_date: "2030-01-01",
        end_date: "2030-12-31",
        contract_hours_per_week: 8,
        schedule: FOUR_DAYS,
        free_time_hours_per_week: 1,
        note: "n",
      })
    ).body;
    expect((await patch(id, { end_date: null, schedule: null, free_time_hours_per_week: null, note: null })).body).to.include({
      end_date: null,
      schedule: null,
      free_time_hours_per_week: null,
      note: null,
    });
    for (const field of ["start_date", "employment_type"])
      expect(refusalOf(await patch(id, { [field]: null }))).to.deep.equal(invalidOn({ [field]: "errors.validation" }));
  });

  describe("share no day", () => {
    const period = (start_date: string, end_date: string | null) => ({ start_date, end_date, contract_hours_per_week: 8 });
    const cases: [what: string, start: string, end: string | null, status: number][] = [
      ["one that ends on the first day of another", "2029-01-01", "2030-03-01", 409],
      ["one that starts on the last day of another", "2030-06-30", null, 409],
      ["one inside another", "2030-04-01", "2030-04-01", 409],
      ["one around another", "2029-01-01", null, 409],
      ["one that ends the day before", "2029-01-01", "2030-02-28", 201],
      ["one that starts the day after", "2030-07-01", null, 201],
    ];
    for (const [what, start, end, status] of cases)
      it(`${status === 409 ? "refuse" : "allow"} ${what}`, async () => {
        const first = await ok(create(period("2030-03-01", "2030-06-30")));
        const answer = await create(period(start, end));
        expect(answer.status).to.equal(status);
        if (status === 409)
          expect(answer.body.error).to.deep.equal({
            code: "conflict",
            message: "errors.leave_contract_overlap",
            details: { contract_id: first.id, start_date: "2030-03-01", end_date: "2030-06-30" },
          });
      });

    it("also after a PATCH, where the row itself does not count", async () => {
      const first = await ok(create(period("2030-01-01", "2030-06-30")));
      const second = await ok(create(period("2030-07-01", null)));
      expect((await patch(second.id, { start_date: "2030-06-30" })).status).to.equal(409);
      expect((await patch(first.id, { end_date: "2030-05-31" })).status).to.equal(200);
      expect((await patch(second.id, { start_date: "2030-06-30" })).status).to.equal(200);
    });

    it("of one person: a colleague's do not count", async () => {
      await ok(create(period("2030-01-01", null)));
      expect((await leave.contract(tenant.owner, 8, "2030-01-01")).start_date).to.equal("2030-01-01");
    });
  });

  describe("reads", () => {
    it("are one's own; another's and everyone's need leave.profile.manage", async () => {
      await create({ start_date: "2030-01-01", contract_hours_per_week: 8 });
      await leave.employee(16);
      expect((await person.get("/leave/contracts")).body.length).to.equal(1);
      expect((await person.get(`/leave/contracts?user_id=${person.accountId.toUpperCase()}`)).body.length).to.equal(1);
      for (const query of ["all_users=true", `user_id=${tenant.owner.accountId}`])
        expect((await person.get(`/leave/contracts?${query}`)).status, query).to.equal(403);
      const readsAll = await tenant.member("member", { grants: ["leave.request.read:any"] });
      expect((await readsAll.get("/leave/contracts?all_users=true")).status).to.equal(403);
      expect((await tenant.owner.get("/leave/contracts?all_users=true")).body.length).to.equal(2);
      expect((await tenant.owner.get("/leave/contracts")).body).to.deep.equal([]);
      expect((await tenant.owner.get(`/leave/contracts?user_id=${person.accountId}`)).body.length).to.equal(1);
    });

    it("are empty for a service account, whose managers' reads are not", async () => {
      await create({ start_date: "2030-01-01", contract_hours_per_week: 8 });
      const robot = await tenant.serviceAccount(["leave.request.read:any", "leave.profile.manage"]);
      expect((await robot.get("/leave/contracts")).body).to.deep.equal([]);
      expect((await robot.get("/leave/contracts?all_users=true")).body.length).to.equal(1);
    });

    it("are by name and start, and narrow to what changed", async () => {
      await create({ start_date: "2031-01-01", contract_hours_per_week: 8 });
      await create({ start_date: "2030-01-01", end_date: "2030-12-31", contract_hours_per_week: 8 });
      const starts = async (query = "") =>
        (await person.get(`/leave/contracts${query}`)).body.map(({ start_date }: { start_date: string }) => start_date);
      expect(await starts()).to.deep.equal(["2030-01-01", "2031-01-01"]);
      await service.sql.query(
        "update leave_contracts set updated_at = '2026-01-01' where user_id = $1 and start_date = '2031-01-01'",
        [person.accountId],
      );
      expect(await starts("?updated_since=2026-01-02T00:00:00Z")).to.deep.equal(["2030-01-01"]);
    });
  });

  it("are written by who manages profiles only; unknown rows and people are 404", async () => {
    const { id } = (await create({ start_date: "2030-01-01", contract_hours_per_week: 8 })).body;
    expect(
      (await person.post("/leave/contracts", { user_id: person.accountId, start_date: "2031-01-01", contract_hours_per_week: 8 }))
        .status,
    ).to.equal(403);
    expect((await person.patch(`/leave/contracts/${id}`, { note: "x" })).status).to.equal(403);
    expect((await person.delete(`/leave/contracts/${id}`)).status).to.equal(403);
    const stranger = await (await service.tenant()).member("member");
    for (const user_id of [UNKNOWN, stranger.accountId])
      expect((await create({ user_id, start_date: "2030-01-01", contract_hours_per_week: 8 })).status).to.equal(404);
    expect((await patch(UNKNOWN, { note: "x" })).status).to.equal(404);
    expect((await tenant.owner.delete(`/leave/contracts/${UNKNOWN}`)).status).to.equal(404);
  });

  describe("recompute the person's pots", () => {
    const statutory = async (year: number) => (await leave.pots(person, year))["vacation_statutory"];

    it("on creation: for this year, and later years with any pot", async () => {
      const other = await tenant.member("member");
      await leave.pot(other, "sick", 2033, 8);
      await create({ start_date: "2020-01-01", contract_hours_per_week: 40 });
      expect(await statutory(2029), "the past").to.equal(undefined);
      expect(await statutory(2030)).to.equal("160.00");
      expect(await statutory(2031), "nobody has one").to.equal(undefined);
      expect(await statutory(2033)).to.equal("160.00");
    });

    it("on a change of dates, kind, hours, free time or week, but not of a note", async () => {
      const { id } = (await create({ start_date: "2020-01-01", contract_hours_per_week: 40 })).body;
      const pots = async () =>
        (await ok(tenant.owner.get(`/leave/entitlements?year=2030&user_id=${person.accountId}`))).map(
          ({ hours }: { hours: string }) => hours,
        );
      const set = (hours: number) =>
        service.sql.query("update leave_entitlements set hours = $2 where user_id = $1", [person.accountId, hours]);
      await set(1);
      await ok(patch(id, { note: "read" }));
      expect(await pots()).to.deep.equal(["1.00", "1.00"]);
      const same: object[] = [
        { start_date: "2020-01-01" },
        { end_date: null },
        { employment_type: "employee" },
        { contract_hours_per_week: 40 },
        { free_time_hours_per_week: null },
        { schedule: null },
      ];
      for (const body of same) {
        await set(1);
        await ok(patch(id, body));
        expect(await pots(), JSON.stringify(body)).to.deep.equal(["160.00", "40.00"]);
      }
    });

    it("on deletion: the pots go, the person stays one who had a contract, and later reads grant nothing", async () => {
      const { id } = (await create({ start_date: "2020-01-01", contract_hours_per_week: 40 })).body;
      expect(await statutory(2030)).to.equal("160.00");
      expect((await tenant.owner.delete(`/leave/contracts/${id}`)).status).to.equal(204);
      expect(await leave.pots(person, 2030)).to.deep.equal({});
      expect((await leave.balance(person, 2030))["vacation_statutory"]).to.include({ entitled_hours: "0.00" });
      await leave.generate(2030);
      expect(await leave.pots(person, 2030)).to.deep.equal({});
    });

    it("leaving pots set by hand alone, and pots of past years", async () => {
      const { id } = (await create({ start_date: "2020-01-01", contract_hours_per_week: 40 })).body;
      await leave.generate(2029);
      await leave.pot(person, "vacation_extra", 2030, 100);
      await ok(patch(id, { contract_hours_per_week: 20 }));
      expect(await leave.pots(person, 2030)).to.deep.equal({
        vacation_statutory: "80.00",
        vacation_extra: "100.00",
        roostervrij: "1044.00",
      });
      expect(await statutory(2029)).to.equal("160.00");
    });

    it("replacing the full pot a person had before the first contract", async () => {
      await leave.balance(person, 2030);
      expect(await statutory(2030)).to.equal("160.00");
      await create({ start_date: "2030-07-01", contract_hours_per_week: 40 });
      expect(await statutory(2030)).to.equal("80.66");
    });
  });
});
