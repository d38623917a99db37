import { expect } from "chai";
import { addDays, dateIn, isoWeekday } from "../../../core/calendar/calendar.ts";
import { strike } from "../../support/jobs.ts";
import type { Caller, Tenant } from "../../support/service.ts";
import { type CalendarWorld, type Colleague, startCalendars } from "./calendar-world.ts";

const TODAY = dateIn("Europe/Amsterdam", Date.now());
const MONDAY = addDays(TODAY, 8 - isoWeekday(TODAY));

describe("Events of this service in a person's calendar (workspace §2.3)", function () {
  this.timeout(60_000);
  let world: CalendarWorld;
  let tenant: Tenant;
  let ann: Colleague;
  before(async () => {
    world = await startCalendars();
  });
  beforeEach(async () => {
    world.google.reset();
    await world.service.sql.query("update workspace_connections set status = 'error'");
    ({ tenant } = await world.organisation({ timezone: "Europe/Amsterdam" }));
    ann = await world.colleague(tenant);
    await tenant.owner.get("/leave/types");
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const ok = async (answer: ReturnType<Caller["get"]>) => {
    const { status, body, text } = await answer;
    if (status >= 300) throw new Error(`${status} ${text}`);
    return body;
  };
  const block = async (who = ann.caller) => {
    const { id: task } = await ok(tenant.owner.post("/tasks", { title: "Write the plan" }));
    const body = { task_id: task, user_id: who.accountId, day: MONDAY, start_time: "10:00", duration_minutes: 90 };
    const { id } = await ok(tenant.owner.post("/tasks/schedules", body));
    await world.settle();
    return { id: id as string, task: task as string };
  };
  const leave = async () => {
    const type = (await ok(tenant.owner.get("/leave/types"))).find(({ key }: { key: string }) => key === "vacation_statutory");
    const body = { leave_type_id: type.id, start_date: MONDAY, end_date: MONDAY };
    const { id } = await ok(ann.caller.post("/leave/requests", body));
    await ok(tenant.owner.post(`/leave/requests/${id}/decide`, { approved: true }));
    await world.settle();
    return { id: id as string, type };
  };
  const titles = () => ann.calendar.live().map(({ summary }) => summary);
  const writes = () => world.google.received.filter(({ path, method }) => path.includes("/events/") && method === "PUT").length;
  /** Has the calendars read, as the clock does, and waits for what follows. */
  const pull = async () => {
    await world.service.sql.query("update workspace_calendars set last_synced_at = now() - interval '1 hour'");
    await world.service.sql.query("update workspace_calendar_mirrors set updated_at = updated_at - interval '1 minute'");
    await strike(world.service, "workspace.calendar.poll");
    await world.settle();
  };
  const change = (values: object) => {
    const [event] = ann.calendar.live();
    ann.calendar.put({ ...(event as NonNullable<typeof event>), ...values });
  };
  const notices = async () =>
    (await ok(ann.caller.get("/notifications?limit=50"))).items
      .filter(({ event_type }: { event_type: string }) => event_type === "workspace.event_restored")
      .map(({ payload }: { payload: { title: string } }) => payload.title);

  it("follow a renamed task and a renamed type of leave, and nothing else is written", async () => {
    const { task } = await block();
    await block();
    const { type } = await leave();
    world.google.received.length = 0;
    await ok(tenant.owner.patch(`/tasks/${task}`, { title: "Write the offer" }));
    await world.settle();
    expect(titles()).to.include.members(["Write the offer", "Write the plan"]);
    expect(writes()).to.equal(1);
    await ok(tenant.owner.patch(`/leave/types/${type.id}`, { label_i18n: { nl: "Vrij", en: "Time off" } }));
    await world.settle();
    expect(titles()).to.include("Vrij");
    expect(writes()).to.equal(2);
    await ok(tenant.owner.patch(`/tasks/${task}`, { description: "More" }));
    await ok(tenant.owner.patch(`/leave/types/${type.id}`, { position: 9 }));
    await world.settle();
    expect(writes()).to.equal(2);
  });

  it("move a planned block that its owner moved", async () => {
    const { id } = await block();
    await pull();
    const at = (time: string) => ({ dateTime: new Date(`${addDays(MONDAY, 1)}T${time}:00Z`).toISOString() });
    change({ start: at("12:00"), end: at("13:15") });
    await pull();
    const moved = await ok(ann.caller.get(`/tasks/schedules/${id}`));
    expect([Date.parse(moved.starts_at), Date.parse(moved.ends_at)]).to.deep.equal(
      ["12:00", "13:15"].map((time) => Date.parse(`${addDays(MONDAY, 1)}T${time}:00Z`)),
    );
    expect(await notices()).to.deep.equal([]);
  });

  it("are put back once and reported: a block of a person who may not plan, a moved leave, a rename", async () => {
    await block();
    await pull();
    await world.service.sql.query(
      "update roles set permissions = array_remove(array_remove(permissions, 'tasks.schedule.write:own'), 'tasks.schedule.write:any') where organisation_id = $1",
      [tenant.organisation.id],
    );
    const [before] = ann.calendar.live();
    const at = (time: string) => ({ dateTime: new Date(`${addDays(MONDAY, 1)}T${time}:00Z`).toISOString() });
    change({ start: at("12:00"), end: at("13:15") });
    await pull();
    expect(Date.parse(ann.calendar.live()[0]?.start?.dateTime as string)).to.equal(Date.parse(before?.start?.dateTime as string));
    expect(await notices()).to.deep.equal(["Write the plan"]);
    change({ summary: "Mine" });
    await pull();
    await pull();
    expect(titles()).to.deep.equal(["Write the plan"]);
    expect(await notices()).to.have.length(2);
  });

  it("put a moved leave back, once; a change that the calendar keeps is not fought over", async () => {
    await leave();
    await pull();
    const [{ start } = {}] = ann.calendar.live();
    const elsewhere = { start: { date: addDays(MONDAY, 7) }, end: { date: addDays(MONDAY, 8) } };
    change(elsewhere);
    await pull();
    expect(ann.calendar.live()[0]?.start).to.deep.equal(start);
    expect(await notices()).to.have.length(1);
    world.google.received.length = 0;
    await pull();
    expect(writes()).to.equal(0);
    change(elsewhere);
    await pull();
    expect(ann.calendar.live()[0]?.start).to.deep.equal(start);
    expect(await notices()).to.have.length(2);
  });

  it("leave declined invitations and working locations out of the feed, and say who is free", async () => {
    const day = { start: { date: MONDAY }, end: { date: addDays(MONDAY, 1) } };
    ann.calendar.put({
      id: "declined0",
      summary: "Declined",
      ...day,
      attendees: [{ email: "a@x.example", self: true, responseStatus: "declined" }],
    });
    ann.calendar.put({ id: "office0", summary: "Office", ...day, eventType: "workingLocation" });
    ann.calendar.put({ id: "away0", summary: "Away", ...day, eventType: "outOfOffice" });
    ann.calendar.put({ id: "free0", summary: "Free", ...day, transparency: "transparent" });
    await pull();
    const feed = await world.feed(ann.caller, MONDAY, MONDAY);
    expect(feed.map(({ title, free }) => [title, free])).to.deep.equal([
      ["Away", false],
      ["Free", true],
    ]);
  });
});
