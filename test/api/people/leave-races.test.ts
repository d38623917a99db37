import { expect } from "chai";
import type { Answer } from "../../support/http.ts";
import { type LeaveService, type LeaveTenant, setPot, sharedLeaveService } from "../../support/leave.ts";
import type { Caller } from "../../support/service.ts";

const HALF_DAYS = { start: "08:30", end: "12:30", breaks: [] };
const WEEK_OF_HALF_DAYS = {
  mon: HALF_DAYS,
  tue: HALF_DAYS,
  wed: HALF_DAYS,
  thu: HALF_DAYS,
  fri: HALF_DAYS,
  sat: null,
  sun: null,
};

describe("leave at the same moment", () => {
  let service: LeaveService;
  let tenant: LeaveTenant;
  let admin: Caller;
  before(async () => {
    service = await sharedLeaveService("2029-12-03");
  });
  beforeEach(async () => {
    tenant = await service.leaveTenant();
    admin = await tenant.member("admin");
  });
  after(() => service.stop());

  const ask = async (start_date: string, body: object = {}): Promise<Answer> =>
    tenant.employee.post("/leave/requests", {
      leave_type_id: tenant.types["vacation_statutory"],
      start_date,
      end_date: start_date,
      ...body,
    });
  const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status);
  const group = async () => {
    const { body } = await tenant.employee.get("/leave/balance/groups?year=2030");
    return body.find((one: { group: string }) => one.group === "vacation");
  };

  it("two approvals of the last hours both succeed; the second causes a shortfall on the representative", async () => {
    const user_id = tenant.employee.accountId;
    await setPot(service, tenant, { user_id, leave_type_id: tenant.types["vacation_statutory"] as string, year: 2030, hours: 8 });
    const [one, two] = await Promise.all([
      ask("2030-03-05"),
      ask("2030-03-06", { leave_type_id: tenant.types["vacation_extra"] }),
    ]);
    const decided = await Promise.all([
      admin.post(`/leave/requests/${one.body.id}/decide`, { approved: true }),
      tenant.owner.post(`/leave/requests/${two.body.id}/decide`, { approved: true }),
    ]);
    expect(decided.map(({ status, body }) => [status, body.status])).to.deep.equal([
      [200, "approved"],
      [200, "approved"],
    ]);
    expect(await group()).to.include({ approved_hours: "16.00", pending_hours: "0.00", remaining_hours: "-8.00" });
    const { body } = await tenant.employee.get("/leave/balance?year=2030");
    const remaining = (key: string) =>
      body.find((row: { leave_type_id: string }) => row.leave_type_id === tenant.types[key]).remaining_hours;
    expect([remaining("vacation_statutory"), remaining("vacation_extra")]).to.deep.equal(["-8.00", "0.00"]);
  });

  it("a change of contract during requests leaves each priced wholly by the week of before or of after, and the pots by the last", async () => {
    const user_id = tenant.employee.accountId;
    const contract = await tenant.owner.post("/leave/contracts", {
      user_id,
      start_date: "2029-01-01",
      contract_hours_per_week: 40,
    });
    expect(contract.status, contract.text).to.equal(201);
    const days = ["04", "05", "06", "07", "08", "11", "12", "13"].map((day) => `2030-03-${day}`);
    const changes = [WEEK_OF_HALF_DAYS, null, WEEK_OF_HALF_DAYS].map(
      (schedule, index) => () =>
        tenant.owner.patch(`/leave/contracts/${contract.body.id}`, { schedule, contract_hours_per_week: index === 2 ? 20 : 40 }),
    );
    const [asked, changed] = await Promise.all([
      Promise.all(days.map((day) => ask(day, { end_date: day }))),
      (async () => {
        const answers: Answer[] = [];
        for (const change of changes) answers.push(await change());
        return answers;
      })(),
    ]);
    expect([...new Set([...statusesOf(asked), ...statusesOf(changed)])].sort()).to.deep.equal([200, 201]);
    for (const { body } of asked) expect(["4.00", "8.00"]).to.include(body.hours);
    const again = await tenant.employee.patch(`/leave/requests/${asked[0]?.body.id}`, { note: "x" });
    expect(again.body.hours, "the next edit prices by the week that stands").to.equal("4.00");
    const { rows } = await service.sql.query(
      `select year, k.key, hours from leave_entitlements e join leave_types k on k.id = e.leave_type_id
        where user_id = $1 and key like 'vacation%' and year = 2029 order by key`,
      [user_id],
    );
    expect(rows).to.deep.equal([
      { year: 2029, key: "vacation_extra", hours: "20.00" },
      { year: 2029, key: "vacation_statutory", hours: "80.00" },
    ]);
  });

  it("generating during edits and reads creates every pot once, and an override stays", async () => {
    const people: Caller[] = [];
    for (let n = 0; n < 6; n++) people.push(await tenant.member("member"));
    const type = tenant.types["vacation_statutory"];
    const [generated, ...others] = await Promise.all([
      Promise.all([1, 2, 3].map(() => tenant.owner.post("/leave/entitlements/generate", { year: 2030 }))),
      Promise.all(people.map((person) => person.get("/leave/balance/groups?year=2030"))),
      Promise.all(
        people.map((person) =>
          tenant.owner.put("/leave/entitlements", { user_id: person.accountId, leave_type_id: type, year: 2030, hours: "100" }),
        ),
      ),
      Promise.all(
        people.map((person) =>
          person.post("/leave/requests", { leave_type_id: type, start_date: "2030-03-05", end_date: "2030-03-05" }),
        ),
      ),
    ]);
    expect(statusesOf(generated)).to.deep.equal([200, 200, 200]);
    expect([...new Set(others.flatMap((answers) => statusesOf(answers as Answer[])))].sort()).to.deep.equal([200, 201]);
    const { rows } = await service.sql.query(
      `select source, hours, count(*)::int as n, count(distinct user_id)::int as people from leave_entitlements
        where organisation_id = $1 and leave_type_id = $2 and year = 2030 and user_id = any($3) group by source, hours`,
      [tenant.organisation.id, type, people.map(({ accountId }) => accountId)],
    );
    expect(rows).to.deep.equal([{ source: "manual", hours: "100.00", n: 6, people: 6 }]);
    expect((await tenant.owner.post("/leave/entitlements/generate", { year: 2030 })).body.created).to.equal(0);
  });

  it("cancelling and approving one request lets both end in an order that could have been", async () => {
    for (const day of ["2030-04-02", "2030-04-03", "2030-04-04"]) {
      const { body } = await ask(day);
      const [cancelled, approved] = await Promise.all([
        tenant.employee.post(`/leave/requests/${body.id}/cancel`),
        admin.post(`/leave/requests/${body.id}/decide`, { approved: true }),
      ]);
      const { status } = (await admin.get(`/leave/requests/${body.id}`)).body;
      expect([
        "200 409 cancelled",
        "403 200 approved", // approved first: the owner may no longer cancel
      ]).to.include(`${cancelled.status} ${approved.status} ${status}`);
    }
  });
});
