import { expect } from "chai";
import { runSchedules } from "../../../../services/work/tasks/recurrence/scheduled-runs.ts";
import { eventsAbout } from "../../../support/answers.ts";
import type { Caller, Tenant } from "../../../support/service.ts";
import {
  type Body,
  bodyOf,
  expectRefusal,
  linesOf,
  makeContact,
  makeTask,
  rosterOf,
  runFor,
  sharedTaskService,
  type TaskService,
} from "./task-records.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const WEEKLY = { freq: "weekly" };
const SCHEDULED = { freq: "weekly", mode: "schedule" };

describe("recurrence of tasks", () => {
  let service: TaskService;
  let tenant: Tenant;
  let anna: Caller;
  before(async () => {
    service = await sharedTaskService("2026-09-03");
  });
  beforeEach(async () => {
    service.today("2026-09-03");
    tenant = await service.tenant();
    anna = await tenant.member("member", { name: "Anna" });
  });
  after(() => service.stop());

  const patch = (id: string, body: object, caller = tenant.owner) => caller.patch(`/tasks/${id}`, body);
  const detail = async (id: string): Promise<Body> => bodyOf(await tenant.owner.get(`/tasks/${id}`));
  /** The tasks of the organisation but for one. */
  const others = async (id: string): Promise<Body[]> =>
    bodyOf(await tenant.owner.get("/tasks")).items.filter((task: Body) => task.id !== id);
  const nightly = () => runFor(tenant, runSchedules);

  describe("the rule", () => {
    it("is stored with everything it means, and its next run only in schedule mode", async () => {
      const made = await makeTask(tenant.owner, { due_date: "2026-09-07", recurrence: WEEKLY });
      expect([made.recurrence, made.recurrence_next_run]).to.deep.equal([
        {
          freq: "weekly",
          interval: 1,
          mode: "after_completion",
          on_weekday: null,
          on_weekdays: null,
          on_week: null,
          on_day: null,
          on_month: null,
          plan: null,
        },
        null,
      ]);
      const scheduled = await makeTask(tenant.owner, { due_date: "2026-09-07", recurrence: SCHEDULED });
      expect(scheduled.recurrence_next_run).to.equal("2026-09-14");
    });

    it("is recomputed when rule or due date change, and cleared by null", async () => {
      const { id } = await makeTask(tenant.owner, { due_date: "2026-09-07", recurrence: SCHEDULED });
      const run = async (body: object) => bodyOf(await patch(id, body)).recurrence_next_run;
      expect(await run({ due_date: "2026-09-06" })).to.equal("2026-09-13");
      expect(await run({ recurrence: { ...SCHEDULED, interval: 2 } })).to.equal("2026-09-20");
      expect(await run({ due_date: null })).to.equal("2026-09-17");
      expect(await run({ recurrence: { ...SCHEDULED, mode: "after_completion" } })).to.equal(null);
      expect(bodyOf(await patch(id, { recurrence: null }))).to.deep.include({ recurrence: null, recurrence_next_run: null });
    });

    it("can name several weekdays, or a weekday of the month, and keeps them from task to task", async () => {
      const weekdays = { freq: "weekly", on_weekdays: [4, 0] };
      const { id } = await makeTask(tenant.owner, { due_date: "2026-09-07", recurrence: weekdays });
      expect((await detail(id)).recurrence)
        .to.include({ on_weekday: null })
        .and.deep.include({ on_weekdays: [0, 4] });
      expect((await patch(id, { status: "done" })).status).to.equal(200);
      const [next] = await others(id);
      expect([next?.due_date, (await detail(next?.id)).recurrence.on_weekdays]).to.deep.equal(["2026-09-11", [0, 4]]);
      const recurrence = { freq: "monthly", on_week: "last", on_weekday: 4 };
      const preview = bodyOf(await tenant.owner.post("/tasks/recurrence/preview", { recurrence, due_date: "2026-09-25" }));
      expect([preview.next_date, ...preview.following]).to.deep.equal(["2026-10-30", "2026-11-27", "2026-12-25"]);
    });

    it("refuses anchors its frequency does not take, and values out of range", async () => {
      for (const [recurrence, field] of [
        [{ freq: "daily", on_day: 1 }, "on_day"],
        [{ freq: "weekly", on_month: 1 }, "on_month"],
        [{ freq: "monthly", on_weekday: 1 }, "on_weekday"],
        [{ freq: "yearly", on_day: 1 }, "on_month"],
        [{ freq: "weekly", on_weekdays: [0, 2], on_weekday: 1 }, "on_weekdays"],
      ] as const) {
        const fields = { recurrence: `errors.tasks_recurrence_anchor:${field}` };
        expectRefusal(await tenant.owner.post("/tasks", { title: "t", recurrence }), 422, "validation", fields);
        expectRefusal(await tenant.owner.post("/tasks/recurrence/preview", { recurrence }), 422, "validation", fields);
        const { id } = await makeTask(tenant.owner);
        expectRefusal(await patch(id, { recurrence }), 422, "validation", fields);
      }
      for (const [recurrence, field] of [
        [{ freq: "hourly" }, "freq"],
        [{ freq: "daily", interval: 0 }, "interval"],
        [{ freq: "daily", interval: 366 }, "interval"],
        [{ freq: "weekly", on_weekday: 7 }, "on_weekday"],
        [{ freq: "weekly", on_weekdays: [] }, "on_weekdays"],
        [{ freq: "weekly", on_weekdays: [1, 1] }, "on_weekdays"],
        [{ freq: "monthly", on_week: "fifth", on_weekday: 1 }, "on_week"],
        [{ freq: "daily", plan: { start_time: "09:00", duration_minutes: 0 } }, "duration_minutes"],
      ] as const)
        expectRefusal(await tenant.owner.post("/tasks", { title: "t", recurrence }), 422, "validation", {
          [field]: "errors.validation",
        });
    });
  });

  describe("a rule that says more than the shape knows", () => {
    for (const [what, recurrence, field] of [
      ["the nth weekday of a month", { freq: "monthly", on_weekday_nth: 2 }, "on_weekday_nth"],
      ["an end", { freq: "daily", until: "2027-01-01" }, "until"],
      ["a zone of the plan", { freq: "daily", plan: { start_time: "09:00", duration_minutes: 30, zone: "UTC" } }, "zone"],
    ] as const)
      it(`is refused, and not taken without it: ${what}`, async () => {
        const { id } = await makeTask(tenant.owner);
        const fields = { [field]: "errors.validation" };
        expectRefusal(await tenant.owner.post("/tasks", { title: "t", recurrence }), 422, "validation", fields);
        expectRefusal(await patch(id, { recurrence }), 422, "validation", fields);
        expectRefusal(await tenant.owner.post("/tasks/recurrence/preview", { recurrence }), 422, "validation", fields);
        expect(bodyOf(await tenant.owner.get(`/tasks/${id}`)).recurrence).to.equal(null);
      });

    it("is stored as read", async () => {
      const recurrence = { freq: "weekly", on_weekday: 1, plan: { start_time: "09:00", duration_minutes: 30 } };
      const made = await makeTask(tenant.owner, { recurrence, due_date: "2030-01-07" });
      expect((await patch(made.id, { recurrence: made.recurrence })).status).to.equal(200);
    });
  });

  describe("POST /tasks/recurrence/preview", () => {
    it("returns the next date, the two after it, and the clock of a plan; stores nothing", async () => {
      const answer = await anna.post("/tasks/recurrence/preview", {
        recurrence: { ...SCHEDULED, plan: { start_time: "23:30", duration_minutes: 60 } },
        due_date: "2026-09-07",
      });
      expect([answer.status, answer.body]).to.deep.equal([
        200,
        {
          next_date: "2026-09-14",
          following: ["2026-09-21", "2026-09-28"],
          on_completion: false,
          planned_start: "23:30",
          planned_end: "00:30",
        },
      ]);
      expect(bodyOf(await anna.post("/tasks/recurrence/preview", { recurrence: { freq: "daily" } }))).to.deep.equal({
        next_date: "2026-09-04",
        following: ["2026-09-05", "2026-09-06"],
        on_completion: true,
        planned_start: null,
        planned_end: null,
      });
      expect(bodyOf(await tenant.owner.get("/tasks")).total).to.equal(0);
    });
  });

  describe("after completion", () => {
    it("makes the next one when the task is finished, with everything that is copied and nothing else", async () => {
      const { id: company_id } = await tenant.company();
      const label = bodyOf(await tenant.owner.post("/tasks/labels", { name: "urgent", color: "red" }));
      const copied = {
        title: "Water the plants",
        unnamed: true,
        description: "all of them",
        priority: "high",
        company_id,
        allocated_minutes: 30,
        visible_to_client: true,
      };
      const { id, recurrence, position } = await makeTask(tenant.owner, {
        ...copied,
        due_date: "2026-09-01",
        recurrence: WEEKLY,
        assignees: [{ user_id: anna.accountId }, { user_id: tenant.owner.accountId, is_primary: true }],
        label_ids: [label.id],
        links: [{ url: "b.test", title: "B" }, { url: "a.test" }],
        checklist: { title: "Rooms", items: [{ title: "Hall", description: "north" }, { title: "Office" }] },
      });
      await tenant.owner.post(`/tasks/${id}/checklists`, { title: "Second", description: "d" });
      const [{ id: list, items }] = (await detail(id)).checklists;
      await tenant.owner.patch(`/tasks/${id}/checklists/${list}/items/${items[0].id}`, { done: true });
      await tenant.owner.post(`/tasks/${id}/comments`, { body: "Hello" });
      await tenant.owner.post("/time/entries", { task_id: id, started_at: "2026-09-02T08:00:00Z", minutes: 5 });
      await tenant.owner.post("/tasks/schedules", { task_id: id, day: "2026-09-10", start_time: "09:00", duration_minutes: 60 });
      const finished = bodyOf(await patch(id, { status: "done" }));
      expect([finished.status, finished.recurrence, finished.recurrence_next_run]).to.deep.equal(["done", null, null]);

      const [{ id: next }, ...more] = (await others(id)) as [Body];
      expect(more).to.deep.equal([]);
      const made = await detail(next);
      expect(made).to.deep.include({
        ...copied,
        status: "open",
        due_date: "2026-09-08",
        assignees: rosterOf(tenant.owner, anna),
        labels: [label],
        recurrence,
        recurrence_next_run: null,
        completed_at: null,
        closing_interaction_id: null,
        ai_status: null,
        position: position + 1024,
        comments: [],
        logged_minutes: 0,
      });
      expect(made.links.map(({ url, title }: Body) => [url, title])).to.deep.equal([
        ["https://b.test", "B"],
        ["https://a.test", null],
      ]);
      expect(
        made.checklists.map((one: Body) => [
          one.title,
          one.description,
          one.items.map(({ title, description, done }: Body) => [title, description, done]),
        ]),
      ).to.deep.equal([
        [
          "Rooms",
          null,
          [
            ["Hall", "north", false],
            ["Office", null, false],
          ],
        ],
        ["Second", "d", []],
      ]);
      expect(bodyOf(await tenant.owner.get(`/tasks/schedules?task_id=${next}`))).to.deep.equal([]);
      expect(await linesOf(service, next)).to.deep.equal([["recurrence_spawned", { source_task_id: id }]]);
      expect((await linesOf(service, id)).slice(-2)).to.deep.equal([
        ["status_changed", { from: "open", to: "done" }],
        ["recurrence_spawned_next", { next_task_id: next, due_date: "2026-09-08" }],
      ]);
      expect((await eventsAbout(service, next)).map(({ event }) => event)).to.deep.equal(["task.created", "task.assigned"]);
    });

    it("copies a contact and the need for a contact moment", async () => {
      const { id: company_id } = await tenant.company();
      const assignee_contact_id = await makeContact(tenant.owner, [company_id]);
      const { id } = await makeTask(tenant.owner, { company_id, assignee_contact_id, recurrence: WEEKLY });
      bodyOf(await patch(id, { status: "done" }));
      expect((await others(id))[0]).to.include({ assignee_contact_id });
      const other = await makeTask(tenant.owner, { recurrence: WEEKLY });
      bodyOf(await patch(other.id, { status: "done" }));
      bodyOf(await patch(other.id, { requires_interaction: true }));
    });

    it("creates one per finish of a carrier, and none once the rule has moved on", async () => {
      const { id } = await makeTask(tenant.owner, { recurrence: WEEKLY });
      for (const status of ["done", "open", "done"]) bodyOf(await patch(id, { status }));
      const made = await others(id);
      expect(made).to.have.length(1);
      expect(made[0].recurrence).to.not.equal(null);
    });

    it("uses the rule, the due date and the roster sent with the finish", async () => {
      const { id } = await makeTask(tenant.owner, { due_date: "2026-09-07" });
      bodyOf(
        await patch(id, {
          status: "done",
          recurrence: { freq: "daily" },
          due_date: "2026-09-05",
          assignee_user_id: anna.accountId,
        }),
      );
      const [made] = (await others(id)) as [Body];
      expect(made).to.deep.include({ due_date: "2026-09-06", assignees: rosterOf(anna) });
    });

    it("makes one for a task that is made finished", async () => {
      const { id, recurrence } = await makeTask(tenant.owner, { status: "done", recurrence: WEEKLY });
      expect(recurrence).to.equal(null);
      expect(await others(id)).to.have.length(1);
    });

    it("keeps people who are members no longer on the roster, and refuses nothing for them", async () => {
      const { id } = await makeTask(tenant.owner, { recurrence: WEEKLY, assignee_user_id: anna.accountId });
      await service.sql.query("delete from memberships where id = $1", [anna.membershipId]);
      expect((await patch(id, { status: "done" })).status).to.equal(200);
      expect(await others(id)).to.have.length(1);
    });

    it("needs the same statements for any copy", async () => {
      // The first task makes the statuses of an organisation, the second reads them for all that follow.
      for (const title of ["first", "second"]) await makeTask(tenant.owner, { title });
      const bare = await makeTask(tenant.owner, { recurrence: WEEKLY });
      const { statements } = await patch(bare.id, { status: "done" });
      const label = bodyOf(await tenant.owner.post("/tasks/labels", { name: "urgent", color: "red" }));
      const full = await makeTask(tenant.owner, {
        recurrence: WEEKLY,
        label_ids: [label.id],
        links: [{ url: "a.test" }, { url: "b.test" }],
        checklist: { items: [{ title: "One" }, { title: "Two" }] },
      });
      for (const title of ["x", "y"]) await tenant.owner.post(`/tasks/${full.id}/checklists`, { title });
      expect((await patch(full.id, { status: "done" })).statements).to.equal(statements);
    });

    it("ends with the last day of the calendar: the task finishes, and nothing follows", async () => {
      const plan = { start_time: "23:30", duration_minutes: 90, user_id: anna.accountId };
      for (const recurrence of [WEEKLY, { freq: "yearly", interval: 365, plan }]) {
        const { id } = await makeTask(tenant.owner, { due_date: "9999-12-31", recurrence });
        const before = await others(id);
        expect(bodyOf(await patch(id, { status: "done" }))).to.deep.include({ status: "done", recurrence: null });
        expect(await others(id)).to.deep.equal(before);
        expect((await linesOf(service, id)).map(([action]) => action)).to.not.include("recurrence_spawned_next");
      }
      const made = await makeTask(tenant.owner, { title: "M", due_date: "9999-12-31", recurrence: WEEKLY, status: "done" });
      expect([made.status, made.recurrence, (await others(made.id)).filter(({ title }) => title === "M")]).to.deep.equal([
        "done",
        null,
        [],
      ]);

      const { id } = await makeTask(tenant.owner, { title: "D", due_date: "9999-12-30", recurrence: { freq: "daily", plan } });
      bodyOf(await patch(id, { status: "done" }));
      const dates = (await others(id)).filter(({ title }) => title === "D").map(({ due_date }) => due_date);
      expect(dates).to.deep.equal(["9999-12-31"]);
    });
  });

  describe("by schedule", () => {
    it("makes the next one on its date, once, and that one the one after it", async () => {
      const { id } = await makeTask(tenant.owner, { due_date: "2026-09-07", recurrence: SCHEDULED });
      service.today("2026-09-13");
      await nightly();
      expect(await others(id)).to.deep.equal([]);
      service.today("2026-09-14");
      await nightly();
      await nightly();
      const [next, ...more] = (await others(id)) as [Body];
      expect(more).to.deep.equal([]);
      expect(next).to.include({ due_date: "2026-09-21", recurrence_next_run: "2026-09-21", status: "open" });
      expect(await detail(id)).to.include({ recurrence: null, recurrence_next_run: null, status: "open" });
      const { rows } = await service.sql.query("select actor_name, actor_account_id from activity where entity_id = $1", [
        next.id,
      ]);
      expect(rows).to.deep.equal([{ actor_name: null, actor_account_id: null }]);
      service.today("2026-09-21");
      await nightly();
      const dates = (await others(id)).map(({ due_date, recurrence_next_run: run }) => [due_date, run]);
      expect(dates).to.deep.equal([
        ["2026-09-21", null],
        ["2026-09-28", "2026-09-28"],
      ]);
    });

    it("makes it whether the carrier is finished or not, and not when it is finished", async () => {
      const { id } = await makeTask(tenant.owner, { due_date: "2026-09-07", recurrence: SCHEDULED });
      bodyOf(await patch(id, { status: "done" }));
      expect(await others(id)).to.deep.equal([]);
      service.today("2026-09-14");
      await nightly();
      expect(await others(id)).to.have.length(1);
    });

    it("goes by the day of the organisation", async () => {
      const { id } = await makeTask(tenant.owner, { due_date: "2026-09-07", recurrence: SCHEDULED });
      service.today("2026-09-13T13:00:00Z");
      await runFor(tenant, runSchedules, "America/New_York");
      expect(await others(id)).to.deep.equal([]);
      await runFor(tenant, runSchedules, "Pacific/Auckland");
      expect(await others(id)).to.have.length(1);
    });

    it("makes the rest when one cannot be made, and says how many were not", async () => {
      const broken = await makeTask(tenant.owner, { title: "a", due_date: "2026-09-07", recurrence: SCHEDULED });
      await makeTask(tenant.owner, { title: "b", due_date: "2026-09-07", recurrence: SCHEDULED });
      await service.sql.query("update tasks set recurrence_next_run = '2026-09-01', due_date = '9999-12-30' where id = $1", [
        broken.id,
      ]);
      service.today("2026-09-14");
      const failure = await nightly().catch((error: Error) => error);
      expect((failure as Error).message).to.equal("1 of 2 occurrences were not made");
      expect((await others(broken.id)).map(({ title }) => title)).to.deep.equal(["b", "b"]);
      expect(await detail(broken.id)).to.include({ recurrence_next_run: "2026-09-01" });
    });
  });

  describe("plan", () => {
    const plan = { start_time: "09:00", duration_minutes: 90 };
    const blocks = async (taskId: string): Promise<Body[]> =>
      bodyOf(await tenant.owner.get(`/tasks/schedules?task_id=${taskId}`));
    const nextOf = async (id: string): Promise<Body> => ((await others(id)) as [Body])[0];

    it("books the due date of the occurrence for its starred person, or for the plan's own", async () => {
      for (const [user_id, expected] of [
        [undefined, anna.accountId],
        [tenant.owner.accountId, tenant.owner.accountId],
      ]) {
        const { id } = await makeTask(tenant.owner, {
          due_date: "2026-09-07",
          assignee_user_id: anna.accountId,
          recurrence: { ...WEEKLY, plan: { ...plan, user_id } },
        });
        bodyOf(await patch(id, { status: "done" }, anna));
        const { rows } = await service.sql.query(
          "select t.id from tasks t join activity a on a.entity_id = t.id and a.payload->>'source_task_id' = $1",
          [id],
        );
        expect(await blocks(rows[0].id)).to.have.length(1);
        const [block] = (await blocks(rows[0].id)) as [Body];
        expect(block).to.include({ user_id: expected, start: "2026-09-14" });
        expect([Date.parse(block.starts_at), Date.parse(block.ends_at)]).to.deep.equal([
          Date.parse("2026-09-14T07:00:00Z"),
          Date.parse("2026-09-14T08:30:00Z"),
        ]);
      }
    });

    it("books nothing without a person; a booking that cannot be made never loses the occurrence", async () => {
      const { id } = await makeTask(tenant.owner, { recurrence: { ...WEEKLY, plan } });
      bodyOf(await patch(id, { status: "done" }));
      expect(await blocks((await nextOf(id)).id)).to.deep.equal([]);
      const other = await makeTask(tenant.owner, {
        title: "other",
        recurrence: { ...WEEKLY, plan: { ...plan, user_id: anna.accountId } },
      });
      await service.sql.query("delete from memberships where id = $1", [anna.membershipId]);
      expect((await patch(other.id, { status: "done" })).status).to.equal(200);
      const [made] = (await others(other.id)).filter(({ title }) => title === "other") as [Body];
      expect(await blocks(made.id)).to.deep.equal([]);
      expect(await detail(made.id)).to.include({ status: "open" });
    });

    it("keeps the occurrence when the database itself refuses the block", async () => {
      const { id } = await makeTask(tenant.owner, { assignee_user_id: anna.accountId, recurrence: { ...WEEKLY, plan } });
      await service.sql.query("alter table task_schedules add constraint no_blocks check (note is not null) not valid");
      const answer = await patch(id, { status: "done" });
      await service.sql.query("alter table task_schedules drop constraint no_blocks");
      expect(answer.status).to.equal(200);
      const next = await nextOf(id);
      expect(next).to.deep.include({ status: "open", assignees: rosterOf(anna) });
      expect(await blocks(next.id)).to.deep.equal([]);
      expect(await detail(id)).to.include({ status: "done" });
    });

    it("for someone else needs tasks.schedule.write:any and a member; for oneself any scope", async () => {
      const store = (caller: Caller, user_id: string | null) =>
        caller.post("/tasks", { title: "t", recurrence: { ...WEEKLY, plan: { ...plan, user_id } } });
      expectRefusal(await store(anna, tenant.owner.accountId), 403, "forbidden");
      for (const user_id of [null, anna.accountId]) expect((await store(anna, user_id)).status).to.equal(201);
      expect((await store(tenant.owner, anna.accountId)).status).to.equal(201);
      expectRefusal(await store(tenant.owner, UNKNOWN), 422, "validation", { recurrence: "errors.invalid_assignee" });
      const planless = await tenant.member("member", { grants: ["tasks.task.read", "tasks.task.create"] });
      expectRefusal(await store(planless, null), 403, "forbidden");
    });

    it("may be sent back as it is by those who could not store it", async () => {
      const recurrence = { ...WEEKLY, plan: { ...plan, user_id: tenant.owner.accountId } };
      const { id, recurrence: stored } = await makeTask(tenant.owner, { assignee_user_id: anna.accountId, recurrence });
      expect((await patch(id, { title: "x", recurrence: stored }, anna)).status).to.equal(200);
      const other = { ...stored, plan: { ...stored.plan, duration_minutes: 5 } };
      expectRefusal(await patch(id, { recurrence: other }, anna), 403, "forbidden");
    });
  });
});
