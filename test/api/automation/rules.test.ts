import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { addRule, addTask } from "./automation-support.ts";

describe("automation rules", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  it("have the triggers and actions of the modules, in the order of the chapter", async () => {
    const { status, body } = await tenant.owner.get("/automation/catalog");
    expect(status).to.equal(200);
    const triggers = body.triggers.map(({ event, entity_type }: Record<string, unknown>) => ({ event, entity_type }));
    expect({ triggers, actions: body.actions }).to.deep.equal({
      triggers: [
        { event: "task.created", entity_type: "task" },
        { event: "task.status_changed", entity_type: "task" },
        { event: "task.assigned", entity_type: "task" },
        { event: "company.created", entity_type: "company" },
        { event: "company.status_changed", entity_type: "company" },
        { event: "project.status_changed", entity_type: "project" },
        { event: "website.uptime_toggled", entity_type: "website" },
        { event: "domain.status_changed", entity_type: "domain" },
        { event: "invoice.issued", entity_type: "invoice" },
        { event: "invoice.paid", entity_type: "invoice" },
        { event: "invoice.overdue", entity_type: "invoice" },
        { event: "invoice.dunned", entity_type: "invoice" },
        { event: "quote.accepted", entity_type: "quote" },
        { event: "quote.rejected", entity_type: "quote" },
        { event: "contact.created", entity_type: "contact" },
        { event: "interaction.logged", entity_type: "interaction" },
        { event: "leave.requested", entity_type: "leave_request" },
        { event: "leave.approved", entity_type: "leave_request" },
        { event: "report.ready", entity_type: "report" },
        { event: "report.sent", entity_type: "report" },
        { event: "uptime.monitor_down", entity_type: "uptime_monitor" },
        { event: "uptime.monitor_up", entity_type: "uptime_monitor" },
        { event: "subscription.due", entity_type: "subscription" },
        { event: "task.unblocked", entity_type: "task" },
      ],
      actions: [
        "task.create",
        "task.set_status",
        "task.assign",
        "notification.send",
        "webhook.post",
        "company.set_status",
        "project.set_status",
        "project.assign",
        "task.add_label",
        "task.comment",
        "invoice.send",
        "uptime.pause",
      ],
    });
  });

  it("use defaults for omitted fields, and number their actions", async () => {
    const rule = await addRule(tenant, { name: "Plain", trigger_event: "task.created" });
    expect(rule).to.include({ name: "Plain", trigger_event: "task.created", enabled: true, position: 0 });
    expect(rule).to.deep.include({ conditions: {}, actions: [] });
    const two = await addRule(tenant, {
      trigger_event: "task.created",
      conditions: { field: "priority", op: "eq", value: "high" },
      actions: [{ action_type: "task.assign", config: { user_id: "x" } }, { action_type: "task.create" }],
    });
    const shown = two.actions.map(({ id, ...rest }: { id: string }) => ({ ...rest, hasId: /^[0-9a-f-]{36}$/.test(id) }));
    expect(shown).to.deep.equal([
      { position: 0, action_type: "task.assign", config: { user_id: "x" }, hasId: true },
      { position: 1, action_type: "task.create", config: {}, hasId: true },
    ]);
    expect((await tenant.owner.get(`/automation/rules/${two.id}`)).body).to.deep.equal(two);
  });

  it("number at most 200 per organisation: the 201st is refused, also of two concurrent additions", async () => {
    const { owner, organisation } = await service.tenant();
    await service.sql.query(
      `insert into automation_rules (id, organisation_id, name, trigger_event)
       select gen_random_uuid(), $1, 'Rule ' || n, 'task.created' from generate_series(1, 199) n`,
      [organisation.id],
    );
    const add = () => owner.post("/automation/rules", { name: "One more", trigger_event: "task.created" });
    const both = await Promise.all([add(), add()]);
    expect(both.map(({ status }) => status).toSorted()).to.deep.equal([201, 409]);
    const { status, body } = await add();
    expect([status, body.error.code, body.error.message]).to.deep.equal([409, "conflict", "errors.automation_too_many_rules"]);
    const listed = (await owner.get("/automation/rules")).body;
    expect(listed).to.have.length(200);
    expect((await owner.patch(`/automation/rules/${listed[0].id}`, { name: "Changed" })).status).to.equal(200);
    await owner.delete(`/automation/rules/${listed[0].id}`);
    expect((await add()).status, "with room again").to.equal(201);
  });

  it("can be written only by callers who see every client, and read by restricted ones", async () => {
    const restricted = await tenant.member("admin");
    await tenant.group("Rules", [(await tenant.company()).id], [restricted.membershipId]);
    const owner = await tenant.member("owner");
    await tenant.group("Owners", [], [owner.membershipId]);
    const draft = {
      name: "Posts",
      trigger_event: "company.status_changed",
      actions: [{ action_type: "webhook.post", config: { url: "https://collector.example.com/" } }],
    };
    const { id } = await addRule(tenant, draft);
    const one = `/automation/rules/${id}`;
    const answers = [
      await restricted.post("/automation/rules", draft),
      await restricted.patch(one, { enabled: false }),
      await restricted.patch(one, draft),
      await restricted.delete(one),
      await restricted.delete("/automation/rules/00000000-0000-4000-8000-000000000000"),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 403));
    expect((await restricted.get(one)).body.enabled).to.equal(true);
    expect((await restricted.get("/automation/rules")).body.map((rule: { id: string }) => rule.id)).to.include(id);
    const { status, body } = await owner.post("/automation/rules", draft);
    expect(status, "a wildcard is never restricted").to.equal(201);
    expect((await owner.delete(`/automation/rules/${body.id}`)).status).to.equal(204);
  });

  const webhook = (url: unknown) => [{ action_type: "webhook.post", config: { url } }];
  const refused: [what: string, body: object, fields: Record<string, string>][] = [
    ["an unknown trigger", { trigger_event: "task.deleted" }, { trigger_event: "errors.automation_unknown_trigger" }],
    ["an event that is no trigger", { trigger_event: "task.due_soon" }, { trigger_event: "errors.automation_unknown_trigger" }],
    ["a trigger longer than fifty", { trigger_event: "x".repeat(51) }, { trigger_event: "errors.validation" }],
    ["malformed conditions", { conditions: { not: [] } }, { conditions: "errors.automation_invalid_conditions" }],
    [
      "a condition on another trigger's field",
      { conditions: { field: "outstanding", op: "gt", value: 0 } },
      { conditions: "errors.automation_invalid_conditions" },
    ],
    [
      "conditions too deep",
      { conditions: [1, 2, 3, 4, 5, 6].reduce<object>((tree) => ({ all: [tree] }), {}) },
      { conditions: "errors.automation_invalid_conditions" },
    ],
    ["an unknown action", { actions: [{ action_type: "task.delete" }] }, { actions: "errors.automation_unknown_action" }],
    ["a webhook without an address", { actions: webhook(undefined) }, { actions: "errors.automation_webhook_invalid_url" }],
    [
      "a webhook of another scheme",
      { actions: webhook("ftp://a.example") },
      { actions: "errors.automation_webhook_invalid_url" },
    ],
    ["a webhook whose address is not text", { actions: webhook(7) }, { actions: "errors.automation_webhook_invalid_url" }],
    ["more than twenty actions", { actions: Array(21).fill({ action_type: "task.create" }) }, { actions: "errors.validation" }],
    [
      "everything at once",
      { trigger_event: "x", conditions: { x: 1 }, actions: [{ action_type: "x" }] },
      {
        trigger_event: "errors.automation_unknown_trigger",
        conditions: "errors.automation_invalid_conditions",
        actions: "errors.automation_unknown_action",
      },
    ],
  ];
  for (const [what, sent, fields] of refused)
    it(`refuse ${what} when created, changed and tried`, async () => {
      const whole = { name: "Refused", trigger_event: "task.created", entity_id: tenant.owner.accountId, ...sent };
      const rule = await addRule(tenant, { trigger_event: "task.created" });
      for (const answer of [
        await tenant.owner.post("/automation/rules", whole),
        await tenant.owner.patch(`/automation/rules/${rule.id}`, sent),
        await tenant.owner.post("/automation/dry-run", whole),
      ]) {
        expect(answer.status).to.equal(422);
        expect(answer.body.error).to.deep.include({ code: "validation", fields });
      }
      expect((await tenant.owner.get(`/automation/rules/${rule.id}`)).body).to.deep.equal(rule);
    });

  it("leave other values of a config unchecked until the action runs", async () => {
    const actions = [
      { action_type: "webhook.post", config: { url: "http://127.0.0.1/", confirm: "perhaps" } },
      { action_type: "task.create", config: { title: 7 } },
      { action_type: "webhook.post", config: { url: "HTTPS://example.com" } },
    ];
    expect((await addRule(tenant, { trigger_event: "task.created", actions })).actions).to.have.length(3);
  });

  it("are listed by position, then by age", async () => {
    const one = await service.tenant();
    const add = (name: string, position: number) => addRule(one, { name, position, trigger_event: "task.created" });
    for (const [name, position] of [
      ["c", 5],
      ["a", -1],
      ["d", 5],
      ["b", 0],
    ] as const)
      await add(name, position);
    const { body } = await one.owner.get("/automation/rules");
    expect(body.map(({ name }: { name: string }) => name)).to.deep.equal(["a", "b", "c", "d"]);
  });

  it("keep omitted fields on a change, and replace sent actions", async () => {
    const rule = await addRule(tenant, {
      trigger_event: "company.created",
      conditions: { any: [] },
      actions: [{ action_type: "task.create", config: { title: "x" } }, { action_type: "task.assign" }],
    });
    const at = `/automation/rules/${rule.id}`;
    const renamed = (await tenant.owner.patch(at, { name: "Renamed", enabled: false })).body;
    expect(renamed).to.deep.equal({ ...rule, name: "Renamed", enabled: false, updated_at: renamed.updated_at });
    const replaced = (await tenant.owner.patch(at, { actions: [{ action_type: "task.assign" }, { action_type: "task.create" }] }))
      .body;
    expect(replaced.actions.map(({ action_type, position }: Record<string, unknown>) => [position, action_type])).to.deep.equal([
      [0, "task.assign"],
      [1, "task.create"],
    ]);
    const emptied = (await tenant.owner.patch(at, { actions: [], conditions: {} })).body;
    expect(emptied).to.deep.include({ actions: [], conditions: {} });
    for (const field of ["name", "trigger_event", "conditions", "enabled", "position", "actions"])
      expect((await tenant.owner.patch(at, { [field]: null })).body.error?.fields, field).to.deep.equal({
        [field]: "errors.validation",
      });
  });

  it("leave no trail for a change without effect", async () => {
    const actions = [{ action_type: "task.create", config: { title: "x" } }];
    const rule = await addRule(tenant, { trigger_event: "company.created", actions });
    const lines = async () =>
      (await service.sql.query("select action, payload from activity where entity_id = $1 order by created_at, id", [rule.id]))
        .rows;
    const again = await tenant.owner.patch(`/automation/rules/${rule.id}`, { name: rule.name, actions, conditions: {} });
    expect(again.body).to.deep.equal(rule);
    expect(await lines()).to.have.length(1);
    await tenant.owner.patch(`/automation/rules/${rule.id}`, { position: 3, actions: [] });
    await tenant.owner.delete(`/automation/rules/${rule.id}`);
    expect((await lines()).slice(1)).to.deep.equal([
      { action: "updated", payload: { changes: { position: { from: 0, to: 3 } }, replaced: ["actions"] } },
      { action: "deleted", payload: { name: rule.name } },
    ]);
    expect((await tenant.owner.get(`/automation/rules/${rule.id}`)).status).to.equal(404);
  });

  describe("a dry run on a record", () => {
    before(async () => {
      tenant = await service.tenant();
    });
    const draft = {
      trigger_event: "task.status_changed",
      actions: [{ action_type: "task.assign" }, { action_type: "task.create" }],
    };
    const tried = async (body: object) => {
      const { status, body: answer, text } = await tenant.owner.post("/automation/dry-run", { ...draft, ...body });
      expect(status, text).to.equal(200);
      return answer;
    };

    it("compares the payload, else the record's columns, and runs no action", async () => {
      const task = await addTask(tenant, { priority: "high", allocated_minutes: 90, due_date: "2026-03-19" });
      const cases: [conditions: object, matched: boolean][] = [
        [{ field: "allocated_minutes", op: "eq", value: "90" }, true],
        [{ field: "to", op: "eq", value: "Review" }, false],
        [{ field: "to", op: "contains", value: "VIEW" }, true],
        [{ field: "due_date", op: "lt", value: "2026-04-01" }, true],
        [{ field: "project_id", op: "ne", value: "x" }, true],
        [{ field: "finished", op: "gt", value: 0 }, false],
        [{ all: [{ field: "priority", op: "in", value: ["high"] }, { any: [] }] }, false],
        [{ field: "title", op: "eq", value: "Another title" }, true],
        [{ field: "id", op: "eq", value: task.id }, true],
      ];
      for (const [conditions, matched] of cases) {
        const payload = { from: "open", to: "review", finished: false, title: "Another title" };
        const answer = await tried({ conditions, payload, entity_id: task.id });
        expect(answer, JSON.stringify(conditions)).to.deep.equal({
          matched,
          would_fire: matched ? ["task.assign", "task.create"] : [],
          snapshot_found: true,
        });
      }
      expect((await tenant.owner.get("/automation/runs")).body.total).to.equal(0);
    });

    it("compares only the payload if the record is missing or of another organisation", async () => {
      const foreign = await addTask(await service.tenant());
      for (const entity_id of [tenant.owner.accountId, foreign.id]) {
        expect(await tried({ entity_id, conditions: { field: "status", op: "eq", value: null } })).to.deep.equal({
          matched: true,
          would_fire: ["task.assign", "task.create"],
          snapshot_found: false,
        });
        const conditions = { field: "to", op: "eq", value: "done" };
        expect((await tried({ entity_id, conditions, payload: { to: "done" } })).matched).to.equal(true);
      }
    });

    it("compares the responsible person, and a project's decimals as numbers", async () => {
      const company = await tenant.company();
      const colleague = await tenant.member("member");
      const body = { name: "Site", company_id: company.id, budget_hours: 12.5, responsible_user_id: colleague.accountId };
      const project = (await tenant.owner.post("/projects", body)).body;
      const conditions = {
        all: [
          { field: "responsible_user_id", op: "eq", value: colleague.accountId },
          { field: "budget_hours", op: "gt", value: 9 },
          { field: "company_id", op: "eq", value: company.id },
        ],
      };
      expect(await tried({ trigger_event: "project.status_changed", entity_id: project.id, conditions })).to.include({
        matched: true,
        snapshot_found: true,
      });
    });

    it("does not find records outside the caller's selection", async () => {
      const [seen, hidden] = [await tenant.company(), await tenant.company()];
      const restricted = await tenant.member("admin");
      await tenant.group("Ours", [seen.id], [restricted.membershipId]);
      const found = async (entity_id: string) =>
        (await restricted.post("/automation/dry-run", { ...draft, trigger_event: "company.created", entity_id })).body
          .snapshot_found;
      expect(await found(seen.id)).to.equal(true);
      expect(await found(hidden.id)).to.equal(false);
    });
  });
});
