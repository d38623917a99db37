import { expect } from "chai";
import type { Tenant } from "../../support/service.ts";
import type { Workspace } from "../../support/workspace.ts";
import { type CalendarWorld, startCalendars } from "./calendar-world.ts";

const FEED = "/workspace/calendar/events";

describe("GET /workspace/calendar/events (workspace §2.3)", () => {
  let world: CalendarWorld;
  let tenant: Tenant;
  let workspace: Workspace;
  before(async () => {
    world = await startCalendars();
  });
  beforeEach(async () => {
    world.google.reset();
    ({ tenant, workspace } = await world.organisation({ timezone: "Europe/Amsterdam" }));
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const timed = (id: string, start: string, end: string, summary = id) => ({
    id,
    summary,
    start: { dateTime: start },
    end: { dateTime: end },
  });
  const whole = (id: string, start: string, end: string, summary = id) => ({
    id,
    summary,
    start: { date: start },
    end: { date: end },
  });

  it("shows the stored events, in the contract's form, without another call of Google", async () => {
    const { caller } = await world.colleague(tenant, (calendar) => {
      calendar.put({
        ...timed("ev001", "2027-03-01T09:00:00+01:00", "2027-03-01T10:00:00+01:00", "Standup"),
        status: "tentative",
      });
      calendar.put(whole("ev002", "2027-03-01", "2027-03-03", "Fair"));
    });
    world.google.received.length = 0;
    expect(await world.feed(caller, "2027-03-01", "2027-03-31")).to.deep.equal([
      {
        id: "ev001",
        title: "09:00 Standup",
        start: "2027-03-01",
        end: "2027-03-01",
        all_day: false,
        starts_at: "2027-03-01T08:00:00Z",
        ends_at: "2027-03-01T09:00:00Z",
        html_link: "https://www.google.com/calendar/event?eid=ev001",
        free: false,
        tentative: true,
        cancelled: false,
      },
      {
        id: "ev002",
        title: "Fair",
        start: "2027-03-01",
        end: "2027-03-02",
        all_day: true,
        starts_at: null,
        ends_at: null,
        html_link: "https://www.google.com/calendar/event?eid=ev002",
        free: false,
        tentative: false,
        cancelled: false,
      },
    ]);
    expect(world.asked()).to.deep.equal([]);
  });

  it("has the events that overlap the window, both days included, in the organisation's zone", async () => {
    const { caller } = await world.colleague(tenant, (calendar) => {
      calendar.put(timed("before0", "2027-03-09T22:00:00+01:00", "2027-03-10T00:00:00+01:00"));
      calendar.put(timed("touches", "2027-03-09T22:00:00+01:00", "2027-03-10T00:01:00+01:00"));
      calendar.put(timed("moment0", "2027-03-10T00:00:00+01:00", "2027-03-10T00:00:01+01:00"));
      calendar.put(timed("last000", "2027-03-11T23:59:00+01:00", "2027-03-12T01:00:00+01:00"));
      calendar.put(timed("after00", "2027-03-12T00:00:00+01:00", "2027-03-12T01:00:00+01:00"));
      calendar.put(whole("day0b", "2027-03-09", "2027-03-10"));
      calendar.put(whole("day1a", "2027-03-09", "2027-03-11"));
      calendar.put(whole("day1b", "2027-03-11", "2027-03-20"));
      calendar.put(whole("day2a", "2027-03-12", "2027-03-13"));
    });
    const ids = (await world.feed(caller, "2027-03-10", "2027-03-11")).map(({ id }) => id);
    expect(ids).to.have.members(["touches", "moment0", "last000", "day1a", "day1b"]);
  });

  it("orders by first day, then title", async () => {
    const { caller } = await world.colleague(tenant, (calendar) => {
      calendar.put(whole("ev1", "2027-03-11", "2027-03-12", "Alpha"));
      calendar.put(whole("ev2", "2027-03-10", "2027-03-11", "Beta"));
      calendar.put(timed("ev3", "2027-03-10T15:00:00Z", "2027-03-10T16:00:00Z", "Zeta"));
      calendar.put(timed("ev4", "2027-03-10T08:00:00Z", "2027-03-10T09:00:00Z", "Omega"));
    });
    const titles = (await world.feed(caller, "2027-03-01", "2027-03-31")).map(({ title }) => title);
    expect(titles).to.deep.equal(["09:00 Omega", "16:00 Zeta", "Beta", "Alpha"]);
  });

  it("is the caller's own alone, and empty without a connection", async () => {
    const fill = (calendar: { put(event: ReturnType<typeof whole>): unknown }) =>
      void calendar.put(whole("secret0", "2027-03-10", "2027-03-11"));
    const ann = await world.colleague(tenant, fill);
    const other = await tenant.member("admin");
    expect(await world.feed(ann.caller, "2027-03-01", "2027-03-31")).to.have.length(1);
    for (const caller of [other, tenant.owner]) expect(await world.feed(caller, "2027-03-01", "2027-03-31")).to.deep.equal([]);
    const service = await tenant.serviceAccount(["workspace.calendar.read"]);
    expect(await world.feed(service, "2027-03-01", "2027-03-31")).to.deep.equal([]);
  });

  it("continues to show stored events while the connection is broken, and after calendars were switched off", async () => {
    const { caller, person } = await world.colleague(
      tenant,
      (calendar) => void calendar.put(whole("ev001", "2027-03-10", "2027-03-11")),
    );
    world.google.revoke(person);
    await workspace.configure({ calendar_enabled: false });
    expect(await world.feed(caller, "2027-03-01", "2027-03-31")).to.have.length(1);
  });

  it("costs one statement, for three events and for three hundred", async () => {
    const few = await world.colleague(tenant, (calendar) => {
      for (let n = 0; n < 3; n++) calendar.put(whole(`few${n}aaa`, "2027-03-10", "2027-03-11"));
    });
    const many = await world.colleague(tenant, (calendar) => {
      for (let n = 0; n < 300; n++) calendar.put(whole(`many${n}`, "2027-03-10", "2027-03-11"));
    });
    const counts: unknown[] = [];
    for (const { caller } of [few, many]) {
      const ask = () => caller.get(`${FEED}?date_from=2027-03-01&date_to=2027-03-31`);
      // The first call of a key loads who it is.
      await ask();
      const { body, statements } = await ask();
      counts.push([body.length, statements]);
    }
    expect(counts).to.deep.equal([
      [3, 1],
      [300, 1],
    ]);
  });

  const wrong: [query: string, fields: string[]][] = [
    ["", ["date_from", "date_to"]],
    ["date_from=2027-03-01", ["date_to"]],
    ["date_from=2027-3-01&date_to=2027-03-31", ["date_from"]],
    ["date_from=2027-02-29&date_to=2027-03-31", ["date_from"]],
    ["date_from=2027-03-01T00:00&date_to=2027-03-31", ["date_from"]],
    ["date_from=2027-03-31&date_to=2027-03-01", ["date_to"]],
    ["date_from=2027-03-01&date_to=2027-03-31&user_id=x", ["user_id"]],
  ];
  for (const [query, fields] of wrong)
    it(`refuses '${query}' with 422 that names ${fields.join(" and ")}`, async () => {
      const { status, body } = await tenant.owner.get(`${FEED}?${query}`);
      expect([status, body.error?.code, Object.keys(body.error?.fields ?? {})]).to.deep.equal([422, "validation", fields]);
    });

  it("takes the first and the last day of the calendar", async () => {
    expect(await world.feed(tenant.owner, "0001-01-01", "9999-12-31")).to.deep.equal([]);
  });

  it("refuses a caller without workspace.calendar.read: 403", async () => {
    const caller = await tenant.member("member", { grants: ["workspace.connection.manage"] });
    expect((await caller.get(`${FEED}?date_from=2027-03-01&date_to=2027-03-31`)).status).to.equal(403);
  });

  for (const timezone of ["Pacific/Pago_Pago", "Pacific/Kiritimati"])
    it(`has an all-day event of one day on that day in ${timezone} (trap P6)`, async () => {
      const far = await world.organisation({ timezone });
      const { caller } = await world.colleague(
        far.tenant,
        (calendar) => void calendar.put(whole("ev001", "2027-03-10", "2027-03-11")),
      );
      expect((await world.feed(caller, "2027-03-10", "2027-03-10")).map(({ start, end }) => [start, end])).to.deep.equal([
        ["2027-03-10", "2027-03-10"],
      ]);
      for (const day of ["2027-03-09", "2027-03-11"]) expect(await world.feed(caller, day, day)).to.deep.equal([]);
    });
});
