import { expect } from "chai";
import { addDays, dateIn, isoWeekday } from "../../../core/calendar/calendar.ts";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import type { Received } from "../../simulators/simulator.ts";
import { fire } from "../../support/jobs.ts";
import type { Caller, Tenant } from "../../support/service.ts";
import { connected, type Workspace } from "../../support/workspace.ts";
import { type CalendarWorld, type Colleague, startCalendars } from "./calendar-world.ts";

const TODAY = dateIn("Europe/Amsterdam", Date.now());
/** The Monday in so many weeks. */
const monday = (weeks: number) => addDays(TODAY, 8 - isoWeekday(TODAY) + weeks * 7);
const isWrite = ({ method, path }: Received) => path.includes("/events") && method !== "GET";

describe("Events that the service writes (workspace §2.3, people §13)", () => {
  let world: CalendarWorld;
  let tenant: Tenant;
  let workspace: Workspace;
  let ann: Colleague;
  before(async () => {
    world = await startCalendars();
  });
  beforeEach(async () => {
    world.google.reset();
    await world.service.sql.query("update workspace_connections set status = 'error'");
    ({ tenant, workspace } = await world.organisation({ timezone: "Europe/Amsterdam" }));
    ann = await world.colleague(tenant);
    await tenant.owner.get("/leave/types");
    forget();
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const forget = () => (world.google.received.length = 0);
  const writes = () => world.google.received.filter(isWrite).map(({ method }) => method);
  const ok = async (answer: ReturnType<Caller["get"]>) => {
    const { status, body, text } = await answer;
    if (status >= 300) throw new Error(`${status} ${text}`);
    return body;
  };
  const typeId = async (key: string): Promise<string> =>
    (await ok(tenant.owner.get("/leave/types"))).find((type: { key: string }) => type.key === key).id;
  /** Asks for leave as a person and has it approved. */
  const leave = async (who: Caller, over: Record<string, unknown> = {}) => {
    const body = {
      leave_type_id: await typeId("vacation_statutory"),
      start_date: monday(2),
      end_date: addDays(monday(2), 2),
      ...over,
    };
    const { id } = await ok(who.post("/leave/requests", body));
    await ok(tenant.owner.post(`/leave/requests/${id}/decide`, { approved: true }));
    await world.settle();
    return id as string;
  };
  const block = async (who: Caller, over: Record<string, unknown> = {}) => {
    const { id: task_id } = await ok(tenant.owner.post("/tasks", { title: "Write the plan" }));
    const body = { task_id, user_id: who.accountId, day: monday(1), start_time: "10:00", duration_minutes: 90, ...over };
    const { id } = await ok(tenant.owner.post("/tasks/schedules", body));
    await world.settle();
    return { id: id as string, task_id: task_id as string };
  };
  const mirrors = async (): Promise<
    { account_id: string; status: string; presence: string; attempts: number; generation: number; last_error: string | null }[]
  > =>
    (
      await world.service.sql.query(
        "select * from workspace_calendar_mirrors where organisation_id = $1 order by created_at, id",
        [tenant.organisation.id],
      )
    ).rows;
  const live = ({ calendar }: Colleague = ann) => calendar.live();

  describe("approved leave", () => {
    it("becomes one event of whole days, is replaced in place, and goes when it is cancelled", async () => {
      const id = await leave(ann.caller, { note: "to the dentist" });
      const [event, ...more] = live();
      expect(more).to.deep.equal([]);
      expect(event?.id).to.match(/^[0-9a-v]{5,1024}$/);
      expect(event).to.deep.include({
        status: "confirmed",
        start: { date: monday(2) },
        end: { date: addDays(monday(2), 3) },
        transparency: "opaque",
      });
      expect(JSON.stringify(event)).to.not.include("dentist");
      await ok(tenant.owner.patch(`/leave/requests/${id}`, { end_date: addDays(monday(2), 3) }));
      await world.settle();
      expect(live().map(({ id: same, end }) => [same, end])).to.deep.equal([[event?.id, { date: addDays(monday(2), 4) }]]);
      await ok(tenant.owner.post(`/leave/requests/${id}/cancel`, {}));
      await world.settle();
      expect(live()).to.deep.equal([]);
      expect(writes()).to.deep.equal(["POST", "PUT", "DELETE"]);
    });

    it("is written for no one while it waits, and not at all when it is rejected", async () => {
      const body = { leave_type_id: await typeId("vacation_statutory"), start_date: monday(2), end_date: monday(2) };
      const { id } = await ok(ann.caller.post("/leave/requests", body));
      await world.settle();
      await ok(tenant.owner.post(`/leave/requests/${id}/decide`, { approved: false }));
      await world.settle();
      expect([writes(), await mirrors()]).to.deep.equal([[], []]);
    });

    it("goes when its owner asks for something else, and comes back under the next id when that is approved", async () => {
      const id = await leave(ann.caller);
      const [first] = live();
      await ok(ann.caller.patch(`/leave/requests/${id}`, { end_date: addDays(monday(2), 1) }));
      await world.settle();
      expect(live()).to.deep.equal([]);
      await ok(tenant.owner.post(`/leave/requests/${id}/decide`, { approved: true }));
      await world.settle();
      const [second, ...more] = live();
      expect(more).to.deep.equal([]);
      expect(second?.id).to.not.equal(first?.id);
      expect(writes()).to.deep.equal(["POST", "DELETE", "POST"]);
    });
  });

  describe("exceptions to a working week", () => {
    it("become a weekly series: unavailable busy, with its last date, extra free", async () => {
      const until = addDays(monday(10), 1);
      const no = { kind: "unavailable", date: monday(1), repeat_weeks: 1, repeat_until: until };
      const { id } = await ok(ann.caller.post("/leave/availability", no));
      await world.settle();
      await ok(
        ann.caller.post("/leave/availability", {
          kind: "extra",
          date: monday(1),
          start_time: "19:00",
          end_time: "21:00",
          repeat_weeks: 2,
          repeat_until: until,
        }),
      );
      await world.settle();
      const [busy, free] = live();
      expect(busy).to.deep.include({
        transparency: "opaque",
        start: { date: monday(1) },
        recurrence: [`RRULE:FREQ=WEEKLY;UNTIL=${until.replaceAll("-", "")}`],
      });
      expect(free?.transparency).to.equal("transparent");
      expect([free?.start?.timeZone, free?.end?.timeZone]).to.deep.equal(["Europe/Amsterdam", "Europe/Amsterdam"]);
      expect(free?.recurrence?.[0]).to.match(/^RRULE:FREQ=WEEKLY;INTERVAL=2;UNTIL=\d{8}T2[123]5959Z$/);
      await ok(ann.caller.delete(`/leave/availability/${id}`));
      await world.settle();
      expect(live()).to.deep.equal([free]);
    });

    it("of two that are a move go together", async () => {
      const [{ id }] = await ok(
        ann.caller.post("/leave/availability/move", { from_date: monday(1), to_date: addDays(monday(1), 5) }),
      );
      await world.settle();
      expect(live()).to.have.length(2);
      await ok(ann.caller.delete(`/leave/availability/${id}`));
      await world.settle();
      expect(live()).to.deep.equal([]);
    });
  });

  describe("planned blocks", () => {
    it("are events at their own times, which follow their moves", async () => {
      const { id } = await block(ann.caller, { note: "bring the laptop" });
      const [event] = live();
      expect(event).to.deep.include({ summary: "Write the plan", description: "bring the laptop" });
      expect(Date.parse(event?.end?.dateTime as string) - Date.parse(event?.start?.dateTime as string)).to.equal(90 * 60_000);
      await ok(tenant.owner.patch(`/tasks/schedules/${id}`, { day: monday(2) }));
      await world.settle();
      expect(live().map(({ id: same, start }) => [same, dateIn("Europe/Amsterdam", start?.dateTime as string)])).to.deep.equal([
        [event?.id, monday(2)],
      ]);
      await ok(tenant.owner.delete(`/tasks/schedules/${id}`));
      await world.settle();
      expect(live()).to.deep.equal([]);
    });

    it("leave the calendar of a removed person, and return there under the next id", async () => {
      const bob = await world.colleague(tenant);
      const { id } = await block(ann.caller);
      const [first] = live(ann);
      const give = async (to: Colleague) => {
        await ok(tenant.owner.patch(`/tasks/schedules/${id}`, { user_id: to.caller.accountId }));
        await world.settle();
      };
      await give(bob);
      expect([live(ann).length, live(bob).length]).to.deep.equal([0, 1]);
      await give(ann);
      expect([live(ann).length, live(bob).length]).to.deep.equal([1, 0]);
      expect(live(ann)[0]?.id).to.not.equal(first?.id);
    });

    it("go with their task", async () => {
      const { task_id } = await block(ann.caller);
      await ok(tenant.owner.delete(`/tasks/${task_id}`));
      await world.settle();
      expect(live()).to.deep.equal([]);
    });

    it("are written for nobody without a connection, and change nothing elsewhere", async () => {
      await block(tenant.owner);
      expect([writes(), await mirrors()]).to.deep.equal([[], []]);
    });
  });

  describe("in the feed", () => {
    it("are omitted, with the instances of their series, and events of others stay (trap S9)", async () => {
      await leave(ann.caller);
      await ok(
        ann.caller.post("/leave/availability", { kind: "unavailable", date: monday(1), repeat_weeks: 1, repeat_until: null }),
      );
      await world.settle();
      ann.calendar.put({ id: "single", summary: "Theirs", start: { date: monday(2) }, end: { date: addDays(monday(2), 1) } });
      ann.calendar.put({
        id: "series",
        summary: "Series",
        recurrence: ["RRULE:FREQ=WEEKLY"],
        start: { date: monday(1) },
        end: { date: addDays(monday(1), 1) },
      });
      await world.service.sql.query("update workspace_calendars set last_synced_at = null");
      await fire(world.service, "workspace.calendar.poll");
      const { rows } = await world.service.sql.query(
        "select count(*)::int as n from workspace_calendar_events where organisation_id = $1 and mirror_key is not null",
        [tenant.organisation.id],
      );
      expect(rows[0].n, "they were read").to.be.greaterThan(50);
      const items = await world.feed(ann.caller, monday(0), addDays(monday(2), 6));
      expect(items.map(({ title, start }) => [title, start])).to.deep.equal([
        ["Series", monday(1)],
        ["Series", monday(2)],
        ["Theirs", monday(2)],
      ]);
      // A removed one is gone from the cache, too, before the next pull.
      const [request] = await ok(ann.caller.get("/leave/requests")).then(({ items: all }) => all);
      await ok(tenant.owner.post(`/leave/requests/${request.id}/cancel`, {}));
      await world.settle();
      expect(await world.feed(ann.caller, monday(0), addDays(monday(2), 6))).to.have.length(3);
    });
  });

  describe("moved on both sides", () => {
    it("follow the service: the record is the source of written events", async () => {
      const { id } = await block(ann.caller);
      const [event] = live();
      ann.calendar.put({
        ...event,
        id: event?.id as string,
        summary: "Mine now",
        start: { dateTime: `${monday(3)}T08:00:00Z` },
        end: { dateTime: `${monday(3)}T09:00:00Z` },
      });
      await ok(tenant.owner.patch(`/tasks/schedules/${id}`, { day: monday(2) }));
      await world.settle();
      const [after, ...more] = live();
      expect(more).to.deep.equal([]);
      expect([after?.id, after?.summary, dateIn("Europe/Amsterdam", after?.start?.dateTime as string)]).to.deep.equal([
        event?.id,
        "Write the plan",
        monday(2),
      ]);
      const { body } = await tenant.owner.get(`/tasks/schedules/${id}`);
      expect(dateIn("Europe/Amsterdam", body.starts_at)).to.equal(monday(2));
    });

    it("come back under the next id where their owner deleted them", async () => {
      const { id } = await block(ann.caller);
      ann.calendar.remove(live()[0]?.id as string);
      await ok(tenant.owner.patch(`/tasks/schedules/${id}`, { day: monday(2) }));
      await world.settle();
      expect(live()).to.have.length(1);
      expect(writes()).to.deep.equal(["POST", "PUT", "POST"]);
    });

    for (const status of [404, 410])
      it(`are deleted where deleting answers ${status}`, async () => {
        const { id } = await block(ann.caller);
        const { id: event } = live()[0] as { id: string };
        if (status === 410) ann.calendar.remove(event);
        else ann.calendar.events.delete(event);
        await ok(tenant.owner.delete(`/tasks/schedules/${id}`));
        await world.settle();
        expect((await mirrors()).map(({ status: end, presence }) => [end, presence])).to.deep.equal([["done", "absent"]]);
      });
  });

  describe("when Google does not do as asked", () => {
    it("are there once after an answer that was lost: the 409 of the repetition says that it is done", async () => {
      world.google.fail({ kind: "lose" });
      await block(ann.caller);
      expect([live().length, writes()]).to.deep.equal([1, ["POST", "POST"]]);
      expect((await mirrors())[0]).to.deep.include({ status: "done", presence: "there" });
    });

    it("are there once where the repetition's answer is lost, too, and the sweep asks again", async () => {
      const end = world.google.failWhen(isWrite, { kind: "lose" });
      await block(ann.caller);
      end();
      expect((await mirrors())[0]).to.deep.include({ status: "pending", presence: "asked", attempts: 1 });
      forget();
      await fire(world.service, "workspace.calendar.sweep");
      expect([live().length, writes()]).to.deep.equal([1, ["POST"]]);
      expect((await mirrors())[0]).to.deep.include({ status: "done", presence: "there", attempts: 0, last_error: null });
    });

    it("replace an unknown event under their id, and use the next id if it is deleted", async () => {
      const { id } = await block(ann.caller);
      const [event] = live();
      await world.service.sql.query("delete from workspace_calendar_mirrors where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      const move = async (weeks: number) => {
        forget();
        await ok(tenant.owner.patch(`/tasks/schedules/${id}`, { day: monday(weeks) }));
        await world.settle();
      };
      await move(2);
      expect([writes(), live().map((one) => one.id)]).to.deep.equal([["POST", "PUT"], [event?.id]]);
      ann.calendar.remove(event?.id as string);
      await world.service.sql.query("delete from workspace_calendar_mirrors where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      await move(3);
      expect([writes(), live().length]).to.deep.equal([["POST", "PUT", "POST"], 1]);
      expect((await mirrors())[0]?.generation).to.equal(1);
    });

    it("show the record's current state if the answer of an earlier version was lost", async () => {
      const end = world.google.failWhen(isWrite, { kind: "lose" });
      const { id } = await block(ann.caller);
      end();
      await ok(tenant.owner.patch(`/tasks/schedules/${id}`, { day: monday(2) }));
      await world.settle();
      expect(live().map(({ start }) => dateIn("Europe/Amsterdam", start?.dateTime as string))).to.deep.equal([monday(2)]);
    });

    it("have failed after five attempts, one a sweep, and are tried again when the record changes", async () => {
      const end = world.google.failWhen(isWrite, GoogleSimulator.refusing(400, "invalid"));
      const { id } = await block(ann.caller);
      for (let n = 2; n <= 5; n++) {
        expect((await mirrors())[0]).to.deep.include({ status: "pending", attempts: n - 1 });
        await fire(world.service, "workspace.calendar.sweep");
      }
      expect((await mirrors())[0]).to.deep.include({ status: "failed", attempts: 5 });
      expect((await mirrors())[0]?.last_error).to.include("invalid");
      forget();
      await fire(world.service, "workspace.calendar.sweep");
      expect(writes()).to.deep.equal([]);
      end();
      await ok(tenant.owner.patch(`/tasks/schedules/${id}`, { day: monday(2) }));
      await world.settle();
      expect([live().length, (await mirrors())[0]?.status]).to.deep.equal([1, "done"]);
    });

    it("wait without an attempt for a limit of Google, and for a person who has to connect again", async () => {
      const end = world.google.failWhen(isWrite, GoogleSimulator.refusing(403, "rateLimitExceeded"));
      await block(ann.caller);
      end();
      expect((await mirrors())[0]).to.deep.include({ status: "pending", attempts: 0 });
      world.google.revoke(ann.person);
      world.google.expireAccessTokens();
      await world.service.sql.query("update workspace_connections set access_expires_at = now() where account_id = $1", [
        ann.caller.accountId,
      ]);
      await fire(world.service, "workspace.calendar.sweep");
      await fire(world.service, "workspace.calendar.sweep");
      expect((await mirrors())[0]).to.deep.include({ status: "pending", attempts: 0 });
      await connected(world.google, ann.caller, { person: ann.person });
      await world.settle();
      expect([live().length, (await mirrors())[0]?.status]).to.deep.equal([1, "done"]);
    });

    it("are written in the order in which they were queued, one calendar at a time", async () => {
      const end = world.google.failWhen(isWrite, GoogleSimulator.refusing(403, "rateLimitExceeded"));
      for (const n of [1, 2, 3]) await block(ann.caller, { day: monday(n) });
      end();
      forget();
      await fire(world.service, "workspace.calendar.sweep");
      const days = world.google.received
        .filter(isWrite)
        .map(({ body }) => dateIn("Europe/Amsterdam", JSON.parse(body).start.dateTime));
      expect(days).to.deep.equal([monday(1), monday(2), monday(3)]);
    });

    it("do not wait for one that Google refuses", async () => {
      let refused = 0;
      const end = world.google.failWhen(
        (request) => isWrite(request) && request.body.includes("refused") && ++refused > 0,
        GoogleSimulator.refusing(400, "invalid"),
      );
      await block(ann.caller, { note: "refused" });
      await block(ann.caller);
      end();
      expect([refused > 0, live().length]).to.deep.equal([true, 1]);
    });
  });

  it("are written for a person's current records when they connect, and not for past ones", async () => {
    const caller = await tenant.member("member");
    const coming = await leave(caller);
    const over = await leave(caller, { start_date: monday(3), end_date: monday(3) });
    const { id: planned } = await block(caller);
    const { id: past } = await block(caller, { day: monday(4) });
    await ok(
      tenant.owner.post("/leave/availability", {
        user_id: caller.accountId,
        kind: "extra",
        date: addDays(monday(2), 5),
        start_time: "09:00",
        end_time: "12:00",
      }),
    );
    const { sql } = world.service;
    await sql.query("update leave_requests set start_date = '2024-03-04', end_date = '2024-03-04' where id = $1", [over]);
    await sql.query("update task_schedules set starts_at = '2024-03-04 09:00Z', ends_at = '2024-03-04 10:00Z' where id = $1", [
      past,
    ]);
    expect(await mirrors()).to.deep.equal([]);
    const person = world.google.state.person(`${caller.accountId}@example.com`);
    await connected(world.google, caller, { person });
    await world.settle();
    const written = world.google.calendar.of(person).live();
    expect(written.map(({ id }) => id?.[7]).toSorted()).to.deep.equal(["a", "l", "s"]);
    for (const id of [coming, planned])
      expect(
        written.filter((event) => event.id?.includes(id.replaceAll("-", ""))),
        id,
      ).to.have.length(1);
    forget();
    await connected(world.google, caller, { person });
    await world.settle();
    expect(writes()).to.deep.equal([]);
  });

  it("wait while the licence does not cover workspace, and are written when it does (trap S8)", async () => {
    const licence = (until: string) =>
      world.service.sql.query(
        `insert into product_licences (module, expires_at) values ('workspace', now() + $1::interval)
         on conflict (module) do update set expires_at = excluded.expires_at`,
        [until],
      );
    await licence("-1 minute");
    const { id: task_id } = await ok(tenant.owner.post("/tasks", { title: "Write the plan" }));
    await ok(
      tenant.owner.post("/tasks/schedules", {
        task_id,
        user_id: ann.caller.accountId,
        day: monday(1),
        start_time: "10:00",
        duration_minutes: 90,
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(writes()).to.deep.equal([]);
    await licence("1 year");
    await world.service.sql.query("update jobs.agenda_jobs set next_run_at = now() where type = 'normal' and locked_at is null");
    await world.settle();
    expect(live()).to.have.length(1);
  });

  it("reach a person with the broader scope, and nobody whose grant has none (trap S10)", async () => {
    const scopes = (list: string[]) =>
      world.service.sql.query("update workspace_connections set scopes = $2 where account_id = $1", [ann.caller.accountId, list]);
    await scopes(["openid"]);
    await block(ann.caller);
    expect(live()).to.deep.equal([]);
    await scopes(["https://www.googleapis.com/auth/calendar"]);
    await block(ann.caller);
    expect(live()).to.have.length(1);
  });

  it("are written once for a person who ends the connection and connects again", async () => {
    const { id } = await block(ann.caller);
    const [event] = live();
    await ok(ann.caller.post("/workspace/connections/me/disconnect"));
    await connected(world.google, ann.caller, { person: ann.person });
    await world.settle();
    await ok(tenant.owner.patch(`/tasks/schedules/${id}`, { day: monday(2) }));
    await world.settle();
    expect(live().map((one) => one.id)).to.deep.equal([event?.id]);
    expect(await world.feed(ann.caller, monday(0), monday(5))).to.deep.equal([]);
  });

  it("are written into the calendar of another Google account that their person connects", async () => {
    await block(ann.caller);
    const other = world.google.state.person("other@example.com");
    await connected(world.google, ann.caller, { person: other });
    await world.settle();
    expect(world.google.calendar.of(other).live()).to.have.length(1);
  });

  it("are not written while calendars are switched off, and are once they are on", async () => {
    const { id } = await block(ann.caller);
    forget();
    await workspace.configure({ calendar_enabled: false });
    await block(ann.caller);
    await ok(tenant.owner.delete(`/tasks/schedules/${id}`));
    await leave(ann.caller);
    expect(writes()).to.deep.equal([]);
    await workspace.configure();
    await world.settle();
    expect(
      live()
        .map((event) => event.id?.[7])
        .toSorted(),
    ).to.deep.equal(["l", "s"]);
    expect(writes().toSorted()).to.deep.equal(["DELETE", "POST", "POST"]);
    await workspace.configure({ mail_log_internal: true });
    expect(writes()).to.have.length(3);
  });

  for (const timezone of ["Pacific/Pago_Pago", "Pacific/Kiritimati"])
    it(`have the same whole day in ${timezone}, read, edited and written back unchanged (trap P6)`, async () => {
      const far = await world.organisation({ timezone });
      const eve = await world.colleague(far.tenant);
      await ok(far.tenant.owner.get("/leave/types"));
      const types = await ok(far.tenant.owner.get("/leave/types"));
      const vacation = types.find((type: { key: string }) => type.key === "vacation_statutory").id;
      const day = monday(2);
      const { id } = await ok(eve.caller.post("/leave/requests", { leave_type_id: vacation, start_date: day, end_date: day }));
      await ok(far.tenant.owner.post(`/leave/requests/${id}/decide`, { approved: true }));
      await world.settle();
      const days = () => eve.calendar.live().map(({ start, end }) => [start?.date, end?.date]);
      expect(days()).to.deep.equal([[day, addDays(day, 1)]]);
      const stored = await ok(eve.caller.get(`/leave/requests/${id}`));
      await ok(
        far.tenant.owner.patch(`/leave/requests/${id}`, { start_date: stored.start_date, end_date: stored.end_date, note: "x" }),
      );
      await world.settle();
      expect(days()).to.deep.equal([[day, addDays(day, 1)]]);
    });
});
