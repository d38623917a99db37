import { expect } from "chai";
import { automation } from "../../../core/declare/catalogue/catalogue.ts";
import { holds } from "../../../core/declare/permissions.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { addRule } from "./automation-support.ts";

const RULES = ["automation.rule.read", "automation.rule.write"];

/** Every action of the catalogue, with a valid configuration and the permissions that a rule with it needs. */
const actions = [...automation().actions.values()].map(({ key, config, permission, alsoNeeds = {} }) => ({
  action: { action_type: key, config: (config as { example?: object }).example ?? {} },
  permission,
  alsoNeeds,
}));

describe("the permissions that saving a rule needs (platform §2.1)", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const draft = (one: { action_type: string; config?: object }) => ({
    name: "Rule",
    trigger_event: "task.created",
    actions: [one],
  });

  for (const { action, permission } of actions)
    it(`are for ${action.action_type} '${permission}', to add it and to change its rule`, async () => {
      const able = await tenant.member("member", { grants: [...RULES, permission] });
      const made = await able.post("/automation/rules", draft(action));
      expect(made.status, made.text).to.equal(201);
      const one = `/automation/rules/${made.body.id}`;
      expect((await able.patch(one, { name: "Renamed" })).status).to.equal(200);
      if (holds(RULES, permission)) return;
      const scoped = permission.endsWith(":any") ? [permission.replace(/:any$/, ":own")] : [];
      const unable = await tenant.member("member", { grants: [...RULES, ...scoped] });
      const plain = await addRule(tenant, { trigger_event: "task.created" });
      for (const [what, answer] of [
        ["add", await unable.post("/automation/rules", draft(action))],
        ["give", await unable.patch(`/automation/rules/${plain.id}`, { actions: [action] })],
        ["keep", await unable.patch(one, { conditions: {} })],
        ["enable", await unable.patch(one, { enabled: true })],
      ] as const) {
        expect([answer.status, answer.body.error], what).to.deep.equal([
          403,
          {
            code: "forbidden",
            message: "errors.forbidden",
            fields: { actions: "errors.forbidden" },
            details: { "actions.0.action_type": permission },
          },
        ]);
      }
      expect((await able.get(one)).body).to.deep.include({ name: "Renamed", conditions: {}, enabled: true });
      expect((await unable.patch(one, { enabled: false, name: "Off" })).status, "off with a change").to.equal(403);
      expect((await unable.patch(one, { enabled: false })).status, "off").to.equal(200);
      expect((await unable.patch(one, { enabled: true })).status, "on again").to.equal(403);
      expect((await unable.patch(one, { actions: [] })).status, "without the action").to.equal(200);
    });

  for (const { action, permission, alsoNeeds } of actions)
    for (const [key, also] of Object.entries(alsoNeeds))
      it(`are for ${action.action_type} with '${key}' also '${also}'`, async () => {
        const config = { [key]: tenant.owner.accountId };
        const unable = await tenant.member("member", { grants: [...RULES, permission] });
        const { status, body } = await unable.post("/automation/rules", draft({ ...action, config }));
        expect([status, body.error.details]).to.deep.equal([403, { [`actions.0.config.${key}`]: also }]);
        const able = await tenant.member("member", { grants: [...RULES, permission, also] });
        expect((await able.post("/automation/rules", draft({ ...action, config }))).status).to.equal(201);
      });

  it("are named for each action that lacks one, and are those of the key that the caller uses", async () => {
    const key = await tenant.serviceAccount([...RULES, "tasks.task.create"]);
    const rule = { name: "Rule", trigger_event: "task.created" };
    const sent = [
      { action_type: "task.create", config: { title: "x" } },
      { action_type: "project.set_status", config: { status: "on_hold" } },
      { action_type: "company.set_status", config: { status: "active" } },
    ];
    const { status, body } = await key.post("/automation/rules", { ...rule, actions: sent });
    expect([status, body.error.details]).to.deep.equal([
      403,
      { "actions.1.action_type": "projects.project.write", "actions.2.action_type": "companies.company.write" },
    ]);
    expect((await key.post("/automation/rules", { ...rule, actions: sent.slice(0, 1) })).status).to.equal(201);
  });

  it("are not needed to read, try and delete a rule", async () => {
    const action = { action_type: "company.set_status", config: { status: "active" } };
    const { id } = await addRule(tenant, draft(action));
    const unable = await tenant.member("member", { grants: RULES });
    const tried = { trigger_event: "task.created", actions: [action], entity_id: tenant.owner.accountId };
    expect((await unable.get(`/automation/rules/${id}`)).status).to.equal(200);
    expect((await unable.post("/automation/dry-run", tried)).body.would_fire).to.deep.equal(["company.set_status"]);
    expect((await unable.delete(`/automation/rules/${id}`)).status).to.equal(204);
  });
});
