import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect } from "chai";
import { automation } from "../../../core/declare/catalogue/catalogue.ts";
import { CONDITION_EXAMPLES } from "../../../services/automation/rules/condition-schemas.ts";
import type { Document } from "../../support/openapi.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { addRule, addTask, finished } from "./automation-support.ts";

const RULES = readFileSync(path.join(import.meta.dirname, "../../../docs/rules/platform.md"), "utf8");
/** The bodies of the worked example, in its order. */
const EXAMPLES = [...(RULES.split("### 2.6")[1] ?? "").split(/^#/m)[0]!.matchAll(/```json\n([\s\S]*?)```/g)].map(
  ([, body = ""]) => JSON.parse(body) as Record<string, unknown>,
);

const compile = (schema: object) => formats.default(new Ajv2020({ strict: false })).compile(schema);

interface Field {
  name: string;
  label: string;
  type: string;
  nullable: boolean;
  description?: string;
  values?: string[];
}

/** A schema of the document, as far as this test reads it. */
interface Shown {
  $ref?: string;
  title?: string;
  description?: string;
  enum?: unknown;
  examples?: unknown;
  properties?: Record<string, Shown>;
  oneOf?: Shown[];
  anyOf?: Shown[];
}

describe("automation rules written from the reference (platform §2.1)", function () {
  this.timeout(60_000);
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
  });

  const catalog = async () => (await tenant.owner.get("/automation/catalog")).body;
  const refusal = async (body: object) => {
    const { status, body: answer } = await tenant.owner.post("/automation/rules", {
      name: "Refused",
      trigger_event: "task.created",
      ...body,
    });
    expect(status).to.equal(422);
    return answer.error;
  };

  describe("GET /automation/catalog", () => {
    it("describes every field of every trigger", async () => {
      const { triggers } = await catalog();
      for (const { event, description, fields, record_fields } of triggers) {
        expect(
          fields.map(({ name }: Field) => name),
          event,
        ).to.deep.equal([...(automation().triggers.get(event)?.payload ?? [])]);
        for (const field of fields) expect(field.description, `${event} ${field.name}`).to.match(/^\S/);
        expect(description, event).to.match(/\.$/).and.not.include("Recipients");
        // A field of the event has precedence over the record's of the same name.
        const names = [...fields, ...record_fields].map(({ name }: Field) => name);
        expect(names, event).to.include("id").and.not.include("organisation_id");
        expect(new Set(names).size, event).to.equal(names.length);
      }
      const moved = triggers.find(({ event }: { event: string }) => event === "company.status_changed");
      expect(moved.fields.find(({ name }: Field) => name === "previous_status")).to.deep.equal({
        name: "previous_status",
        label: "Previous status",
        type: "text",
        nullable: false,
        description: "The status before, the same as `from`",
        values: ["lead", "onboarding", "active", "offboarding", "archived"],
      });
      expect(moved.record_fields).to.deep.include({
        name: "responsible_user_id",
        label: "Responsible user",
        type: "id",
        nullable: true,
      });
      const types = (event: string, part: "fields" | "record_fields") => {
        const found = triggers.find((trigger: { event: string }) => trigger.event === event)[part] as Field[];
        return Object.fromEntries(found.map(({ name, type, nullable }) => [name, `${type}${nullable ? "?" : ""}`]));
      };
      expect(types("task.created", "fields")).to.deep.equal({
        task_id: "id",
        title: "text",
        status: "text",
        company_id: "id?",
        project_id: "id?",
      });
      expect(types("task.status_changed", "fields")).to.include({ finished: "boolean" });
      expect(types("task.created", "record_fields")).to.include({
        due_date: "date?",
        allocated_minutes: "number?",
        completed_at: "instant?",
        visible_to_client: "boolean",
        recurrence: "object?",
      });
    });

    it("has a schema and a valid example of each action's config", async () => {
      const { actions, configs } = await catalog();
      expect(configs.map(({ action_type }: { action_type: string }) => action_type)).to.deep.equal(actions);
      for (const { action_type, description, schema, example } of configs) {
        const validate = compile(schema);
        expect(validate(example), JSON.stringify(validate.errors)).to.equal(true);
        expect(validate({ ...example, unknown: 1 })).to.equal(false);
        expect(description).to.equal(schema.description).and.match(/\.$/);
        const rule = await addRule(tenant, { trigger_event: "task.created", actions: [{ action_type, config: example }] });
        expect(rule.actions[0].config).to.deep.equal(example);
      }
    });

    it("has a schema of conditions that the valid examples of the reference match", async () => {
      const { conditions } = await catalog();
      const validate = compile(conditions);
      for (const example of CONDITION_EXAMPLES) {
        expect(validate(example), JSON.stringify(validate.errors)).to.equal(true);
        expect((await addRule(tenant, { trigger_event: "task.status_changed", conditions: example })).conditions).to.deep.equal(
          example,
        );
      }
      expect(validate({ feild: "to", op: "eq", value: 1 })).to.equal(false);
    });
  });

  it("have a schema in the document for each config, payload and condition", async () => {
    const { components } = (await service.call("GET", "//api/openapi.json", { host: tenant.host })).body as Document;
    const named = components.schemas as Record<string, Shown>;
    const part = (schema: string, property: string): Shown => named[schema]?.properties?.[property] ?? {};
    const titles = (parts: { $ref?: string }[] = []) => parts.map(({ $ref = "" }) => named[$ref.split("/").at(-1) ?? ""]?.title);
    expect(titles(part("ActionWrite", "config").oneOf)).to.deep.equal([...automation().actions.keys()]);
    for (const schema of ["RunRead", "DryRunRequest"])
      expect(titles(part(schema, "payload").anyOf)).to.deep.equal([...automation().triggers.keys()]);
    expect(part("RuleCreate", "conditions")).to.include({ $ref: "#/components/schemas/RuleCondition" });
    expect(part("RuleUpdate", "conditions").anyOf).to.deep.equal([
      { $ref: "#/components/schemas/RuleCondition" },
      { type: "null" },
    ]);
    expect(titles(named["RuleCondition"]?.oneOf)).to.deep.equal(["always", "comparison", "membership", "all", "any"]);
    // The contract has plain texts here: their values are examples, not a closed set.
    for (const [shown, names] of [
      [part("RuleCreate", "trigger_event"), [...automation().triggers.keys()]],
      [part("ActionWrite", "action_type"), [...automation().actions.keys()]],
    ] as const) {
      expect([shown.enum, shown.examples]).to.deep.equal([undefined, names]);
      for (const name of names) expect(shown.description).to.include(`\`${name}\``);
    }
  });

  describe("`details` of a refusal have the valid name or type for", () => {
    const keys = "errors.automation_unknown_config_key";
    const cases: [what: string, body: object, fields: object, details: object][] = [
      [
        "keys of a config",
        {
          actions: [
            { action_type: "task.create", config: { title: "x" } },
            { action_type: "notification.send", config: { mesage: "x", userids: [] } },
          ],
        },
        { actions: keys },
        { "actions.1.config.mesage": "message", "actions.1.config.userids": "user_ids" },
      ],
      [
        "the key of an address",
        { actions: [{ action_type: "webhook.post", config: { uri: "https://hooks.example.com" } }] },
        { actions: keys },
        { "actions.0.config.uri": "url" },
      ],
      [
        "an action",
        { actions: [{ action_type: "tasks.create" }] },
        { actions: "errors.automation_unknown_action" },
        { "actions.0.action_type": "task.create" },
      ],
      [
        "an address",
        { actions: [{ action_type: "webhook.post", config: { url: "ftp://x.example" } }] },
        { actions: "errors.automation_webhook_invalid_url" },
        { "actions.0.config.url": "uri" },
      ],
      [
        "a trigger and a condition",
        { trigger_event: "task.status_change", conditions: { all: [{ field: "to", op: "equals", value: "done" }] } },
        { trigger_event: "errors.automation_unknown_trigger", conditions: "errors.automation_invalid_conditions" },
        { trigger_event: "task.status_changed", "conditions.all.0.op": "eq" },
      ],
    ];
    for (const [what, body, fields, details] of cases)
      it(what, async () => {
        expect(await refusal(body)).to.deep.equal({ code: "validation", message: "errors.validation", fields, details });
      });

    it("at most twenty keys, and no key of 8,000 characters", async () => {
      const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`x${at}`, 1]));
      const { details } = await refusal({ actions: [{ action_type: "task.create", config: many }] });
      expect(Object.keys(details)).to.have.length(20);
      const long = await refusal({ actions: [{ action_type: "task.create", config: { ["x".repeat(8000)]: 1 } }] });
      expect(long).to.have.all.keys("code", "message", "fields");
    });
  });

  it("run, can be read and can be changed with a stored key that no longer exists", async () => {
    const rule = await addRule(tenant, {
      trigger_event: "task.created",
      conditions: { field: "title", op: "eq", value: "First" },
      actions: [{ action_type: "task.create", config: { title: "Second" } }],
    });
    const [action] = rule.actions;
    const actions = [{ ...action, config: { ...action.config, colour: "red" } }];
    await service.sql.query("update automation_rules set actions = $3 where organisation_id = $1 and id = $2", [
      tenant.organisation.id,
      rule.id,
      JSON.stringify(actions),
    ]);
    const at = `/automation/rules/${rule.id}`;
    expect((await tenant.owner.get(at)).body.actions).to.deep.equal(actions);
    expect((await tenant.owner.patch(at, { name: "Renamed" })).body).to.deep.include({ name: "Renamed", actions });
    const same = [{ action_type: "task.create", config: actions[0]!.config }];
    expect((await tenant.owner.patch(at, { actions: same })).body.actions).to.deep.equal(actions);
    const longer = await tenant.owner.patch(at, { actions: [{ action_type: "task.assign" }, ...same] });
    expect(longer.body.actions.map(({ config }: { config: object }) => config)).to.deep.equal([{}, same[0]!.config]);
    expect((await tenant.owner.patch(at, { actions: same })).status).to.equal(200);
    const other = await tenant.owner.patch(at, {
      actions: [{ action_type: "task.create", config: { title: "x", colour: "red" } }],
    });
    expect([other.status, other.body.error.fields]).to.deep.equal([422, { actions: "errors.automation_unknown_config_key" }]);
    await addTask(tenant, { title: "First" });
    const [run] = await finished(service, tenant);
    expect(run?.status).to.equal("succeeded");
    expect((await tenant.owner.get("/tasks?q=Second")).body.total).to.equal(1);
  });

  it("work like the worked example of the rules", async () => {
    const [draft, rule] = EXAMPLES as [Record<string, unknown>, Record<string, unknown>];
    const company = await tenant.company({ status: "lead" });
    const tried = await tenant.owner.post("/automation/dry-run", { ...draft, entity_id: company.id });
    expect(tried.body, tried.text).to.deep.equal({ matched: true, would_fire: ["task.create"], snapshot_found: true });
    const { status, text } = await tenant.owner.post("/automation/rules", rule);
    expect(status, text).to.equal(201);
    expect((await tenant.owner.patch(`/companies/${company.id}`, { status: "onboarding" })).status).to.equal(200);
    const [run] = await finished(service, tenant);
    expect([run?.rule_name, run?.status, run?.steps[0]?.status]).to.deep.equal([rule["name"], "succeeded", "succeeded"]);
    const { items } = (await tenant.owner.get(`/tasks?company_id=${company.id}`)).body;
    expect(items.map(({ title, priority }: Record<string, unknown>) => [title, priority])).to.deep.equal([
      ["Kennismakingsgesprek plannen", "high"],
    ]);
  });
});
