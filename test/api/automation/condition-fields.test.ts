import { expect } from "chai";
import { automation } from "../../../core/declare/catalogue/catalogue.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { addRule } from "./automation-support.ts";

interface Field {
  name: string;
}

describe("the fields that conditions compare (platform §2.1)", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const compare = (field: string) => ({ field, op: "eq", value: "x" });
  const refused = (details: object) => ({
    code: "validation",
    message: "errors.validation",
    fields: { conditions: "errors.automation_invalid_conditions" },
    details,
  });

  it("are those of the trigger, else 422 with the nearest, when a rule is added, changed and tried", async () => {
    const conditions = { all: [compare("priority"), { any: [compare("prioriti"), compare("titel")] }] };
    const rule = await addRule(tenant, { trigger_event: "task.created" });
    const whole = { name: "Refused", trigger_event: "task.created", conditions, entity_id: tenant.owner.accountId };
    for (const { status, body } of [
      await tenant.owner.post("/automation/rules", whole),
      await tenant.owner.patch(`/automation/rules/${rule.id}`, { conditions }),
      await tenant.owner.post("/automation/dry-run", { ...whole, payload: { titel: "x" } }),
    ]) {
      expect(status).to.equal(422);
      expect(body.error).to.deep.equal(
        refused({ "conditions.all.1.any.0.field": "priority", "conditions.all.1.any.1.field": "title" }),
      );
    }
    expect((await tenant.owner.get(`/automation/rules/${rule.id}`)).body).to.deep.equal(rule);
  });

  it("are neither another trigger's nor the organisation's", async () => {
    for (const field of ["previous_status", "outstanding", "organisation_id"]) {
      const body = { name: "Refused", trigger_event: "task.created", conditions: compare(field) };
      const { status, body: answer } = await tenant.owner.post("/automation/rules", body);
      expect([status, answer.error.fields], field).to.deep.equal([422, refused({}).fields]);
      expect(Object.keys(answer.error.details), field).to.deep.equal(["conditions.field"]);
    }
  });

  it("are checked again when only the trigger changes", async () => {
    const { id } = await addRule(tenant, { trigger_event: "task.status_changed", conditions: compare("finished") });
    const moved = await tenant.owner.patch(`/automation/rules/${id}`, { trigger_event: "task.created" });
    expect([moved.status, moved.body.error.fields]).to.deep.equal([422, { conditions: "errors.automation_invalid_conditions" }]);
    const both = { trigger_event: "task.created", conditions: compare("status") };
    expect((await tenant.owner.patch(`/automation/rules/${id}`, both)).body).to.deep.include(both);
  });

  it("of a stored rule may be gone: it can be changed, and its conditions sent again", async () => {
    const { id } = await addRule(tenant, { trigger_event: "task.created" });
    const conditions = compare("colour");
    await service.sql.query("update automation_rules set conditions = $2 where id = $1", [id, JSON.stringify(conditions)]);
    const same = { trigger_event: "task.created", conditions, position: 4 };
    const { status, body } = await tenant.owner.patch(`/automation/rules/${id}`, same);
    expect(status).to.equal(200);
    expect(body).to.deep.include(same);
    expect((await tenant.owner.patch(`/automation/rules/${id}`, { trigger_event: "task.assigned" })).status).to.equal(422);
  });

  it("are all that the catalogue lists, for every trigger", async () => {
    const { triggers } = (await tenant.owner.get("/automation/catalog")).body;
    expect(triggers).to.have.length(automation().triggers.size);
    for (const { event, fields, record_fields } of triggers) {
      const names = [...fields, ...record_fields].map(({ name }: Field) => name);
      for (let at = 0; at < names.length; at += 40) {
        const conditions = { all: names.slice(at, at + 40).map(compare) };
        const body = { trigger_event: event, conditions, entity_id: tenant.owner.accountId };
        const answer = await tenant.owner.post("/automation/dry-run", body);
        expect(answer.status, `${event}: ${answer.text}`).to.equal(200);
      }
    }
  });
});
