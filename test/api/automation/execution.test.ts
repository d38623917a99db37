import { expect } from "chai";
import type { DomainEvent } from "../../../core/declare/events.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { Listener } from "../../simulators/listener.ts";
import { importSheet } from "../../support/impex.ts";
import { fire, settled, until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { addRule, addTask, finished, type Run, runsOf, trailOf } from "./automation-support.ts";

const notified: Pick<DomainEvent<"automation.notify">, "entityType" | "entityId" | "payload" | "actorAccountId">[] = [];
const audience = actor("proof.audience", {
  actions: {},
  subscribe: {
    async "automation.notify"({ entityType, entityId, payload, actorAccountId }) {
      notified.push({ entityType, entityId, payload, actorAccountId });
    },
  },
});

describe("the actions of automation rules", function () {
  this.timeout(120_000);
  const listener = new Listener();
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    await listener.start();
    service = await startService({ SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8" }, [audience]);
  });
  after(async () => {
    await service.stop();
    await listener.stop();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    listener.reset();
    listener.reply = { status: 200, body: { ok: true } };
  });

  /** The run of a rule with these actions after a task was finished, and the task. */
  const done = async (...actions: { action_type: string; config?: object }[]): Promise<{ run: Run; taskId: string }> => {
    await addRule(tenant, { name: "The rule", trigger_event: "task.status_changed", actions });
    const task = await addTask(tenant, { title: "Site" });
    await tenant.owner.patch(`/tasks/${task.id}`, { status: "done" });
    const [run] = await finished(service, tenant);
    return { run: run as Run, taskId: task.id };
  };
  const tasks = async (): Promise<Record<string, unknown>[]> =>
    (await tenant.owner.get("/tasks?limit=200&sort=created_at")).body.items;

  it("run in order, and each step has its result", async () => {
    const colleague = await tenant.member("member");
    const { run, taskId } = await done(
      { action_type: "task.create", config: { title: "First" } },
      { action_type: "task.assign", config: { user_id: colleague.accountId } },
      { action_type: "task.set_status", config: { status: "in_progress" } },
    );
    expect(run).to.include({ status: "succeeded", error: null });
    expect([run.started_at, run.finished_at].every((at) => typeof at === "string")).to.equal(true);
    const made = (await tasks()).find(({ title }) => title === "First");
    expect(run.steps).to.deep.equal([
      { action_type: "task.create", status: "succeeded", result: { task_ids: [made?.["id"]] } },
      { action_type: "task.assign", status: "succeeded", result: { task_id: taskId, assignee_user_id: colleague.accountId } },
      { action_type: "task.set_status", status: "succeeded", result: { task_id: taskId, status: "in_progress" } },
    ]);
    const task = (await tenant.owner.get(`/tasks/${taskId}`)).body;
    expect(task).to.include({ status: "in_progress", assignee_user_id: colleague.accountId });
  });

  it("name their rule in the trail, with the system as actor", async () => {
    const { taskId } = await done(
      { action_type: "task.create", config: { title: "First" } },
      { action_type: "task.set_status", config: { status: "open" } },
    );
    const made = (await tasks()).find(({ title }) => title === "First");
    const [created] = await trailOf(tenant, "task", made?.["id"] as string);
    expect(created).to.deep.include({ action: "created", payload: { rule: "The rule" }, actor_name: null, actor_deleted: false });
    const lines = await trailOf(tenant, "task", taskId);
    expect(lines.map(({ action, payload }: Run & { action: string }) => [action, payload["rule"] ?? null])).to.deep.equal([
      ["created", null],
      ["status_changed", null],
      ["status_changed", "The rule"],
    ]);
  });

  it("stop at the first failure, and keep the results before it", async () => {
    const { run } = await done(
      { action_type: "task.create", config: { title: "First" } },
      { action_type: "task.set_status", config: { status: "nowhere" } },
      { action_type: "task.create", config: { title: "Never" } },
    );
    expect(run).to.include({ status: "failed", error: "errors.validation" });
    expect(run.steps.map(({ action_type, status, error }) => [action_type, status, error])).to.deep.equal([
      ["task.create", "succeeded", undefined],
      ["task.set_status", "failed", "errors.validation"],
    ]);
    expect((await tasks()).map(({ title }) => title)).to.have.members(["Site", "First"]);
  });

  it("leave nothing of a failed action", async () => {
    const company = await tenant.company();
    const items = [{ title: "One" }, { title: "Two" }];
    const template = (await tenant.owner.post("/tasks/templates", { name: "Start", items })).body;
    // The database refuses the second task. The first is rolled back, and the run does not show the database's message.
    await service.sql.query(`create function refuse_two() returns trigger language plpgsql as $$
      begin if new.title = 'Two' then raise exception 'no'; end if; return new; end $$`);
    await service.sql.query("create trigger refuse_two before insert on tasks for each row execute function refuse_two()");
    try {
      const { run } = await done({ action_type: "task.create", config: { template_id: template.id, company_id: company.id } });
      expect(run).to.include({ status: "failed", error: "errors.server" });
      expect((await tasks()).map(({ title }) => title)).to.deep.equal(["Site"]);
    } finally {
      await service.sql.query("drop trigger refuse_two on tasks");
    }
  });

  it("fail without effect if the rule was deleted", async () => {
    const conditions = { field: "title", op: "eq", value: "Site" };
    const released = Promise.withResolvers<void>();
    listener.fail({ kind: "wait", until: released.promise });
    // An earlier rule waits for its answer, so that this one has not begun when the owner deletes it.
    await addRule(tenant, {
      position: 0,
      trigger_event: "task.created",
      actions: [{ action_type: "webhook.post", config: { url: listener.origin } }],
      conditions,
    });
    const rule = await addRule(tenant, {
      position: 1,
      trigger_event: "task.created",
      actions: [{ action_type: "task.create", config: { title: "Never" } }],
      conditions,
    });
    await addTask(tenant, { title: "Site" });
    await until(() => listener.received.length === 1);
    await tenant.owner.delete(`/automation/rules/${rule.id}`);
    released.resolve();
    const [, run] = await finished(service, tenant);
    expect(run).to.deep.include({ status: "failed", error: "errors.automation_rule_deleted", steps: [] });
  });

  describe("task.create", () => {
    it("takes the client that triggered it, and the fields of its config", async () => {
      const company = await tenant.company();
      const colleague = await tenant.member("member");
      const config = { title: "Call", assignee_user_id: colleague.accountId, description: "Line\nline", priority: "high" };
      await addRule(tenant, {
        trigger_event: "company.status_changed",
        actions: [{ action_type: "task.create", config }],
      });
      await tenant.owner.patch(`/companies/${company.id}`, { status: "onboarding" });
      await finished(service, tenant);
      const [task] = await tasks();
      expect(task).to.include({ ...config, company_id: company.id, status: "open" });
    });

    it("creates the tasks of a template for the client", async () => {
      const company = await tenant.company();
      const items = [{ title: "One" }, { title: "Two" }];
      const template = (await tenant.owner.post("/tasks/templates", { name: "Start", items })).body;
      await addRule(tenant, {
        trigger_event: "company.status_changed",
        actions: [{ action_type: "task.create", config: { template_id: template.id } }],
      });
      await tenant.owner.patch(`/companies/${company.id}`, { status: "onboarding" });
      const [run] = await finished(service, tenant);
      const made = await tasks();
      expect(made.map(({ title, company_id }) => [title, company_id])).to.deep.equal([
        ["One", company.id],
        ["Two", company.id],
      ]);
      expect(run?.steps[0]?.result).to.deep.equal({ task_ids: made.map(({ id }) => id) });
    });
  });

  describe("an action that cannot run", () => {
    const unusable = "errors.automation_action_config_invalid";
    const missing = "errors.not_found";
    const cases: [what: string, action_type: string, config: (other: Tenant) => Promise<object> | object, error: string][] = [
      ["a task without title or template", "task.create", () => ({ description: "x" }), unusable],
      ["a task with a blank title", "task.create", () => ({ title: "  " }), unusable],
      ["a task with a title that is not text", "task.create", () => ({ title: 7 }), unusable],
      ["a task of an unknown priority", "task.create", () => ({ title: "x", priority: "urgent" }), unusable],
      ["a template without a client", "task.create", ({ owner }) => ({ template_id: owner.accountId }), unusable],
      [
        "a template that does not exist",
        "task.create",
        async (other) => ({ template_id: other.owner.accountId, company_id: (await tenant.company()).id }),
        missing,
      ],
      [
        "another organisation's client",
        "task.create",
        async (other) => ({ title: "x", company_id: (await other.company()).id }),
        missing,
      ],
      [
        "another organisation's member",
        "task.create",
        ({ owner }) => ({ title: "x", assignee_user_id: owner.accountId }),
        missing,
      ],
      [
        "another organisation's task",
        "task.set_status",
        async (other) => ({ status: "open", task_id: (await addTask(other)).id }),
        missing,
      ],
      ["no status", "task.set_status", () => ({}), unusable],
      ["a task handed to another organisation's member", "task.assign", ({ owner }) => ({ user_id: owner.accountId }), missing],
      ["a task handed to no id", "task.assign", () => ({ user_id: "somebody" }), unusable],
      ["a blank message", "notification.send", ({ owner }) => ({ message: " \n ", user_ids: [owner.accountId] }), unusable],
      ["a message to nobody", "notification.send", () => ({ message: "x", user_ids: [] }), unusable],
      [
        "a message to another organisation's member",
        "notification.send",
        ({ owner }) => ({ message: "x", user_ids: [owner.accountId] }),
        missing,
      ],
      ["a webhook that is to confirm perhaps", "webhook.post", () => ({ url: listener.origin, confirm: "perhaps" }), unusable],
      ["a private target", "webhook.post", () => ({ url: "http://10.0.0.1/x" }), "errors.automation_webhook_private_target"],
      [
        "a private target at a port of another service",
        "webhook.post",
        () => ({ url: "http://10.0.0.1:22/x" }),
        "errors.automation_webhook_private_target",
      ],
      [
        "the machine's own credentials at a port of another service",
        "webhook.post",
        () => ({ url: "https://169.254.169.254:6379/x" }),
        "errors.automation_webhook_private_target",
      ],
      [
        "a public target at a port of another service",
        "webhook.post",
        () => ({ url: "http://93.184.215.14:22/x" }),
        "errors.automation_webhook_port",
      ],
      [
        "a target whose name does not exist",
        "webhook.post",
        () => ({ url: "http://nowhere.invalid/x" }),
        "errors.automation_webhook_unresolved",
      ],
      [
        "a target with a password in its address",
        "webhook.post",
        () => ({ url: "http://a:b@example.com/x" }),
        "errors.automation_webhook_invalid_url",
      ],
      [
        "the machine's own credentials",
        "webhook.post",
        () => ({ url: "http://169.254.169.254/x" }),
        "errors.automation_webhook_private_target",
      ],
    ];

    it("fails its step, and its run with it", async () => {
      const other = await service.tenant();
      for (const [position, [name, action_type, config]] of cases.entries())
        await addRule(tenant, {
          name,
          position,
          trigger_event: "task.status_changed",
          actions: [{ action_type, config: await config(other) }],
        });
      const task = await addTask(tenant);
      await tenant.owner.patch(`/tasks/${task.id}`, { status: "done" });
      const runs = await finished(service, tenant);
      expect(runs.map(({ rule_name, status, error, steps }) => [rule_name, status, error, steps[0]?.error])).to.deep.equal(
        cases.map(([name, , , error]) => [name, "failed", error, error]),
      );
      expect(listener.received).to.deep.equal([]);
    });
  });

  it("require a task id if no task triggered the rule", async () => {
    const company = await tenant.company();
    for (const [position, config] of [{ status: "done" }, { status: "done", task_id: (await addTask(tenant)).id }].entries())
      await addRule(tenant, {
        position,
        trigger_event: "company.status_changed",
        actions: [{ action_type: "task.set_status", config }],
      });
    await tenant.owner.patch(`/companies/${company.id}`, { status: "archived" });
    expect((await finished(service, tenant)).map(({ error }) => error)).to.deep.equal([
      "errors.automation_action_config_invalid",
      null,
    ]);
  });

  describe("a status that a rule sets", () => {
    it("sets and clears the completion time, requires no contact moment, and starts no recurrence", async () => {
      const statuses = (await tenant.owner.get("/tasks/statuses")).body;
      const last = statuses.find(({ key }: { key: string }) => key === "done");
      await tenant.owner.patch(`/tasks/statuses/${last.id}`, { requires_interaction: true });
      const recurrence = { freq: "weekly", mode: "after_completion" };
      const task = await addTask(tenant, { title: "Weekly", due_date: "2026-03-19", recurrence, requires_interaction: true });
      expect((await tenant.owner.patch(`/tasks/${task.id}`, { status: "done" })).status, "by a person").to.equal(422);
      const move = (to: string) => ({
        trigger_event: "task.assigned",
        conditions: { field: "status", op: "ne", value: to },
        actions: [{ action_type: "task.set_status", config: { status: to } }],
      });
      const rule = await addRule(tenant, move("done"));
      await tenant.owner.patch(`/tasks/${task.id}`, { assignee_user_id: tenant.owner.accountId });
      await finished(service, tenant);
      const closed = (await tenant.owner.get(`/tasks/${task.id}`)).body;
      expect(closed).to.include({ status: "done", closing_interaction_id: null });
      expect(closed.completed_at).to.be.a("string");
      expect(closed.recurrence).to.include(recurrence);
      expect(await tasks(), "no next occurrence").to.have.length(1);
      await tenant.owner.patch(`/automation/rules/${rule.id}`, move("open"));
      const colleague = await tenant.member("member");
      await tenant.owner.patch(`/tasks/${task.id}`, { title: "Renamed", assignee_user_id: colleague.accountId });
      await finished(service, tenant);
      expect((await tenant.owner.get(`/tasks/${task.id}`)).body).to.include({ status: "open", completed_at: null });
    });

    it("changes nothing if the task has that status already", async () => {
      const { run, taskId } = await done({ action_type: "task.set_status", config: { status: "done" } });
      expect(run.steps).to.deep.equal([
        { action_type: "task.set_status", status: "succeeded", result: { task_id: taskId, status: "done" } },
      ]);
      expect(await trailOf(tenant, "task", taskId)).to.have.length(2);
    });
  });

  it("notify people by an event on the record", async () => {
    const colleague = await tenant.member("member");
    const user_ids = [colleague.accountId, tenant.owner.accountId, colleague.accountId];
    const { run, taskId } = await done({ action_type: "notification.send", config: { message: "Look\nat this", user_ids } });
    expect(run.status).to.equal("succeeded");
    expect(notified.filter(({ entityId }) => entityId === taskId)).to.deep.equal([
      {
        entityType: "task",
        entityId: taskId,
        payload: { message: "Look\nat this", rule: "The rule", recipients: [colleague.accountId, tenant.owner.accountId] },
        actorAccountId: null,
      },
    ]);
  });

  describe("webhook.post", () => {
    const post = (config: object = {}) =>
      done({ action_type: "webhook.post", config: { url: `${listener.origin}/hook`, ...config } });

    it("posts the event as JSON", async () => {
      const { run, taskId } = await post();
      expect(run.steps).to.deep.equal([{ action_type: "webhook.post", status: "succeeded", result: { status_code: 200 } }]);
      expect(listener.received.map(({ method, path, headers }) => [method, path, headers["content-type"]])).to.deep.equal([
        ["POST", "/hook", "application/json"],
      ]);
      expect(JSON.parse(listener.received[0]?.body ?? "")).to.deep.equal({
        event: "task.status_changed",
        entity_type: "task",
        entity_id: taskId,
        payload: { task_id: taskId, title: "Site", from: "open", to: "done", finished: true },
      });
    });

    const answered: [what: string, reply: object, confirm: boolean, result: object, error?: string][] = [
      ["an error counts as an answer", { status: 500 }, false, { status_code: 500 }],
      [
        "a redirect counts as an answer and is not followed",
        { status: 302, headers: { Location: "/elsewhere" } },
        false,
        { status_code: 302 },
      ],
      ["a refusal in JSON counts as an answer", { status: 200, body: { ok: false } }, false, { status_code: 200 }],
      ["confirmed", { status: 202, body: { ok: true } }, true, { status_code: 202, confirmed: true }],
      ["confirmed without JSON", { status: 200, body: "thanks" }, true, { status_code: 200, confirmed: true }],
      ["confirmed by other JSON", { status: 200, body: [false] }, true, { status_code: 200, confirmed: true }],
      [
        "not confirmed by its status",
        { status: 404, body: { ok: true } },
        true,
        { status_code: 404, confirmed: false },
        "errors.automation_webhook_not_confirmed",
      ],
      [
        "not confirmed by its body",
        { status: 200, body: { ok: false } },
        true,
        { status_code: 200, confirmed: false },
        "errors.automation_webhook_not_confirmed",
      ],
    ];
    for (const [what, reply, confirm, result, error] of answered)
      it(`${what}: ${JSON.stringify(reply)}`, async () => {
        Object.assign(listener, { reply });
        const { run } = await post({ confirm });
        expect(listener.received).to.have.length(1);
        expect(run.steps).to.deep.equal([
          { action_type: "webhook.post", status: error ? "failed" : "succeeded", result, ...(error && { error }) },
        ]);
        expect(run).to.include({ status: error ? "failed" : "succeeded", error: error ?? null });
      });

    it("is sent again with the same id when its answer was lost after it arrived", async () => {
      listener.fail({ kind: "lose" });
      const { run } = await post({ confirm: true });
      expect(run).to.include({ status: "succeeded", error: null });
      expect(run.steps[0]?.result).to.deep.equal({ status_code: 200, confirmed: true });
      const ids = listener.received.map(({ headers }) => headers["webhook-id"]);
      expect(ids).to.have.length(2);
      expect(new Set(ids)).to.have.property("size", 1);
      expect(ids[0]).to.match(/^[0-9a-f-]{36}$/);
    });

    it("has an id of its own for each run", async () => {
      await post();
      await post();
      // The second change starts the rules of both.
      expect(listener.received).to.have.length(3);
      expect(new Set(listener.received.map(({ headers }) => headers["webhook-id"]))).to.have.property("size", 3);
    });

    it("fails when the second sending has no answer either", async () => {
      listener.fail({ kind: "reset" }, { kind: "reset" });
      const { run } = await post();
      expect(run.status).to.equal("failed");
      expect(run.steps[0]).to.include({ status: "failed" });
      expect([run.error, run.steps[0]?.error]).to.deep.equal(Array(2).fill("errors.automation_webhook_unreachable"));
      expect(listener.received).to.have.length(2);
    });
  });

  it("delay no other organisation when a receiver hangs", async () => {
    const HELD = 20;
    const released = Promise.withResolvers<void>();
    listener.fail(...Array.from({ length: HELD }, () => ({ kind: "wait" as const, until: released.promise })));
    const other = await service.tenant();
    try {
      await addRule(tenant, {
        trigger_event: "task.created",
        actions: [{ action_type: "webhook.post", config: { url: listener.origin } }],
      });
      await addRule(other, {
        trigger_event: "task.created",
        conditions: { field: "title", op: "eq", value: "Site" },
        actions: [{ action_type: "task.create", config: { title: "First" } }],
      });
      const sheet = ["title", ...Array.from({ length: HELD }, (_, n) => `Task ${n}`)].join("\n");
      expect(await importSheet(tenant.owner, "task", sheet)).to.include({ created: HELD });
      await addTask(other, { title: "Site" });
      const isDone = async () => (await runsOf(other.owner))[0]?.status === "succeeded";
      await until(isDone);
      const held = (await runsOf(tenant.owner)).filter(({ finished_at }) => finished_at === null);
      expect(held).to.have.length.at.least(HELD / 2);
    } finally {
      released.resolve();
    }
    expect(await finished(service, tenant)).to.have.length(HELD);
  });

  it("run once, however often the sweep reschedules the run", async () => {
    const { run } = await done({ action_type: "webhook.post", config: { url: listener.origin } });
    // The run looks overdue, so the sweep delivers it a second time.
    await service.sql.query("update automation_runs set created_at = now() - interval '3 minutes' where id = $1", [run.id]);
    await fire(service, "automation.sweep");
    expect(listener.received).to.have.length(1);
    expect((await finished(service, tenant))[0]?.steps).to.have.length(1);
  });

  it("run after the sweep if the run's job was lost before it began", async () => {
    await addRule(tenant, {
      trigger_event: "task.created",
      actions: [{ action_type: "webhook.post", config: { url: listener.origin } }],
    });
    await addTask(tenant);
    await service.sql.query(
      `with lost as (delete from outbox where job = 'automation.run'), queued as (delete from jobs.ordered where name = 'automation.run')
       delete from jobs.agenda_jobs where name = 'automation.run'`,
    );
    await service.sql.query(
      "update automation_matches set created_at = now() - interval '3 minutes' where organisation_id = $1",
      [tenant.organisation.id],
    );
    await fire(service, "automation.sweep");
    expect(await finished(service, tenant)).to.have.length(1);
    expect(listener.received).to.have.length(1);
  });

  it("run after the sweep if the run did not begin or was interrupted, and keep the outcome of finished actions", async () => {
    const { run } = await done({ action_type: "webhook.post", config: { url: listener.origin } });
    const put = async (status: string, created: string, heard: string | null, forgets = false) => {
      await service.sql.query(
        `update automation_runs set status = $2, steps = '[]', created_at = now() - $3::interval, started_at = now() - $4::interval,
           updated_at = now() - coalesce($4, $3)::interval, finished_at = null, error = null, actions = case when not $5 then actions end
          where id = $1`,
        [run.id, status, created, heard, forgets],
      );
    };
    const look = async () => (await finished(service, tenant))[0];
    await put("pending", "1 minute", null);
    await fire(service, "automation.sweep");
    expect(await look(), "too young").to.include({ status: "pending" });
    await put("pending", "3 minutes", null);
    await fire(service, "automation.sweep");
    expect(await look()).to.include({ status: "succeeded" });
    await put("running", "20 minutes", "14 minutes");
    await fire(service, "automation.sweep");
    expect(await look(), "may still be running").to.include({ status: "running" });
    await put("running", "20 minutes", "16 minutes");
    await fire(service, "automation.sweep");
    const again = await look();
    expect([again?.status, again?.steps]).to.deep.equal(["succeeded", run.steps]);
    expect(listener.received, "it was called once").to.have.length(1);
    await put("running", "20 minutes", "16 minutes", true);
    await fire(service, "automation.sweep");
    expect(await look(), "as a node of an earlier version left it").to.include({ status: "failed", error: "errors.unavailable" });
    expect(listener.received).to.have.length(1);
    await settled(service);
  });
});
