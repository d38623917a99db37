import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { refused, unfit } from "../../../support/answers.ts";
import type { Caller, Tenant } from "../../../support/service.ts";
import { type Body, bodyOf } from "../../work/tasks/task-records.ts";
import { type AgreementService, linesOf, makeAgreement, sharedAgreementService } from "./agreement-records.ts";

const PATH = "/subscriptions/price-increase";

describe("POST /subscriptions/price-increase", () => {
  let service: AgreementService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedAgreementService("2026-01-15");
  });
  beforeEach(async () => {
    service.today("2026-01-15");
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const raise = (body: object = {}, path = PATH, caller: Caller = tenant.owner) =>
    caller.post(path, { mode: "percent", value: 5, valid_from: "2026-03-01", ...body });
  const prices = async (id: string): Promise<[string, string][]> =>
    bodyOf(await tenant.owner.get(`/subscriptions/${id}/prices`)).map(({ valid_from, amount }: Body) => [valid_from, amount]);
  const raised = async (body: object): Promise<[string, string, string][]> =>
    bodyOf(await raise(body)).subscriptions.map(({ name, from, to }: Body) => [name, from, to]);
  const trail = async (id: string) => (await linesOf(service, "subscription", id)).slice(1);

  it("answers every field, and appends a price from the day on, in worked example 11", async () => {
    const { id, company_id, company_name } = await makeAgreement(tenant, { amount: "80.55" });
    const { status, body } = await raise();
    const shown = { subscription_id: id, company_id, company_name, name: "Hosting", currency: "EUR", from: "80.55", to: "84.58" };
    expect([status, body]).to.deep.equal([200, { valid_from: "2026-03-01", skipped: 0, subscriptions: [shown], templates: [] }]);
    expect(await prices(id)).to.deep.equal([
      ["2026-03-01", "84.58"],
      ["2026-01-15", "80.55"],
    ]);
    expect(await trail(id)).to.deep.equal([["price_increased", { from: "80.55", to: "84.58", valid_from: "2026-03-01" }]]);
    expect(await raised({ value: 10 })).to.deep.equal([["Hosting", "80.55", "88.61"]]);
    expect((await prices(id))[0]).to.deep.equal(["2026-03-01", "88.61"]);
  });

  it("leaves no trace when it changes nothing", async () => {
    const { id } = await makeAgreement(tenant);
    for (let time = 0; time < 2; time++) bodyOf(await raise());
    expect(await trail(id)).to.have.length(1);
    expect((await tenant.owner.get(`/subscriptions/${id}`)).headers.etag).to.equal('"2"');
  });

  it("adds an amount, sets one, and stops at zero", async () => {
    await makeAgreement(tenant, { amount: 20 });
    expect(await raised({ mode: "amount", value: "2.505" })).to.deep.equal([["Hosting", "20.00", "22.51"]]);
    expect(await raised({ mode: "amount", value: -30 })).to.deep.equal([["Hosting", "20.00", "0.00"]]);
    expect(await raised({ mode: "set", value: 25 })).to.deep.equal([["Hosting", "20.00", "25.00"]]);
  });

  it("skips agreements without a price to start from, and leaves cancelled ones alone", async () => {
    await makeAgreement(tenant, { start_date: "2026-04-01" });
    await makeAgreement(tenant, { status: "cancelled" });
    expect(bodyOf(await raise())).to.deep.include({ skipped: 1, subscriptions: [] });
    expect(await raised({ valid_from: "2026-04-01" })).to.deep.equal([["Hosting", "90.00", "94.50"]]);
  });

  it("replaces an increase of the same day also on the first price, until another amount is set (worked example 11)", async () => {
    const { id } = await makeAgreement(tenant, { amount: "80.55", start_date: "2026-03-01" });
    expect(await raised({})).to.deep.equal([["Hosting", "80.55", "84.58"]]);
    expect(await raised({})).to.deep.equal([["Hosting", "80.55", "84.58"]]);
    expect(await raised({ mode: "set", value: 70 })).to.deep.equal([["Hosting", "80.55", "70.00"]]);
    expect(await raised({ value: 10 })).to.deep.equal([["Hosting", "80.55", "88.61"]]);
    expect(await prices(id)).to.deep.equal([["2026-03-01", "88.61"]]);
    expect(await raised({ valid_from: "2026-04-01" })).to.deep.equal([["Hosting", "88.61", "93.04"]]);
    bodyOf(await tenant.owner.patch(`/subscriptions/${id}`, { amount: 100, amount_valid_from: "2026-03-01" }));
    expect(await raised({})).to.deep.equal([["Hosting", "100.00", "105.00"]]);
  });

  it("replaces an increase of the same day on presets", async () => {
    const { id } = bodyOf(await tenant.owner.post("/subscriptions/templates", { name: "Care", amount: 40 }));
    const moved = async (body: object = {}) => {
      const [{ from, to }] = bodyOf(await raise({ include_templates: true, ...body })).templates;
      const [{ amount }] = bodyOf(await tenant.owner.get("/subscriptions/templates"));
      return [from, to, amount];
    };
    expect(await moved()).to.deep.equal(["40.00", "42.00", "42.00"]);
    expect(await moved()).to.deep.equal(["40.00", "42.00", "42.00"]);
    expect(await moved({ value: 10 })).to.deep.equal(["40.00", "44.00", "44.00"]);
    expect(await moved({ value: 0 })).to.deep.equal(["40.00", "40.00", "40.00"]);
    expect(await moved({ value: 10 })).to.deep.equal(["40.00", "44.00", "44.00"]);
    expect(await moved({ valid_from: "2026-04-01" })).to.deep.equal(["44.00", "46.20", "46.20"]);
    bodyOf(await tenant.owner.patch(`/subscriptions/templates/${id}`, { amount: 50 }));
    expect(await moved({ valid_from: "2026-04-01" })).to.deep.equal(["50.00", "52.50", "52.50"]);
  });

  it("reaches those of one type, of one preset or one alone, and never more than one scope", async () => {
    const type = bodyOf(await tenant.owner.post("/subscriptions/types", { key: "care" })).id;
    const preset = bodyOf(await tenant.owner.post("/subscriptions/templates", { name: "Care" })).id;
    await makeAgreement(tenant, { name: "Typed", subscription_type_id: type });
    await makeAgreement(tenant, { name: "Preset", subscription_template_id: preset });
    const { id } = await makeAgreement(tenant, { name: "Single" });
    const names = async (body: object) => (await raised(body)).map(([name]) => name).toSorted();
    expect(await names({})).to.deep.equal(["Preset", "Single", "Typed"]);
    expect(await names({ subscription_type_id: type })).to.deep.equal(["Typed"]);
    expect(await names({ subscription_template_id: preset })).to.deep.equal(["Preset"]);
    expect(await names({ subscription_id: id })).to.deep.equal(["Single"]);
    expect(refused(await raise({ subscription_id: id, subscription_type_id: type }))).to.deep.equal([
      400,
      "validation",
      "errors.validation",
      { scope: "errors.validation" },
    ]);
    expect(refused(await raise({ subscription_id: randomUUID() }))).to.deep.equal([404, "not_found", "errors.not_found"]);
    expect(refused(await raise({ subscription_type_id: randomUUID() }))).to.deep.equal([
      400,
      "validation",
      "errors.validation",
      { subscription_type_id: "errors.validation" },
    ]);
  });

  it("moves the amounts of presets too when asked, which needs `subscriptions.template.manage`", async () => {
    const preset = bodyOf(await tenant.owner.post("/subscriptions/templates", { name: "Care", amount: 40 }));
    const amount = async () => bodyOf(await tenant.owner.get("/subscriptions/templates"))[0].amount;
    bodyOf(await raise());
    expect(await amount()).to.equal("40.00");
    expect(bodyOf(await raise({ include_templates: true })).templates).to.deep.equal([
      { subscription_template_id: preset.id, name: "Care", currency: "EUR", from: "40.00", to: "42.00" },
    ]);
    expect(await amount()).to.equal("42.00");
    const clerk = await tenant.member("member", {
      grants: ["subscriptions.subscription.read", "subscriptions.subscription.write"],
    });
    expect((await raise({}, PATH, clerk)).status).to.equal(200);
    for (const body of [{ include_templates: true }, { subscription_template_id: preset.id }])
      expect((await raise(body, PATH, clerk)).status).to.equal(403);
    expect(await amount()).to.equal("42.00");
  });

  it("reaches agreements of clients that the caller sees alone", async () => {
    const [seen, hidden] = [await makeAgreement(tenant, { name: "Seen" }), await makeAgreement(tenant, { name: "Hidden" })];
    const admin = await tenant.member("admin");
    await tenant.group("Narrow", [seen.company_id], [admin.membershipId]);
    const { subscriptions } = bodyOf(await raise({}, PATH, admin));
    expect(subscriptions.map(({ name }: Body) => name)).to.deep.equal(["Seen"]);
    expect(await prices(hidden.id)).to.have.length(1);
    expect((await raise({ subscription_id: hidden.id }, PATH, admin)).status).to.equal(404);
  });

  it("refuses a fall of everything, and a price that is too large", async () => {
    const { id } = await makeAgreement(tenant, { amount: "9999999999" });
    expect(refused(await raise({ value: -100 }))).to.deep.equal(unfit({ value: "errors.validation" }));
    expect(refused(await raise({ value: 50 }))).to.deep.equal(unfit({ value: "errors.validation" }));
    expect(refused(await tenant.owner.post(PATH, {}))).to.deep.equal(
      unfit({ mode: "errors.required", value: "errors.required", valid_from: "errors.required" }),
    );
    expect(await prices(id)).to.have.length(1);
  });

  it("has a preview that answers the same and writes nothing", async () => {
    const { id } = await makeAgreement(tenant, { amount: "80.55" });
    bodyOf(await tenant.owner.post("/subscriptions/templates", { name: "Care", amount: 40 }));
    const preview = bodyOf(await raise({ include_templates: true }, `${PATH}/preview`));
    expect([await prices(id), await trail(id)]).to.deep.equal([[["2026-01-15", "80.55"]], []]);
    expect(bodyOf(await raise({ include_templates: true }))).to.deep.equal(preview);
  });
});
