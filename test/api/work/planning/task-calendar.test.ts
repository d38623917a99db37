import { expect } from "chai";
import ICAL from "ical.js";
import type { Caller, Tenant } from "../../../support/service.ts";
import { type Body, bodyOf, expectRefusal, makeTask, sharedTaskService, type TaskService } from "../tasks/task-records.ts";

const NOT_FOUND = '{"error":{"code":"not_found","message":"errors.not_found"}}';

describe("the calendar of planned work to subscribe to", () => {
  let service: TaskService;
  let tenant: Tenant;
  let ana: Caller;
  before(async () => {
    service = await sharedTaskService("2026-06-01");
  });
  beforeEach(async () => {
    service.today("2026-06-01");
    tenant = await service.tenant();
    ana = await tenant.member("member");
  });
  afterEach(() => ICAL.TimezoneService.reset());
  after(() => service.stop());

  const link = async (who: Caller = ana): Promise<Body> => bodyOf(await who.post("/tasks/calendar-token"));
  const read = (token: string, host = tenant.host) => service.call("GET", `/tasks/calendar.ics?token=${token}`, { host });
  /** The events as an independent parser reads them: start, end, summary. */
  const linesIn = (text: string): string[] => {
    const calendar = new ICAL.Component(ICAL.parse(text));
    for (const zone of calendar.getAllSubcomponents("vtimezone")) ICAL.TimezoneService.register(zone);
    return calendar
      .getAllSubcomponents("vevent")
      .map((one) => new ICAL.Event(one))
      .map((one) => `${one.startDate}/${one.endDate} ${one.summary}${one.description ? `: ${one.description}` : ""}`);
  };
  const feed = async (token: string): Promise<string[]> => linesIn((await read(token)).text);
  const plan = async (task_id: string, day: string, more: object = {}): Promise<Body> =>
    bodyOf(
      await tenant.owner.post("/tasks/schedules", {
        task_id,
        user_id: ana.accountId,
        day,
        start_time: "09:00",
        duration_minutes: 60,
        ...more,
      }),
    );
  const task = async (title: string, more: object = {}): Promise<string> =>
    (await makeTask(tenant.owner, { title, assignees: [], ...more })).id;

  it("is a text/calendar that is never stored, of the person's own blocks and due tasks", async () => {
    const { token } = await link();
    const letter = await task("Letter", { due_date: "2026-06-12" });
    await plan(letter, "2026-06-10", { note: "With Kees; bring papers" });
    await plan(letter, "2026-06-11", { user_id: tenant.owner.accountId });
    await task("Mine", { due_date: "2026-06-13", assignees: [{ user_id: ana.accountId }] });
    await task("Also on it", {
      due_date: "2026-06-14",
      assignees: [{ user_id: tenant.owner.accountId, is_primary: true }, { user_id: ana.accountId }],
    });
    await task("Finished", { due_date: "2026-06-15", assignees: [{ user_id: ana.accountId }], status: "done" });
    await task("Undated", { assignees: [{ user_id: ana.accountId }] });
    const { status, headers, text } = await read(token);
    expect([status, headers["content-type"], headers["cache-control"]]).to.deep.equal([
      200,
      "text/calendar; charset=utf-8",
      "no-store",
    ]);
    expect(linesIn(text)).to.deep.equal([
      "2026-06-10T07:00:00Z/2026-06-10T08:00:00Z Letter: With Kees; bring papers",
      "2026-06-13/2026-06-14 Mine",
      "2026-06-14/2026-06-15 Also on it",
    ]);
    expect(text).to.include("\r\nNAME:Taken\r\n").and.to.include("PRODID:-//Kantoor//Tasks//EN");
  });

  it("reaches from 34 days back to 365 days ahead", async () => {
    const { token } = await link();
    const letter = await task("Letter");
    for (const day of ["2026-04-27", "2026-04-28", "2027-06-01", "2027-06-02"]) await plan(letter, day);
    for (const due_date of ["2026-04-27", "2026-04-28", "2027-06-01", "2027-06-02"])
      await task("Due", { due_date, assignees: [{ user_id: ana.accountId }] });
    expect((await feed(token)).map((line) => line.slice(0, 10))).to.deep.equal([
      "2026-04-28",
      "2027-06-01",
      "2026-04-28",
      "2027-06-01",
    ]);
  });

  it("keeps an event's identity when it moves", async () => {
    const { token } = await link();
    const { id } = await plan(await task("Letter"), "2026-06-10");
    const uid = async () => /UID:(.+)/.exec((await read(token)).text)?.[1];
    const before = await uid();
    bodyOf(await tenant.owner.patch(`/tasks/schedules/${id}`, { day: "2026-06-11" }));
    expect(await uid()).to.equal(before);
    expect((await feed(token))[0]).to.match(/^2026-06-11/);
  });

  it("shows records the person can still read: current selection and permissions", async () => {
    const { token } = await link();
    const [inside, outside] = [(await tenant.company()).id, (await tenant.company()).id];
    for (const [company_id, title] of [
      [inside, "Inside"],
      [outside, "Outside"],
    ]) {
      const id = await task(title as string, { company_id, due_date: "2026-06-12", assignees: [{ user_id: ana.accountId }] });
      await plan(id, "2026-06-10");
    }
    const titles = async () => (await feed(token)).map((line) => line.split(" ")[1]).toSorted();
    expect(await titles()).to.deep.equal(["Inside", "Inside", "Outside", "Outside"]);
    await tenant.group("Inside", [inside], [ana.membershipId]);
    expect(await titles()).to.deep.equal(["Inside", "Inside"]);
    await service.sql.query("delete from membership_roles where membership_id = $1", [ana.membershipId]);
    expect(await titles()).to.deep.equal([]);
  });

  describe("its link", () => {
    it("is shown once, on the organisation's own address, and stored only as a hash", async () => {
      const body = await link();
      expect(body.token).to.match(/^[A-Za-z0-9_-]{43}$/);
      expect(body).to.deep.equal({
        token: body.token,
        url: `http://${tenant.host}/api/v1/tasks/calendar.ics?token=${body.token}`,
      });
      const { rows } = await service.sql.query("select t::text as row from task_calendar_tokens t where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      expect(rows).to.have.length(1);
      expect(rows[0].row).not.to.include(body.token);
    });

    it("is one per membership: a replaced or revoked one ends at once, and revoking twice is not an error", async () => {
      const [first, second] = [await link(), await link()];
      expect([(await read(first.token)).status, (await read(second.token)).status]).to.deep.equal([404, 200]);
      for (let n = 0; n < 2; n++) expect((await ana.delete("/tasks/calendar-token")).status).to.equal(204);
      expect((await read(second.token)).status).to.equal(404);
    });

    it("is a person's who may read planned work", async () => {
      const robot = await tenant.serviceAccount(["tasks.schedule.read:any"]);
      expectRefusal(await robot.post("/tasks/calendar-token"), 403, "forbidden");
      expectRefusal(await robot.delete("/tasks/calendar-token"), 403, "forbidden");
      expectRefusal(await (await tenant.member("client")).post("/tasks/calendar-token"), 403, "forbidden");
    });

    it("that is invalid, another organisation's or of leave is one 404", async () => {
      const { token } = await link();
      const elsewhere = await service.tenant();
      const leave = bodyOf(await ana.post("/leave/calendar-token")).token;
      for (const [one, host] of [
        ["", tenant.host],
        ["A".repeat(43), tenant.host],
        ["%20%2F%27", tenant.host],
        [leave, tenant.host],
        [token, elsewhere.host],
      ]) {
        const { status, text } = await read(one as string, host);
        expect([status, text]).to.deep.equal([404, NOT_FOUND]);
      }
      await service.sql.query("update memberships set deactivated_at = now() where id = $1", [ana.membershipId]);
      expect((await read(token)).status).to.equal(404);
    });
  });
});
