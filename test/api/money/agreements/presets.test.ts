import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { refused, unfit } from "../../../support/answers.ts";
import type { Tenant } from "../../../support/service.ts";
import { type Body, bodyOf, idsOf } from "../../work/tasks/task-records.ts";
import { type AgreementService, linesOf, makeAgreement, sharedAgreementService } from "./agreement-records.ts";

describe("the vocabulary of agreements", () => {
  let service: AgreementService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedAgreementService("2026-01-15");
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  describe("types", () => {
    const PATH = "/subscriptions/types";
    const make = async (body: object): Promise<Body> => bodyOf(await tenant.owner.post(PATH, body));
    const template = async (owner = tenant.owner): Promise<string> =>
      bodyOf(await owner.post("/tasks/templates", { name: "T" })).id;

    it("have every field, with defaults", async () => {
      const { id, created_at, updated_at, ...shown } = await make({ key: "care" });
      expect(shown).to.deep.equal({
        org_id: tenant.organisation.id,
        key: "care",
        label_i18n: {},
        position: 0,
        active: true,
        task_template_ids: [],
      });
      expect([typeof id, typeof created_at, typeof updated_at]).to.deep.equal(["string", "string", "string"]);
    });

    it("are listed by position and key, without inactive ones unless asked", async () => {
      await make({ key: "b", position: 2 });
      await make({ key: "c", position: 1, active: false });
      await make({ key: "a", position: 2 });
      const keys = async (query = "") => bodyOf(await tenant.owner.get(`${PATH}${query}`)).map(({ key }: Body) => key);
      expect([await keys(), await keys("?include_inactive=true")]).to.deep.equal([
        ["a", "b"],
        ["c", "a", "b"],
      ]);
    });

    it("keep their key, and task templates in the order sent", async () => {
      const [one, other] = [await template(), await template()];
      const { id } = await make({ key: "care", task_template_ids: [one] });
      const changed = bodyOf(
        await tenant.owner.patch(`${PATH}/${id}`, {
          key: "x",
          label_i18n: { nl: "Zorg" },
          task_template_ids: [other, one, other],
        }),
      );
      expect(changed).to.deep.include({ key: "care", label_i18n: { nl: "Zorg" }, task_template_ids: [other, one] });
      const same = await tenant.owner.patch(`${PATH}/${id}`, { task_template_ids: [other, one] });
      expect(same.headers.etag).to.equal('"2"');
      expect(bodyOf(await tenant.owner.patch(`${PATH}/${id}`, { task_template_ids: null, label_i18n: null }))).to.deep.include({
        task_template_ids: [],
        label_i18n: {},
      });
    });

    it("refuse a key twice, an invalid one, and unknown task templates", async () => {
      await make({ key: "care" });
      expect(refused(await tenant.owner.post(PATH, { key: "care" }))).to.deep.equal([
        409,
        "conflict",
        "errors.conflict",
        { key: "errors.conflict" },
      ]);
      expect(refused(await tenant.owner.post(PATH, { key: "Big Care" }))).to.deep.equal(unfit({ key: "errors.validation" }));
      const foreign = await template((await service.tenant()).owner);
      for (const id of [foreign, randomUUID()])
        expect(refused(await tenant.owner.post(PATH, { key: "other", task_template_ids: [id] }))).to.deep.equal([
          400,
          "validation",
          "errors.validation",
          { task_template_ids: "errors.not_found" },
        ]);
      expect(bodyOf(await tenant.owner.get(PATH))).to.have.length(1);
    });

    it("leave their agreements without one when they go", async () => {
      const { id } = await make({ key: "care" });
      const agreement = await makeAgreement(tenant, { subscription_type_id: id });
      expect((await tenant.owner.delete(`${PATH}/${id}`)).status).to.equal(204);
      expect(bodyOf(await tenant.owner.get(`/subscriptions/${agreement.id}`))).to.deep.include({
        subscription_type_id: null,
        subscription_type_label: null,
      });
    });

    it("need `subscriptions.type.manage` to be changed, and to be read what agreements need", async () => {
      const reader = await tenant.member("member", { grants: ["subscriptions.subscription.read"] });
      expect((await reader.get(PATH)).status).to.equal(200);
      expect((await reader.post(PATH, { key: "care" })).status).to.equal(403);
      expect((await (await tenant.member("member")).get(PATH)).status).to.equal(403);
    });
  });

  describe("presets", () => {
    const PATH = "/subscriptions/templates";
    const make = async (body: object = {}): Promise<Body> =>
      bodyOf(await tenant.owner.post(PATH, { name: "Care plan", ...body }));

    it("have every field, with defaults", async () => {
      const { id, created_at, updated_at, ...shown } = await make();
      expect(shown).to.deep.equal({
        org_id: tenant.organisation.id,
        name: "Care plan",
        amount: "0.00",
        currency: "EUR",
        interval: "monthly",
        interval_count: 1,
        included_hours: null,
        rollover: { mode: "none", expires_after_periods: null },
        notice_period_days: null,
        subscription_type_id: null,
        lines: [],
        active: true,
        position: 0,
      });
      expect([typeof id, typeof created_at, typeof updated_at]).to.deep.equal(["string", "string", "string"]);
    });

    it("are listed by position and name, without inactive ones unless asked", async () => {
      const [b, a, off] = [await make({ name: "b" }), await make({ name: "A" }), await make({ name: "Off", active: false })];
      const first = await make({ name: "Z", position: -1 });
      expect(idsOf(await tenant.owner.get(PATH))).to.deep.equal([first.id, a.id, b.id]);
      expect(idsOf(await tenant.owner.get(`${PATH}?include_inactive=true`))).to.deep.equal([first.id, a.id, b.id, off.id]);
    });

    it("rename the agreements that still bear their old name, with a line of the trail", async () => {
      const { id } = await make();
      const [same, own, other] = [
        await makeAgreement(tenant, { name: "Care plan", subscription_template_id: id }),
        await makeAgreement(tenant, { name: "Care for Ant", subscription_template_id: id }),
        await makeAgreement(tenant, { name: "Care plan" }),
      ];
      bodyOf(await tenant.owner.patch(`${PATH}/${id}`, { name: "Care plus", amount: 10 }));
      const names = await Promise.all(
        [same, own, other].map(async (one) => bodyOf(await tenant.owner.get(`/subscriptions/${one.id}`)).name),
      );
      expect(names).to.deep.equal(["Care plus", "Care for Ant", "Care plan"]);
      expect((await linesOf(service, "subscription", same.id)).slice(1)).to.deep.equal([
        ["updated", { changes: { name: { from: "Care plan", to: "Care plus" } } }],
      ]);
      expect(await linesOf(service, "subscription", own.id)).to.have.length(1);
    });

    it("refuse what breaks a rule, and a type that is not there", async () => {
      const { id } = await make();
      expect(refused(await tenant.owner.patch(`${PATH}/${id}`, { name: null, amount: -1, currency: "XYZ" }))).to.deep.equal(
        unfit({ name: "errors.validation", amount: "errors.validation" }),
      );
      expect(refused(await tenant.owner.patch(`${PATH}/${id}`, { currency: "XYZ" }))).to.deep.equal(
        unfit({ currency: "errors.invoicing.invalid_currency" }),
      );
      expect(refused(await tenant.owner.patch(`${PATH}/${id}`, { subscription_type_id: randomUUID() }))).to.deep.equal([
        400,
        "validation",
        "errors.validation",
        { subscription_type_id: "errors.validation" },
      ]);
    });

    it("leave their agreements when they go", async () => {
      const { id } = await make();
      const agreement = await makeAgreement(tenant, { subscription_template_id: id });
      expect((await tenant.owner.delete(`${PATH}/${id}`)).status).to.equal(204);
      expect(bodyOf(await tenant.owner.get(`/subscriptions/${agreement.id}`)).subscription_template_id).to.equal(null);
    });
  });
});
