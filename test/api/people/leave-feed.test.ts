import { expect } from "chai";
import ICAL from "ical.js";
import { type LeaveService, type LeaveTenant, refused, sharedLeaveService } from "../../support/leave.ts";
import type { Caller } from "../../support/service.ts";

const FORBIDDEN = [403, "forbidden", "errors.forbidden"];
const NOT_FOUND = '{"error":{"code":"not_found","message":"errors.not_found"}}';

describe("the leave calendar to subscribe to", () => {
  let service: LeaveService;
  let tenant: LeaveTenant;
  before(async () => {
    service = await sharedLeaveService("2029-06-01");
  });
  beforeEach(async () => {
    service.today("2029-06-01");
    tenant = await service.leaveTenant();
  });
  afterEach(() => ICAL.TimezoneService.reset());
  after(() => service.stop());

  const token = async (who: Caller = tenant.employee): Promise<string> => (await who.post("/leave/calendar-token")).body.token;
  const read = (of: string, query = "", host = tenant.host) =>
    service.call("GET", `/leave/calendar.ics?token=${of}${query}`, { host });
  /** The events as an independent parser reads them: start, end, summary. */
  const eventsIn = (text: string) => {
    const calendar = new ICAL.Component(ICAL.parse(text));
    for (const zone of calendar.getAllSubcomponents("vtimezone")) ICAL.TimezoneService.register(zone);
    return calendar.getAllSubcomponents("vevent").map((one) => new ICAL.Event(one));
  };
  const feed = async (of: string, query?: string) => eventsIn((await read(of, query)).text);
  const linesOf = (events: ICAL.Event[]) => events.map((one) => `${one.startDate}/${one.endDate} ${one.summary}`);
  const ask = async (who: Caller, start_date: string, body: object = {}) => {
    const sent = { leave_type_id: tenant.types["sick"], start_date, end_date: start_date, ...body };
    const answer = await who.post("/leave/requests", sent);
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body;
  };

  it("is a text/calendar that is never stored, of the caller's own approved leave with the type's label in the organisation's language", async () => {
    await ask(tenant.employee, "2029-06-11", { end_date: "2029-06-13", note: "griep; thuis, in bed" });
    await ask(tenant.employee, "2029-07-02", { leave_type_id: tenant.types["special"] });
    await ask(tenant.owner, "2029-06-12");
    const { status, headers, text } = await read(await token());
    expect([status, headers["content-type"], headers["cache-control"]]).to.deep.equal([
      200,
      "text/calendar; charset=utf-8",
      "no-store",
    ]);
    const events = eventsIn(text);
    expect(linesOf(events)).to.deep.equal(["2029-06-11/2029-06-14 Ziek"]);
    expect(events[0]?.description).to.equal("griep; thuis, in bed");
  });

  it("times single days of a timed type and those with a window in the organisation's zone; all else is whole days", async () => {
    await ask(tenant.employee, "2029-10-26", { leave_type_id: tenant.types["roostervrij"] });
    await ask(tenant.employee, "2029-10-29", { start_time: "13:00" });
    await ask(tenant.employee, "2029-10-30", { end_date: "2029-10-31", start_time: "13:00" });
    const events = await feed(await token());
    expect(linesOf(events)).to.deep.equal([
      "2029-10-26T08:30:00/2029-10-26T17:00:00 Vrije tijd",
      "2029-10-29T13:00:00/2029-10-29T17:00:00 Ziek",
      "2029-10-30/2029-11-01 Ziek",
    ]);
    expect(events.slice(0, 2).map((one) => one.startDate.toJSDate().toISOString())).to.deep.equal([
      "2029-10-26T06:30:00.000Z",
      "2029-10-29T12:00:00.000Z",
    ]);
  });

  it("is in the reader's own language where that is set", async () => {
    await ask(tenant.employee, "2029-06-11");
    expect((await tenant.employee.patch("/meta/me", { locale: "en" })).status).to.equal(200);
    const { text } = await read(await token());
    expect(linesOf(eventsIn(text))).to.deep.equal(["2029-06-11/2029-06-12 Sick"]);
    expect(text).to.include("\r\nNAME:Leave\r\n");
  });

  it("keeps leave whole whose window would end before it starts", async () => {
    const { id } = await ask(tenant.owner, "2029-06-14", {
      user_id: tenant.employee.accountId,
      leave_type_id: tenant.types["special"],
      start_time: "18:00",
      hours_override: 2,
    });
    await tenant.owner.post(`/leave/requests/${id}/decide`, { approved: true });
    expect(linesOf(await feed(await token()))).to.deep.equal(["2029-06-14/2029-06-15 Bijzonder verlof"]);
  });

  it("reaches from 34 days back to 365 days ahead", async () => {
    const days = ["2029-04-27", "2029-04-30", "2030-06-01", "2030-06-02"];
    const { sql } = service;
    for (const day of days)
      await sql.query(
        `insert into leave_requests (id, organisation_id, user_id, leave_type_id, status, start_date, end_date, hours)
          values (gen_random_uuid(), $1, $2, $3, 'approved', $4, $4, 8)`,
        [tenant.organisation.id, tenant.employee.accountId, tenant.types["sick"], day],
      );
    const starts = (events: ICAL.Event[]) => events.map((one) => `${one.startDate}`);
    service.today("2029-06-01");
    const of = await token();
    expect(starts(await feed(of))).to.deep.equal(["2029-04-30", "2030-06-01"]);
    service.today("2029-05-31");
    expect(starts(await feed(of))).to.deep.equal(["2029-04-27", "2029-04-30"]);
  });

  it("keeps an event's identity through changes, and drops leave that is cancelled or waits again", async () => {
    const { id } = await ask(tenant.employee, "2029-06-11");
    const of = await token();
    const [first] = await feed(of);
    await tenant.employee.patch(`/leave/requests/${id}`, { end_date: "2029-06-12" });
    const [second] = await feed(of);
    expect([second?.uid, `${second?.endDate}`]).to.deep.equal([first?.uid, "2029-06-13"]);
    await tenant.employee.patch(`/leave/requests/${id}`, { leave_type_id: tenant.types["special"] });
    expect(await feed(of)).to.deep.equal([]);
    await tenant.owner.post(`/leave/requests/${id}/decide`, { approved: true });
    expect(await feed(of)).to.have.length(1);
    await tenant.owner.post(`/leave/requests/${id}/cancel`);
    expect(await feed(of)).to.deep.equal([]);
  });

  it("with team adds the others by name and time only; without the permission the caller's own alone", async () => {
    const bram = await tenant.member("member", { name: "Bram" });
    await ask(bram, "2029-06-11", { note: "geheim", start_time: "13:00" });
    await ask(tenant.employee, "2029-06-12");
    const of = await token();
    expect(linesOf(await feed(of))).to.deep.equal(["2029-06-12/2029-06-13 Ziek"]);
    const { text } = await read(of, "&team=true");
    expect(linesOf(eventsIn(text))).to.deep.equal(["2029-06-11T13:00:00/2029-06-11T17:00:00 Bram", "2029-06-12/2029-06-13 Ziek"]);
    expect(text).not.to.match(/geheim/);
    await service.sql.query("delete from membership_roles where organisation_id = $1 and membership_id = $2", [
      tenant.organisation.id,
      tenant.employee.membershipId,
    ]);
    expect(linesOf(await feed(of, "&team=true"))).to.deep.equal(["2029-06-12/2029-06-13 Ziek"]);
  });

  describe("its link", () => {
    it("is shown once, on the organisation's own address, and stored only as a hash", async () => {
      const { status, body } = await tenant.employee.post("/leave/calendar-token");
      expect(status).to.equal(201);
      expect(body.token).to.match(/^[A-Za-z0-9_-]{43}$/);
      expect(body).to.deep.equal({
        token: body.token,
        url: `http://${tenant.host}/api/v1/leave/calendar.ics?token=${body.token}`,
      });
      const { rows } = await service.sql.query("select t::text as row from leave_calendar_tokens t where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      expect(rows).to.have.length(1);
      expect(rows[0].row).not.to.include(body.token);
      await service.sql.query(
        "insert into organisation_domains (organisation_id, hostname, verified_at) values ($1, $2, now())",
        [tenant.organisation.id, `verlof.${tenant.organisation.slug}.test`],
      );
      const again = await tenant.employee.post("/leave/calendar-token");
      expect(again.body.url).to.match(new RegExp(`^http://verlof\\.${tenant.organisation.slug}\\.test/`));
    });

    it("is one per membership: a replaced or revoked one ends at once, and revoking twice is not an error", async () => {
      const first = await token();
      const second = await token();
      expect([(await read(first)).status, (await read(second)).status]).to.deep.equal([404, 200]);
      for (let n = 0; n < 2; n++) expect((await tenant.employee.delete("/leave/calendar-token")).status).to.equal(204);
      expect((await read(second)).status).to.equal(404);
    });

    it("belongs to a person: a service account has none", async () => {
      const robot = await tenant.serviceAccount(["leave.request.read:any"]);
      expect(refused(await robot.post("/leave/calendar-token"))).to.deep.equal(FORBIDDEN);
      expect(refused(await robot.delete("/leave/calendar-token"))).to.deep.equal(FORBIDDEN);
    });

    it("is revoked under a lapsed licence too, but made only with one", async () => {
      await token();
      await service.sql.query("update product_licences set expires_at = '2020-01-01' where module = 'leave'");
      try {
        expect((await tenant.employee.post("/leave/calendar-token")).status).to.equal(402);
        expect((await tenant.employee.delete("/leave/calendar-token")).status).to.equal(204);
      } finally {
        await service.sql.query("update product_licences set expires_at = '2200-01-01' where module = 'leave'");
      }
    });

    it("answers every dead link with one 404", async () => {
      const of = await token();
      const elsewhere = await service.leaveTenant();
      const foreign = await token(elsewhere.employee);
      const replaced = await token();
      expect(replaced).not.to.equal(of);
      const dead: Record<string, string> = {
        missing: "",
        malformed: "%20%2F%27",
        long: "x".repeat(5000),
        unknown: "A".repeat(43),
        replaced: of,
        foreign,
      };
      for (const [what, one] of Object.entries(dead)) {
        const { status, text } = await read(one);
        expect([status, text], what).to.deep.equal([404, NOT_FOUND]);
      }
      expect((await service.call("GET", "/leave/calendar.ics", { host: tenant.host })).text).to.equal(NOT_FOUND);
      expect((await read(of, `&token=${of}`)).text, "twice").to.equal(NOT_FOUND);
    });

    const endings: [what: string, text: string, undo?: string][] = [
      [
        "the membership is deactivated",
        "update memberships set deactivated_at = now() where account_id = $1",
        "update memberships set deactivated_at = null where account_id = $1",
      ],
      [
        "the account is disabled",
        "update accounts set is_active = false where id = $1",
        "update accounts set is_active = true where id = $1",
      ],
      ["the membership ends", "delete from memberships where account_id = $1"],
    ];
    for (const [what, text, undo] of endings)
      it(`ends when ${what}`, async () => {
        const of = await token();
        await service.sql.query(text, [tenant.employee.accountId]);
        expect([(await read(of)).status, (await read(of)).text]).to.deep.equal([404, NOT_FOUND]);
        if (undo === undefined) return;
        await service.sql.query(undo, [tenant.employee.accountId]);
        expect((await read(of)).status).to.equal(200);
      });
  });
});
