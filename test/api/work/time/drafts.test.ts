import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { jobsOf } from "../../../../mixins/jobs.ts";
import { fire } from "../../../support/jobs.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf } from "../../clients/companies/company-records.ts";
import { ok } from "./hours.ts";

const DAY = "2026-05-04";

describe("drafts of a day", () => {
  let service: TestService;
  let tenant: Tenant;
  let member: Caller;
  before(async () => {
    service = await startService();
    await jobsOf(service.node.broker).ready();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    member = await tenant.member("member");
  });
  after(() => service.stop());

  const put = (payload: object, caller = member, call = {}) => caller.put(`/time/drafts/${DAY}`, payload, call);
  const read = async (caller = member) => (await ok(caller.get(`/time/day?date=${DAY}`))).draft;

  it("are replaced whole, without their nulls, and are any typed text", async () => {
    const full = {
      date: "4 mei",
      start: "9:0",
      end: "25:99",
      break_minutes: 15,
      duration_text: "anderhalf uur",
      billable: false,
      company_id: randomUUID(),
      project_id: randomUUID(),
      task_id: randomUUID(),
      entry_type_key: "Nothing we know",
      description: "a <b>b</b>\n",
    };
    const { status, body, headers } = await put({ ...full, project_id: null });
    const { project_id: _dropped, ...kept } = full;
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ entry_date: DAY, payload: kept, updated_at: body.updated_at });
    expect(await read()).to.deep.equal(body);
    expect((await put({ start: "10:00" })).body.payload).to.deep.equal({ start: "10:00" });
    expect(headers["etag"]).to.equal('"1"');
    expect((await put({})).body.payload).to.deep.equal({});
  });

  it("have a closed shape, and sizes", async () => {
    expect(refusalOf(await put({ start: "10:00", minutes: 5, end: "abcdef" }))).to.deep.equal(
      invalidOn({ minutes: "errors.validation", end: "errors.validation" }),
    );
    expect(refusalOf(await put({ description: "x".repeat(4001), duration_text: "x".repeat(41) }))).to.deep.equal(
      invalidOn({ description: "errors.validation", duration_text: "errors.validation" }),
    );
    expect(await read()).to.equal(null);
    expect((await member.put("/time/drafts/2026-02-30", {})).status).to.equal(422);
  });

  it("end by deletion, which succeeds without one too", async () => {
    await put({ start: "10:00" });
    for (const _ of [1, 2]) expect((await member.delete(`/time/drafts/${DAY}`)).status).to.equal(204);
    expect(await read()).to.equal(null);
  });

  it("are their author's alone, each person's and each day's own", async () => {
    await put({ start: "10:00" });
    await put({ start: "11:00" }, tenant.owner);
    expect((await read())?.payload).to.deep.equal({ start: "10:00" });
    await tenant.owner.delete(`/time/drafts/${DAY}`);
    expect((await read())?.payload).to.deep.equal({ start: "10:00" });
    const account = await tenant.serviceAccount(["time.entry.write:any"]);
    expect([(await put({}, account)).status, (await account.delete(`/time/drafts/${DAY}`)).status]).to.deep.equal([403, 403]);
  });

  it("are written only while the tag holds, where one is sent", async () => {
    const { headers } = await put({ start: "10:00" });
    const call = { headers: { "If-Match": headers["etag"] as string } };
    expect((await put({ start: "11:00" }, member, call)).status).to.equal(200);
    expect((await put({ start: "12:00" }, member, call)).status).to.equal(412);
    expect((await member.delete(`/time/drafts/${DAY}`, call)).status).to.equal(412);
    expect((await read())?.payload).to.deep.equal({ start: "11:00" });
  });

  it("go at 03:45 once they were not touched for 30 days", async () => {
    await put({ start: "10:00" });
    await ok(member.put("/time/drafts/2026-05-05", {}));
    const age = (day: string, days: number) =>
      service.sql.query(
        "update time_drafts set updated_at = now() - make_interval(days => $3, mins => -1) where account_id = $1 and entry_date = $2",
        [member.accountId, day, days],
      );
    await age(DAY, 31);
    await age("2026-05-05", 30);
    const { rows } = await service.sql.query(
      "select repeat_interval from jobs.agenda_jobs where name = 'time.drop-drafts' and type = 'single'",
    );
    expect(rows).to.deep.equal([{ repeat_interval: "45 3 * * *" }]);
    await fire(service, "time.drop-drafts");
    expect((await ok(member.get("/time/timesheet?week_start=2026-05-04"))).draft_days).to.deep.equal(["2026-05-05"]);
  });
});
