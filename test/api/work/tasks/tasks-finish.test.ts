import { expect } from "chai";
import { eventsAbout } from "../../../support/answers.ts";
import type { Caller, Tenant } from "../../../support/service.ts";
import {
  type Body,
  bodyOf,
  expectRefusal,
  linesOf,
  makeProject,
  makeStatus,
  makeTask,
  sharedTaskService,
  type TaskService,
} from "./task-records.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const NOON = "2026-03-10T12:00:00+00:00";

describe("PATCH /tasks/{task_id}: moves between statuses", () => {
  let service: TaskService;
  let tenant: Tenant;
  let anna: Caller;
  before(async () => {
    service = await sharedTaskService("2026-03-10");
  });
  beforeEach(async () => {
    service.today("2026-03-10");
    tenant = await service.tenant();
    anna = await tenant.member("member", { name: "Anna" });
  });
  after(() => service.stop());

  const patch = (id: string, body: object, caller = tenant.owner) => caller.patch(`/tasks/${id}`, body);
  const linesAfter = async (id: string) => (await linesOf(service, id)).slice(1);
  const moment = async (task_id: string | null, subject = "Called back"): Promise<string> =>
    bodyOf(await tenant.owner.post("/interactions", { kind: "call", subject, occurred_at: "2026-03-10T10:00:00Z", task_id })).id;
  const entries = async (taskId: string): Promise<Body[]> =>
    bodyOf(await tenant.owner.get(`/time/entries?task_id=${taskId}&all_users=true`)).items;

  it("stamps completion on the way to a finished status and clears it on the way back", async () => {
    await makeStatus(tenant, { key: "archived", is_terminal: true, position: 9 });
    const { id } = await makeTask(tenant.owner);
    expect(bodyOf(await patch(id, { status: "done" })).completed_at).to.equal(NOON);
    service.today("2026-03-11");
    expect(bodyOf(await patch(id, { status: "archived" })).completed_at).to.equal(NOON);
    expect(bodyOf(await patch(id, { status: "in_progress" })).completed_at).to.equal(null);
    expect(bodyOf(await patch(id, { status: "archived" })).completed_at).to.equal("2026-03-11T12:00:00+00:00");
  });

  it("completes the tasks in a status that becomes finished, and reopens them with it", async () => {
    const status = await makeStatus(tenant, { key: "sent", position: 9 });
    const { id } = await makeTask(tenant.owner, { status: "sent" });
    const mark = (is_terminal: boolean) => tenant.owner.patch(`/tasks/statuses/${status.id}`, { is_terminal });
    const before = await tenant.owner.get(`/tasks/${id}`);
    bodyOf(await mark(true));
    const after = await tenant.owner.get(`/tasks/${id}`);
    expect(after.body.completed_at).to.be.a("string");
    expect(after.headers["etag"]).to.not.equal(before.headers["etag"]);
    bodyOf(await mark(false));
    expect(bodyOf(await tenant.owner.get(`/tasks/${id}`)).completed_at).to.equal(null);
  });

  it("keeps the moment that closed a task on it while the task is finished", async () => {
    const { id } = await makeTask(tenant.owner, { requires_interaction: true });
    const closing = await moment(id);
    const other = (await makeTask(tenant.owner)).id;
    bodyOf(await patch(id, { status: "done", closing_interaction_id: closing }));
    for (const task_id of [other, null])
      expectRefusal(await tenant.owner.patch(`/interactions/${closing}`, { task_id }), 422, "validation", {
        task_id: "errors.tasks_closing_interaction_required",
      });
    bodyOf(await tenant.owner.patch(`/interactions/${closing}`, { subject: "Other words", task_id: id }));
    bodyOf(await patch(id, { status: "open" }));
    expect(bodyOf(await tenant.owner.patch(`/interactions/${closing}`, { task_id: other })).task_id).to.equal(other);
  });

  it("leaves people who left off the next occurrence, and lets them be taken off a roster", async () => {
    const gone = await tenant.member("member");
    const assignees = [{ user_id: gone.accountId, is_primary: true }, { user_id: anna.accountId }];
    const { id } = await makeTask(tenant.owner, { assignees, recurrence: { freq: "daily" } });
    const kept = await makeTask(tenant.owner, { assignees });
    expect((await tenant.owner.delete(`/members/${gone.membershipId}`)).status).to.be.oneOf([200, 204]);
    bodyOf(await patch(id, { status: "done" }));
    const next = bodyOf(await tenant.owner.get("/tasks?status=open")).items.find(
      (task: Body) => ![id, kept.id].includes(task.id),
    );
    expect(next.assignees).to.deep.equal([{ user_id: anna.accountId, is_primary: true }]);
    const rest = bodyOf(await patch(kept.id, { assignees: [{ user_id: anna.accountId }] }));
    expect(rest.assignees).to.deep.equal([{ user_id: anna.accountId, is_primary: true }]);
  });

  it("refuses a client login on a roster, on create and update", async () => {
    const client = await tenant.member("client");
    const { id } = await makeTask(tenant.owner);
    for (const sent of [{ assignee_user_id: client.accountId }, { assignees: [{ user_id: client.accountId }] }]) {
      expectRefusal(await tenant.owner.post("/tasks", { title: "T", ...sent }), 400, "invalid_assignee");
      expectRefusal(await patch(id, sent), 400, "invalid_assignee");
    }
  });

  it("refuses a status that is not configured", async () => {
    const { id } = await makeTask(tenant.owner);
    expectRefusal(await patch(id, { status: "nowhere" }), 422, "validation", { status: "errors.validation" });
  });

  it("notifies trail and roster; finished only from open to finished", async () => {
    await makeStatus(tenant, { key: "archived", is_terminal: true, position: 9 });
    const { id } = await makeTask(tenant.owner, { title: "T", assignee_user_id: anna.accountId });
    for (const status of ["in_progress", "done", "archived", "archived", "open"]) bodyOf(await patch(id, { status }));
    const moves = [
      { from: "open", to: "in_progress" },
      { from: "in_progress", to: "done" },
      { from: "done", to: "archived" },
      { from: "archived", to: "open" },
    ];
    expect(await linesAfter(id)).to.deep.equal(moves.map((move) => ["status_changed", move]));
    const reported = (await eventsAbout(service, id)).filter(({ event }) => event === "task.status_changed");
    expect(reported.map(({ payload }) => payload)).to.deep.equal(
      moves.map((move) => ({
        task_id: id,
        title: "T",
        company_id: null,
        project_id: null,
        ...move,
        finished: move.to === "done",
        recipients: [anna.accountId],
      })),
    );
  });

  describe("with a contact moment", () => {
    it("finishes a task that requires one only with one that is linked to it", async () => {
      const { id } = await makeTask(tenant.owner, { requires_interaction: true });
      const needed = { status: "errors.tasks_closing_interaction_required" };
      expectRefusal(await patch(id, { status: "done" }), 422, "validation", needed);
      expect((await patch(id, { status: "in_progress" })).status).to.equal(200);
      const others = await moment((await makeTask(tenant.owner)).id);
      for (const closing_interaction_id of [others, await moment(null), UNKNOWN])
        expectRefusal(await patch(id, { status: "done", closing_interaction_id }), 422, "validation", {
          closing_interaction_id: "errors.tasks_closing_interaction_not_linked",
        });
      const closing_interaction_id = await moment(id);
      expect(bodyOf(await patch(id, { status: "done", closing_interaction_id }))).to.include({
        status: "done",
        closing_interaction_id,
      });
      expect((await linesAfter(id)).at(-1)).to.deep.equal([
        "status_changed",
        { from: "in_progress", to: "done", closing_interaction_id, closing_subject: "Called back" },
      ]);
    });

    it("refuses one that waits for review", async () => {
      const { id } = await makeTask(tenant.owner, { requires_interaction: true });
      const closing_interaction_id = await moment(id);
      await service.sql.query("update interactions set status = 'pending' where id = $1", [closing_interaction_id]);
      expectRefusal(await patch(id, { status: "done", closing_interaction_id }), 422, "validation", {
        closing_interaction_id: "errors.tasks_closing_interaction_not_linked",
      });
    });

    it("refuses one on a client that the caller does not see, like one that is not there", async () => {
      const [seen, hidden] = [await tenant.company(), await tenant.company()];
      const { id } = await makeTask(tenant.owner, { requires_interaction: true, company_id: seen.id });
      const about = { kind: "call", subject: "Secret", task_id: id, company_id: hidden.id };
      const closing_interaction_id = bodyOf(await tenant.owner.post("/interactions", about)).id;
      const narrow = await tenant.member("admin");
      await tenant.group("Seen", [seen.id], [narrow.membershipId]);
      expectRefusal(await patch(id, { status: "done", closing_interaction_id }, narrow), 422, "validation", {
        closing_interaction_id: "errors.tasks_closing_interaction_not_linked",
      });
      expect(await linesAfter(id)).to.deep.equal([
        ["interaction.logged", { interaction_id: closing_interaction_id, subject: "Secret", kind: "call" }],
      ]);
      expect((await patch(id, { status: "done", closing_interaction_id })).status).to.equal(200);
    });

    it("needs one for a status that requires it, and for a task that begins to with the move", async () => {
      await makeStatus(tenant, { requires_interaction: true });
      const { id } = await makeTask(tenant.owner);
      const needed = { status: "errors.tasks_closing_interaction_required" };
      expectRefusal(await patch(id, { status: "review" }), 422, "validation", needed);
      expectRefusal(await patch(id, { status: "done", requires_interaction: true }), 422, "validation", needed);
      expect((await patch(id, { status: "done" })).status).to.equal(200);
    });

    it("needs another one after its finished status became open", async () => {
      const status = await makeStatus(tenant, { key: "sent", position: 9, is_terminal: true });
      const { id } = await makeTask(tenant.owner, { requires_interaction: true });
      const closing_interaction_id = await moment(id);
      bodyOf(await patch(id, { status: "sent", closing_interaction_id }));
      bodyOf(await tenant.owner.patch(`/tasks/statuses/${status.id}`, { is_terminal: false }));
      expect(bodyOf(await tenant.owner.get(`/tasks/${id}`)).closing_interaction_id).to.equal(null);
      expectRefusal(await patch(id, { status: "done" }), 422, "validation", {
        status: "errors.tasks_closing_interaction_required",
      });
    });

    it("needs another one when the designated one was filed to another task", async () => {
      const [{ id }, other] = [await makeTask(tenant.owner, { requires_interaction: true }), await makeTask(tenant.owner)];
      const closing_interaction_id = await moment(id);
      const refile = (task_id: string | null) => tenant.owner.patch(`/interactions/${closing_interaction_id}`, { task_id });
      const designated = await patch(id, { closing_interaction_id });
      bodyOf(await refile(other.id));
      const released = await tenant.owner.get(`/tasks/${id}`);
      expect(released.body.closing_interaction_id).to.equal(null);
      expect(released.headers["etag"]).to.not.equal(designated.headers["etag"]);
      expectRefusal(await patch(id, { status: "done" }), 422, "validation", {
        status: "errors.tasks_closing_interaction_required",
      });
      bodyOf(await refile(id));
      bodyOf(await patch(id, { status: "done", closing_interaction_id }));
      for (const task_id of [other.id, null])
        expectRefusal(await refile(task_id), 422, "validation", { task_id: "errors.tasks_closing_interaction_required" });
      expect(bodyOf(await patch(id, { title: "Sent" }))).to.include({ closing_interaction_id });
    });

    it("takes one designated earlier, and forgets it when the task is opened again", async () => {
      const { id } = await makeTask(tenant.owner, { requires_interaction: true });
      const closing_interaction_id = await moment(id);
      bodyOf(await patch(id, { closing_interaction_id }));
      expect(bodyOf(await patch(id, { status: "done" })).closing_interaction_id).to.equal(closing_interaction_id);
      expect(bodyOf(await patch(id, { status: "open" })).closing_interaction_id).to.equal(null);
      expectRefusal(await patch(id, { status: "done" }), 422, "validation", {
        status: "errors.tasks_closing_interaction_required",
      });
    });
  });

  describe("with hours", () => {
    const log_time = { started_at: "2026-03-10T09:00:00Z", ended_at: "2026-03-10T10:30:00Z" };

    it("writes the caller's own entry with the finish: client, project and task of the task, its title and the project's default", async () => {
      const { id: company_id } = await tenant.company();
      const project_id = await makeProject(tenant.owner, { company_id, billable_default: false });
      const { id } = await makeTask(tenant.owner, { title: "T", company_id, project_id, assignee_user_id: anna.accountId });
      bodyOf(await patch(id, { status: "done", log_time: { ...log_time, description: " " } }, anna));
      const [entry, ...more] = await entries(id);
      expect(more).to.deep.equal([]);
      expect(entry).to.include({
        user_id: anna.accountId,
        company_id,
        project_id,
        task_id: id,
        minutes: 90,
        description: "T",
        billable: false,
      });
    });

    it("describes the entry by the task's title where the description has no text", async () => {
      for (const description of ["<b></b>", "<p> </p>", null]) {
        const { id } = await makeTask(tenant.owner, { title: "Call" });
        bodyOf(await patch(id, { status: "done", log_time: { ...log_time, description } }));
        expect((await entries(id))[0]?.description, `${description}`).to.equal("Call");
      }
    });

    it("uses the sent values, and an end at or before the start is of the next day", async () => {
      const { id } = await makeTask(tenant.owner);
      const sent = { started_at: "2026-03-10T23:30:00Z", ended_at: "2026-03-10T00:15:00Z", description: "Late", billable: false };
      bodyOf(await patch(id, { status: "done", log_time: { ...sent, entry_type_key: "email" } }));
      const [entry] = await entries(id);
      expect(entry).to.include({ minutes: 45, description: "Late", billable: false, entry_type_key: "email" });
      expect(Date.parse(entry.ended_at)).to.equal(Date.parse("2026-03-11T00:15:00Z"));
    });

    it("refuses hours without finishing, without a value, and of an unknown type, and undoes the finish with them", async () => {
      const { id } = await makeTask(tenant.owner);
      const notFinishing = { log_time: "errors.tasks_log_time_not_finishing" };
      for (const body of [{}, { status: "in_progress" }, { status: "open" }])
        expectRefusal(await patch(id, { ...body, log_time }), 422, "validation", notFinishing);
      const none = { started_at: "2026-03-10T09:00:00Z", ended_at: "2026-03-10T09:00:20Z" };
      expectRefusal(await patch(id, { status: "done", log_time: none }), 422, "validation", { ended_at: "errors.validation" });
      expectRefusal(await patch(id, { status: "done", log_time: { ...log_time, entry_type_key: "golf" } }), 422, "validation", {
        entry_type_key: "errors.time_entry_type_unknown",
      });
      expect(bodyOf(await tenant.owner.get(`/tasks/${id}`))).to.include({ status: "open", completed_at: null });
      expect(await linesAfter(id)).to.deep.equal([]);
      bodyOf(await patch(id, { status: "done" }));
      expectRefusal(await patch(id, { status: "done", log_time }), 422, "validation", notFinishing);
    });

    it("needs time.entry.write and hours that may be written", async () => {
      const { id } = await makeTask(tenant.owner);
      const other = await tenant.member("member", { grants: ["tasks.task.read", "tasks.task.write:any"] });
      expectRefusal(await patch(id, { status: "done", log_time }, other), 403, "forbidden");
      const key = await tenant.serviceAccount(["tasks.task.read", "tasks.task.write:any", "time.entry.write:any"]);
      expectRefusal(await patch(id, { status: "done", log_time }, key), 403, "forbidden");
      await service.sql.query("update product_licences set expires_at = '2020-01-01' where module = 'time'");
      const refused = await patch(id, { status: "done", log_time });
      await service.sql.query("update product_licences set expires_at = '2200-01-01' where module = 'time'");
      expectRefusal(refused, 402, "license_expired");
      expect(bodyOf(await tenant.owner.get(`/tasks/${id}`)).status).to.equal("open");
    });

    describe("from a planned block", () => {
      const plan = async (task_id: string, caller = tenant.owner): Promise<string> =>
        bodyOf(await caller.post("/tasks/schedules", { task_id, day: "2026-03-10", start_time: "09:00", duration_minutes: 60 }))
          .id;
      const block = async (id: string): Promise<Body> => bodyOf(await tenant.owner.get(`/tasks/schedules/${id}`));

      it("closes the block with the entry", async () => {
        const { id } = await makeTask(tenant.owner);
        const schedule_id = await plan(id);
        bodyOf(await patch(id, { status: "done", log_time: { ...log_time, schedule_id } }));
        expect((await block(schedule_id)).time_entry_id).to.equal((await entries(id))[0].id);
      });

      it("refuses an unknown block, another task's, someone else's and a logged one, and undoes the finish", async () => {
        const { id } = await makeTask(tenant.owner, { assignee_user_id: anna.accountId });
        const finish = (schedule_id: string) => patch(id, { status: "done", log_time: { ...log_time, schedule_id } });
        expectRefusal(await finish(UNKNOWN), 404, "not_found");
        expectRefusal(await finish(await plan((await makeTask(tenant.owner)).id)), 422, "validation", {
          schedule_id: "errors.validation",
        });
        expectRefusal(await finish(await plan(id, anna)), 403, "forbidden");
        const own = bodyOf(
          await tenant.owner.post("/tasks/schedules", {
            task_id: id,
            user_id: tenant.owner.accountId,
            day: "2026-03-10",
            start_time: "09:00",
            duration_minutes: 60,
          }),
        ).id;
        bodyOf(await tenant.owner.post(`/tasks/schedules/${own}/log-time`, {}));
        expectRefusal(await finish(own), 409, "schedule_already_logged");
        expect(bodyOf(await tenant.owner.get(`/tasks/${id}`)).status).to.equal("open");
        expect(await entries(id)).to.have.length(1);
      });
    });
  });
});
