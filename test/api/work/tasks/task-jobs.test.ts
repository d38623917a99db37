import { expect } from "chai";
import { addDays, dateIn } from "../../../../core/calendar/calendar.ts";
import { jobsOf } from "../../../../mixins/jobs.ts";
import { eventsAbout, recordEvents } from "../../../support/answers.ts";
import { fire, settled, until } from "../../../support/jobs.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../../support/service.ts";
import { type Body, bodyOf, makeTask } from "./task-records.ts";

describe("the scheduled work of tasks", () => {
  let service: TestService;
  let tenant: Tenant;
  let anna: Caller;
  const today = () => dateIn("Europe/Amsterdam", new Date().toISOString());
  before(async () => {
    service = await startService();
    await jobsOf(service.node.broker).ready();
    await recordEvents(service);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    anna = await tenant.member("member");
  });
  after(() => service.stop());

  const run = async (job: string) => {
    await settled(service);
    await fire(service, job);
  };
  const suspend = ({ organisation }: Tenant) =>
    service.sql.query("update organisations set status = 'suspended' where id = $1", [organisation.id]);

  it("comes at 04:00, at 05:30 and every quarter of an hour", async () => {
    const { rows } = await service.sql.query(
      "select name, repeat_interval from jobs.agenda_jobs where name like 'tasks.%' order by 1",
    );
    expect(rows).to.deep.equal([
      { name: "tasks.fail-stuck-fill-ins", repeat_interval: "*/15 * * * *" },
      { name: "tasks.recur", repeat_interval: "0 4 * * *" },
      { name: "tasks.remind", repeat_interval: "30 5 * * *" },
    ]);
  });

  describe("scheduled recurrences", () => {
    const carrier = async ({ owner }: Tenant): Promise<Body> => {
      const made = await makeTask(owner, { due_date: addDays(today(), -7), recurrence: { freq: "weekly", mode: "schedule" } });
      await service.sql.query("update tasks set recurrence_next_run = $2 where id = $1", [made.id, today()]);
      return made;
    };
    const total = async ({ organisation }: Tenant): Promise<number> =>
      (await service.sql.query("select count(*)::int as n from tasks where organisation_id = $1", [organisation.id])).rows[0].n;

    it("are created in every organisation, despite failures in another, except suspended ones; twice nothing more", async () => {
      const [broken, suspended] = [await service.tenant(), await service.tenant()];
      await carrier(tenant);
      const { id } = await carrier(broken);
      await service.sql.query("update tasks set due_date = '9999-12-30' where id = $1", [id]);
      await carrier(suspended);
      await suspend(suspended);
      const fired = fire(service, "tasks.recur");
      await until(async () => (await total(tenant)) === 2);
      expect([await total(broken), await total(suspended)]).to.deep.equal([1, 1]);
      await service.sql.query("update tasks set due_date = null where id = $1", [id]);
      await fired;
      await run("tasks.recur");
      expect([await total(tenant), await total(broken), await total(suspended)]).to.deep.equal([2, 2, 1]);
    });
  });

  describe("reminders of due dates", () => {
    const reported = async (id: string) =>
      (await eventsAbout(service, id)).filter(({ event }) => event === "task.overdue" || event === "task.due_soon");
    const task = (days: number, body: object = {}) =>
      makeTask(tenant.owner, { title: "T", due_date: addDays(today(), days), assignee_user_id: anna.accountId, ...body });

    it("notify the starred assignee when a task is overdue, and on the third day before", async () => {
      const [late, soon, today0, tomorrow, far] = await Promise.all([-1, 3, 0, 1, 4].map((days) => task(days)));
      await run("tasks.remind");
      const payload = { title: "T", recipients: [anna.accountId] };
      expect(await reported(late.id)).to.deep.equal([
        { event: "task.overdue", payload: { ...payload, task_id: late.id, due_date: late.due_date } },
      ]);
      expect(await reported(soon.id)).to.deep.equal([
        { event: "task.due_soon", payload: { ...payload, task_id: soon.id, due_date: soon.due_date, days_left: 3 } },
      ]);
      for (const { id } of [today0, tomorrow, far]) expect(await reported(id)).to.deep.equal([]);
    });

    it("notify once per task and due date; a moved date notifies again", async () => {
      const { id } = await task(-1);
      await run("tasks.remind");
      await run("tasks.remind");
      expect(await reported(id)).to.have.length(1);
      bodyOf(await tenant.owner.patch(`/tasks/${id}`, { due_date: addDays(today(), -2) }));
      await run("tasks.remind");
      expect(await reported(id)).to.have.length(2);
      bodyOf(await tenant.owner.patch(`/tasks/${id}`, { due_date: addDays(today(), 3), due_change_reason: "later" }));
      await run("tasks.remind");
      expect((await reported(id)).map(({ event }) => event)).to.deep.equal(["task.overdue", "task.overdue", "task.due_soon"]);
    });

    it("leave out finished tasks, those without a starred person, and suspended organisations", async () => {
      const done = await task(-1, { status: "done" });
      const alone = await task(-1, { assignee_user_id: null });
      const lost = await task(-1);
      await service.sql.query("update task_assignees set is_primary = false where task_id = $1", [lost.id]);
      const other = await service.tenant();
      const waiting = await makeTask(other.owner, { due_date: addDays(today(), -1), assignee_user_id: other.owner.accountId });
      await suspend(other);
      await run("tasks.remind");
      for (const { id } of [done, alone, lost, waiting]) expect(await reported(id)).to.deep.equal([]);
    });
  });

  it("fails fill-ins that have been stuck for 20 minutes, and no others", async () => {
    const stuck = async (status: string, minutes: number) => {
      const { id } = await makeTask(tenant.owner);
      await service.sql.query("update tasks set ai_status = $2, ai_status_at = now() - make_interval(mins => $3) where id = $1", [
        id,
        status,
        minutes,
      ]);
      return id;
    };
    const ids = [await stuck("running", 21), await stuck("queued", 21), await stuck("running", 19), await stuck("done", 21)];
    await run("tasks.fail-stuck-fill-ins");
    const states = await Promise.all(ids.map(async (id) => bodyOf(await tenant.owner.get(`/tasks/${id}/ai-status`)).ai_status));
    expect(states).to.deep.equal(["failed", "failed", "running", "done"]);
  });
});
