import { expect } from "chai";
import pg from "pg";
import { remindAll } from "../../../../services/work/deadlines/reminders.ts";
import { runSchedules } from "../../../../services/work/tasks/recurrence/scheduled-runs.ts";
import type { Answer } from "../../../support/http.ts";
import type { Caller, Tenant } from "../../../support/service.ts";
import { rounds } from "../../../support/tier.ts";
import {
  type Body,
  behind,
  bodyOf,
  expectRefusal,
  idsOf,
  linesOf,
  makeStatus,
  makeTask,
  runFor,
  sharedTaskService,
  type TaskService,
} from "./task-records.ts";

const TIMES = 8;

describe("tasks at the same moment", () => {
  let service: TaskService;
  let tenant: Tenant;
  let anna: Caller;
  before(async () => {
    service = await sharedTaskService("2026-09-03");
  });
  beforeEach(async () => {
    service.today("2026-09-03");
    tenant = await service.tenant();
    anna = await tenant.member("member");
  });
  after(() => service.stop());

  const actionsOf = async (id: string) => (await linesOf(service, id)).map(([action]) => action);
  const others = async (id: string): Promise<Body[]> =>
    bodyOf(await tenant.owner.get("/tasks")).items.filter((task: Body) => task.id !== id);

  it("two people finish one task: one move, one stamp, one occurrence", async () => {
    for (let index = 0; index < TIMES; index++) {
      const { id } = await makeTask(tenant.owner, {
        title: `T${index}`,
        recurrence: { freq: "weekly" },
        assignee_user_id: anna.accountId,
      });
      const finish = (caller: Caller) => caller.patch(`/tasks/${id}`, { status: "done" });
      const answers = await Promise.all([finish(tenant.owner), finish(anna), finish(tenant.owner)]);
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      expect(new Set(answers.map(({ body }) => body.completed_at)).size).to.equal(1);
      expect(await actionsOf(id)).to.deep.equal(["created", "status_changed", "recurrence_spawned_next"]);
      expect((await others(id)).filter(({ title }) => title === `T${index}`)).to.have.length(1);
      const { rows } = await service.sql.query("select 1 from recorded where entity_id = $1 and event = 'task.status_changed'", [
        id,
      ]);
      expect(rows).to.have.length(1);
    }
  });

  it("tasks made again and again at once never share a position", async () => {
    const positions: number[] = [];
    for (let round = 0; round < rounds(20, 150); round++) {
      const made = await Promise.all(Array.from({ length: TIMES }, () => tenant.owner.post("/tasks", { title: "T" })));
      positions.push(...made.map(({ body }) => body.position));
    }
    expect(positions.length - new Set(positions).size).to.equal(0);
  });

  it("tasks made at once each have a position of their own, the next one is behind them all", async () => {
    const template = bodyOf(
      await tenant.owner.post("/tasks/templates", { name: "Start", items: [{ title: "A" }, { title: "B" }] }),
    );
    const company = await tenant.company();
    const positionsOf = (answers: readonly Answer[]) =>
      answers.flatMap((answer) => bodyOf(answer)).map(({ position }: Body) => position as number);
    const applied = () => tenant.owner.post(`/tasks/templates/${template.id}/apply`, { company_id: company.id });
    const first = positionsOf([await applied()]);
    expect(first).to.deep.equal([1024, 2048]);
    const made = positionsOf(
      await Promise.all([...Array.from({ length: TIMES }, () => tenant.owner.post("/tasks", { title: "T" })), applied()]),
    );
    expect(new Set(made).size).to.equal(TIMES + 2);
    expect(Math.min(...made)).to.be.at.least(3072);
    const [a, b] = made.slice(-2) as [number, number];
    expect(b).to.be.at.least(a + 1024);
    const next = positionsOf([await tenant.owner.post("/tasks", { title: "T" })]);
    expect(next).to.deep.equal([Math.max(...made) + 1024]);
  });

  it("a task waits for no other that is being made", async () => {
    await makeTask(tenant.owner);
    const other = new pg.Client({ connectionString: service.database.owner });
    await other.connect();
    try {
      await other.query("begin");
      await other.query("select pg_advisory_xact_lock(hashtextextended('task positions ' || $1::uuid, 0))", [
        tenant.organisation.id,
      ]);
      const { position } = await makeTask(tenant.owner);
      expect(position).to.be.within(2048, 2560);
      expect(position % 1).to.be.above(0);
    } finally {
      await other.end();
    }
  });

  it("two people finish one task with hours: one of them writes hours", async () => {
    const { id } = await makeTask(tenant.owner, { assignee_user_id: anna.accountId });
    const log_time = { started_at: "2026-09-03T08:00:00Z", ended_at: "2026-09-03T09:00:00Z" };
    const answers = await Promise.all(
      [tenant.owner, anna].map((caller) => caller.patch(`/tasks/${id}`, { status: "done", log_time })),
    );
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 422]);
    expect(answers.find(({ status }) => status === 422)?.body.error.fields).to.deep.equal({
      log_time: "errors.tasks_log_time_not_finishing",
    });
    expect(bodyOf(await tenant.owner.get(`/tasks/${id}`)).logged_minutes).to.equal(60);
  });

  it("finish against the nightly run: one occurrence", async () => {
    for (let index = 0; index < TIMES; index++) {
      service.today("2026-09-03");
      const { id } = await makeTask(tenant.owner, {
        title: `T${index}`,
        due_date: "2026-09-07",
        recurrence: { freq: "weekly", mode: "schedule" },
      });
      service.today("2026-09-14");
      const [answer] = await Promise.all([
        tenant.owner.patch(`/tasks/${id}`, { status: "done" }),
        runFor(tenant, runSchedules),
        runFor(tenant, runSchedules),
      ]);
      expect(answer.status).to.equal(200);
      expect((await others(id)).filter(({ title }) => title === `T${index}`)).to.have.length(1);
      expect((await actionsOf(id)).filter((action) => action === "recurrence_spawned_next")).to.have.length(1);
    }
  });

  it("the same nightly run on two nodes: each carrier hands its rule on once", async () => {
    const carriers = await Promise.all(
      Array.from({ length: TIMES }, () =>
        makeTask(tenant.owner, { due_date: "2026-09-07", recurrence: { freq: "weekly", mode: "schedule" } }),
      ),
    );
    service.today("2026-09-14");
    await Promise.all([1, 2, 3].map(() => runFor(tenant, runSchedules)));
    const { items, total } = bodyOf(await tenant.owner.get("/tasks"));
    expect(total).to.equal(2 * TIMES);
    expect(items.filter(({ recurrence }: Body) => recurrence).length).to.equal(TIMES);
    for (const { id } of carriers)
      expect((await actionsOf(id)).filter((action) => action === "recurrence_spawned_next")).to.have.length(1);
  });

  it("a due date that is moved while the nightly run waits for the task: nothing is made", async () => {
    const { id } = await makeTask(tenant.owner, { due_date: "2026-09-07", recurrence: { freq: "weekly", mode: "schedule" } });
    service.today("2026-09-14");
    const move = "update tasks set due_date = '2026-09-20', recurrence_next_run = '2026-09-27' where id = $1";
    await behind(service, [[move, [id]]], () => runFor(tenant, runSchedules));
    expect(await others(id)).to.deep.equal([]);
    expect(bodyOf(await tenant.owner.get(`/tasks/${id}`))).to.include({ recurrence_next_run: "2026-09-27" });
  });

  it("the same reminders on two nodes: each is sent once", async () => {
    const made = await Promise.all(
      Array.from({ length: TIMES }, () => makeTask(tenant.owner, { due_date: "2026-09-01", assignee_user_id: anna.accountId })),
    );
    await Promise.all(
      [1, 2, 3].map(() => runFor(tenant, (run) => remindAll({ ...run, call: <T>() => Promise.resolve({ "": 3 } as T) }))),
    );
    const { rows } = await service.sql.query(
      "select entity_id from recorded where organisation_id = $1 and event = 'task.overdue'",
      [tenant.organisation.id],
    );
    expect(rows.map(({ entity_id }) => entity_id).toSorted()).to.deep.equal(made.map(({ id }) => id).toSorted());
  });

  it("a task that is finished, postponed or deleted while it is reminded of: no reminder", async () => {
    for (const change of [
      "update tasks set status = 'done', completed_at = now() where id = $1",
      "update tasks set due_date = '2026-09-20' where id = $1",
      "delete from tasks where id = $1",
    ]) {
      const { id } = await makeTask(tenant.owner, { due_date: "2026-09-01", assignee_user_id: anna.accountId });
      await behind(service, [[change, [id]]], () =>
        runFor(tenant, (run) => remindAll({ ...run, call: <T>() => Promise.resolve({ "": 3 } as T) })),
      );
      const { rows } = await service.sql.query("select 1 from recorded where entity_id = $1 and event = 'task.overdue'", [id]);
      expect(rows, change).to.deep.equal([]);
    }
  });

  it("a status that goes while a task enters it: the task is refused by name, made or moved", async () => {
    const { id } = await makeTask(tenant.owner);
    for (const enter of [
      () => tenant.owner.post("/tasks", { title: "New", status: "in_progress" }),
      () => tenant.owner.patch(`/tasks/${id}`, { status: "in_progress" }),
    ]) {
      const place = [tenant.organisation.id, "in_progress"];
      const gone = "delete from task_statuses where organisation_id = $1 and key = $2";
      expectRefusal(await behind(service, [[gone, place]], enter), 422, "validation", { status: "errors.validation" });
      await makeStatus(tenant, { key: "in_progress" });
    }
  });

  it("two moves into one position: both succeed, and the order is the same for everyone", async () => {
    const [a, b, c] = [await makeTask(tenant.owner), await makeTask(tenant.owner), await makeTask(tenant.owner)];
    const position = a.position + 0.5;
    const answers = await Promise.all([c, b].map(({ id }) => tenant.owner.patch(`/tasks/${id}`, { position })));
    expect(answers.map(({ status, body }) => [status, body.position])).to.deep.equal([
      [200, position],
      [200, position],
    ]);
    const order = [a.id, b.id, c.id];
    for (const query of ["", "?limit=2", "?sort=priority"])
      expect(idsOf(await tenant.owner.get(`/tasks${query}`))).to.deep.equal(query === "?limit=2" ? order.slice(0, 2) : order);
    expect(idsOf(await tenant.owner.get("/tasks?limit=1&offset=2"))).to.deep.equal([c.id]);
  });

  it("a change of the roster against the deletion of the person: refused, or the person is gone from it", async () => {
    for (let index = 0; index < TIMES; index++) {
      const person = await tenant.member("member");
      const { id } = await makeTask(tenant.owner, { assignee_user_id: anna.accountId });
      const assignees = [{ user_id: anna.accountId }, { user_id: person.accountId }];
      const [changed] = await Promise.all([
        tenant.owner.patch(`/tasks/${id}`, { assignees }),
        service.sql.query("delete from accounts where id = $1", [person.accountId]),
      ]);
      expect([changed.status, changed.body.error?.code]).to.deep.be.oneOf([
        [200, undefined],
        [400, "invalid_assignee"],
      ]);
      expect(bodyOf(await tenant.owner.get(`/tasks/${id}`)).assignees).to.deep.equal([
        { user_id: anna.accountId, is_primary: true },
      ]);
    }
  });

  it("two changes of one roster: one star, and the roster is one of the two", async () => {
    const bart = await tenant.member("member");
    const { id } = await makeTask(tenant.owner);
    const rosters = [
      [{ user_id: anna.accountId, is_primary: true }],
      [
        { user_id: bart.accountId, is_primary: true },
        { user_id: anna.accountId, is_primary: false },
      ],
    ];
    for (let index = 0; index < TIMES; index++) {
      const answers = await Promise.all(rosters.map((assignees) => tenant.owner.patch(`/tasks/${id}`, { assignees })));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
      expect(bodyOf(await tenant.owner.get(`/tasks/${id}`)).assignees).to.deep.be.oneOf(rosters);
    }
  });

  it("a change against the deletion of the task: changed and gone, or not found", async () => {
    for (let index = 0; index < TIMES; index++) {
      const { id } = await makeTask(tenant.owner, { recurrence: { freq: "daily" } });
      const [changed, gone] = await Promise.all([
        tenant.owner.patch(`/tasks/${id}`, { status: "done", assignee_user_id: anna.accountId }),
        tenant.owner.delete(`/tasks/${id}`),
      ]);
      expect(gone.status).to.equal(204);
      expect(changed.status).to.be.oneOf([200, 404]);
    }
  });

  it("finish against the deletion of its closing moment: finished, or the moment is not linked", async () => {
    for (let index = 0; index < TIMES; index++) {
      const { id: task_id } = await makeTask(tenant.owner, { requires_interaction: true });
      const { id } = bodyOf(await tenant.owner.post("/interactions", { kind: "call", task_id }));
      const [finished, gone] = await Promise.all([
        tenant.owner.patch(`/tasks/${task_id}`, { status: "done", closing_interaction_id: id }),
        tenant.owner.delete(`/interactions/${id}`),
      ]);
      expect(gone.status).to.equal(204);
      if (finished.status !== 200)
        expectRefusal(finished, 422, "validation", {
          closing_interaction_id: "errors.tasks_closing_interaction_not_linked",
        });
    }
  });

  it("finish while its closing moment is being deleted: the moment is not linked", async () => {
    const { id: task_id } = await makeTask(tenant.owner, { requires_interaction: true });
    const { id } = bodyOf(await tenant.owner.post("/interactions", { kind: "call", task_id }));
    const finish = () => tenant.owner.patch(`/tasks/${task_id}`, { status: "done", closing_interaction_id: id });
    const finished = await behind(service, [["delete from interactions where id = $1", [id]]], finish);
    expectRefusal(finished, 422, "validation", { closing_interaction_id: "errors.tasks_closing_interaction_not_linked" });
  });

  it("a label deleted while being set: set and removed, or not found", async () => {
    for (let index = 0; index < TIMES; index++) {
      const label = bodyOf(await tenant.owner.post("/tasks/labels", { name: `L${index}`, color: "red" }));
      const { id } = await makeTask(tenant.owner);
      const [put, gone] = await Promise.all([
        tenant.owner.put(`/tasks/${id}/labels`, { label_ids: [label.id] }),
        tenant.owner.delete(`/tasks/labels/${label.id}`),
      ]);
      expect(gone.status).to.equal(204);
      expect(put.status).to.be.oneOf([200, 404]);
      expect(bodyOf(await tenant.owner.get(`/tasks/${id}`)).labels).to.deep.equal([]);
    }
  });
});
