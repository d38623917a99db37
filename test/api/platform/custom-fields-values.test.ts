import { expect } from "chai";
import { customValues } from "../../../core/custom-fields/definitions.ts";
import { counted } from "../../../core/request/statement-count.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { createCompany } from "../../../services/clients/companies/company-writes.ts";
import type { Answer } from "../../support/http.ts";
import { errorsOf, importSheet, sendSheet } from "../../support/impex.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { invalidOn, refusalOf } from "../clients/companies/company-records.ts";

const DEFINITIONS = "/custom-fields/definitions";
const custom = (error: string) => `customfields.errors.${error}`;

describe("custom values of companies", () => {
  let service: TestService;
  let tenant: Tenant;
  let planId: string;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  const define = async (values: object, of = tenant): Promise<string> => {
    const answer = await of.owner.post(DEFINITIONS, { entity_type: "company", data_type: "text", ...values });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.id;
  };
  const redefine = async (id: string, values: object) =>
    expect((await tenant.owner.patch(`${DEFINITIONS}/${id}`, values)).status).to.equal(200);
  const create = (body: object) => tenant.owner.post("/companies", { name: "Acme", ...body });
  const made = async (values: object) => {
    const answer = await create({ custom: values });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const patch = (id: string, body: object) => tenant.owner.patch(`/companies/${id}`, body);
  const storedOf = async (id: string) => (await tenant.owner.get(`/companies/${id}`)).body.custom;

  beforeEach(async () => {
    tenant = await service.tenant();
    planId = await define({
      key: "plan",
      data_type: "select",
      required: true,
      options_json: [{ value: "basic" }, { value: "pro" }],
    });
    await define({ key: "seats", data_type: "number", config_json: { min: 1, max: 50 } });
  });

  it("are validated on every create, so that a missing required one is refused", async () => {
    const lacking = invalidOn({ plan: "errors.required" });
    expect(refusalOf(await create({ custom: { seats: "12" } }))).to.deep.equal(lacking);
    expect(refusalOf(await create({ custom: {} }))).to.deep.equal(lacking);
    expect(refusalOf(await create({ custom: null }))).to.deep.equal(lacking);
    expect(refusalOf(await create({}))).to.deep.equal(lacking);
    expect((await tenant.owner.get("/companies")).body.total).to.equal(0);
  });

  it("are stored as their types say", async () => {
    const { id, custom: shown } = await made({ plan: "pro", seats: "50.0" });
    expect(shown).to.deep.equal({ plan: "pro", seats: 50 });
    expect(await storedOf(id)).to.deep.equal(shown);
  });

  it("keep every digit of a number, or are refused: as text, as a JSON number, and in a file", async () => {
    await define({ key: "code" });
    await define({ key: "ratio", data_type: "number" });
    const digits = "0.12345678901234567890123";
    const { id } = await made({ plan: "pro" });
    const raw = (custom: string) =>
      tenant.owner.patch(`/companies/${id}`, `{"name": "Acme 12345678901234567", "custom": ${custom}}`, {
        headers: { "Content-Type": "application/json" },
      });
    const rounded = invalidOn({ ratio: custom("out_of_range") });
    for (const value of [digits, `"${digits}"`, "123456789012345.678", "1e-400", "9007199254740993"])
      expect(refusalOf(await raw(`{"plan": "pro", "ratio": ${value}}`)), value).to.deep.equal(rounded);
    expect((await raw(`{"plan": "pro", "ratio": [${digits}]}`)).status).to.equal(422);
    expect((await raw(`{"plan": "pro", "code": ${digits}, "ratio": 1.50e2}`)).body.custom).to.deep.equal({
      plan: "pro",
      code: digits,
      ratio: 150,
    });
    const report = (await sendSheet(tenant.owner, "company", `id,name,custom.ratio\n${id},Acme,${digits}\n`)).body;
    expect(errorsOf(report)).to.deep.equal(["2 custom.ratio customfields.errors.out_of_range"]);
  });

  it("store an e-mail address in lower case, by body and file (conventions §9)", async () => {
    await define({ key: "mail", data_type: "email" });
    const { id, custom: shown } = await made({ plan: "pro", mail: " Anna@Example.com " });
    expect(shown.mail).to.equal("anna@example.com");
    const file = (address: string) => `id,name,custom.mail\n${id},Acme,${address}\n`;
    expect(await importSheet(tenant.owner, "company", file("ANNA@example.com"))).to.deep.include({ unchanged: 1 });
    expect(await importSheet(tenant.owner, "company", file("Bo@example.com"))).to.deep.include({ updated: 1 });
    expect((await storedOf(id)).mail).to.equal("bo@example.com");
  });

  it("are the complete set on a PATCH that sends them", async () => {
    const { id } = await made({ plan: "pro", seats: 5 });
    expect((await patch(id, { custom: { plan: "basic" } })).body.custom).to.deep.equal({ plan: "basic" });
    expect(refusalOf(await patch(id, { custom: {} }))).to.deep.equal(invalidOn({ plan: "errors.required" }));
    expect(refusalOf(await patch(id, { custom: null }))).to.deep.equal(invalidOn({ plan: "errors.required" }));
    expect(refusalOf(await patch(id, { custom: { plan: "gold", seats: 51, x: 1 } }))).to.deep.equal(
      invalidOn({ plan: custom("invalid_option"), seats: custom("out_of_range"), x: custom("unknown_field") }),
    );
    expect(await storedOf(id)).to.deep.equal({ plan: "basic" });
  });

  it("are reported together with the company's own errors", async () => {
    expect(refusalOf(await create({ custom: { x: 1 }, invoice_email: "nobody" }))).to.deep.equal(
      invalidOn({ plan: "errors.required", x: custom("unknown_field"), invoice_email: "errors.invalid_email" }),
    );
  });

  it("are left alone by a PATCH without them, after any change of their definitions", async () => {
    const { id } = await made({ plan: "pro" });
    await define({ key: "later", required: true });
    await redefine(planId, { options_json: [] });
    const { status, body } = await patch(id, { name: "Renamed" });
    expect([status, body.custom]).to.deep.equal([200, { plan: "pro" }]);
  });

  it("stay readable when a definition changes, is deactivated or deleted, and fail only when sent again", async () => {
    const { id } = await made({ plan: "pro", seats: 5 });
    const again = async () => {
      expect(await storedOf(id)).to.deep.equal({ plan: "pro", seats: 5 });
      return refusalOf(await patch(id, { custom: { plan: "pro", seats: 5 } }));
    };
    await redefine(planId, { options_json: [{ value: "basic" }] });
    expect(await again()).to.deep.equal(invalidOn({ plan: custom("invalid_option") }));
    await redefine(planId, { active: false });
    expect(await again()).to.deep.equal(invalidOn({ plan: custom("unknown_field") }));
    await tenant.owner.delete(`${DEFINITIONS}/${planId}`);
    expect(await again()).to.deep.equal(invalidOn({ plan: custom("unknown_field") }));
    expect((await create({})).status).to.equal(201);
  });

  it("follow definitions of companies of this organisation only", async () => {
    await define({ key: "elsewhere", entity_type: "contact", required: true });
    const other = await service.tenant();
    await define({ key: "foreign", required: true }, other);
    expect((await create({ custom: { plan: "pro" } })).status).to.equal(201);
    expect(refusalOf(await create({ custom: { plan: "pro", foreign: 1, elsewhere: 1 } }))).to.deep.equal(
      invalidOn({ foreign: custom("unknown_field"), elsewhere: custom("unknown_field") }),
    );
  });

  it("are refused by the first hundred, for any number of unknown keys", async () => {
    const sent = Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`k${n}`, 1]));
    const { status, body, text } = await create({ custom: { plan: "pro", ...sent } });
    expect([status, Object.keys(body.error.fields)]).to.deep.equal([422, Array.from({ length: 100 }, (_, n) => `k${n}`)]);
    expect(text.length).to.be.lessThan(10_000);
  });

  it("are looked at once each, by a hundred patterns that repeat what repeats", async () => {
    const keys = Array.from({ length: 100 }, (_, n) => `p${n}`);
    await service.sql.query(
      `insert into custom_field_definitions (id, organisation_id, entity_type, key, data_type, config_json)
       select gen_random_uuid(), $1, 'company', k, 'text', '{"regex": "^(a+)+N$"}' from unnest($2::text[]) k`,
      [tenant.organisation.id, keys],
    );
    const value = "a".repeat(1000);
    const refused = await create({ custom: { plan: "pro", ...Object.fromEntries(keys.map((key) => [key, value])) } });
    expect(refused.status).to.equal(422);
    expect(Object.keys(refused.body.error.fields)).to.have.members(keys);
    const { status } = await create({ custom: { plan: "pro", p0: `${value}N` } });
    expect(status).to.equal(201);
  });

  it("are never filled in with a default", async () => {
    await redefine(planId, { required: false, config_json: { default: "pro" } });
    expect((await made({})).custom).to.deep.equal({});
  });

  it("are not an order and not a filter of the list", async () => {
    await made({ plan: "pro" });
    const sorted = await tenant.owner.get("/companies?sort=custom.plan");
    expect(refusalOf(sorted)).to.deep.equal([400, "invalid_sort", { sort: "errors.invalid_sort" }]);
    expect((await tenant.owner.get("/companies?q=pro")).body.total).to.equal(0);
  });

  it("obey a definition from the moment its write is answered", async () => {
    for (let n = 0; n < 20; n++) {
      const key = `field_${n}`;
      const answers = await Promise.all([
        define({ key, required: true }),
        ...Array.from({ length: 4 }, () => create({ custom: { plan: "pro" } })),
      ]);
      for (const answer of answers.slice(1) as { status: number }[]) expect(answer.status).to.be.oneOf([201, 422]);
      expect(refusalOf(await create({ custom: { plan: "pro" } }))).to.deep.equal(invalidOn({ [key]: "errors.required" }));
      await redefine(answers[0] as string, { required: false });
      expect((await create({ custom: { plan: "pro" } })).status).to.equal(201);
    }
  });

  it("obey a definition that was changed past this node", async () => {
    await made({ plan: "pro" });
    await service.sql.query("update custom_field_definitions set active = false where id = $1", [planId]);
    expect((await create({})).status).to.equal(201);
    await service.sql.query("update custom_field_definitions set active = true where id = $1", [planId]);
    expect(refusalOf(await create({}))).to.deep.equal(invalidOn({ plan: "errors.required" }));
    await service.sql.query("delete from custom_field_definitions where id = $1", [planId]);
    expect((await create({})).status).to.equal(201);
  });

  describe("in statements", () => {
    const costOf = async (work: () => Promise<Answer>, expected: number) => {
      const { status, text, statements } = await work();
      expect(status, text).to.equal(expected);
      return statements;
    };

    it("cost one at the first use after a change, then none: not with required fields, not with values", async () => {
      const bare = await service.tenant();
      const without = (of: Tenant, body = {}) => costOf(() => of.owner.post("/companies", { name: "Acme", ...body }), 201);
      await bare.company();
      const floor = await without(bare);
      const values = { custom: { plan: "pro", seats: 3 } };
      await made({ plan: "pro" });
      expect(await without(tenant, values)).to.equal(floor);

      await define({ key: "extra" });
      // The definition moved the access revision: the node reloads the principal, and with the first write the definitions and everything else
      // cached by the revision: rules of automation, with their licence and record, the events of webhooks, statuses with task templates, and whether the workspace makes
      // folders.
      await tenant.owner.get("/companies");
      expect(await without(tenant, values)).to.equal(floor + 1 + 6);
      expect(await without(tenant, values)).to.equal(floor);

      const { id } = await made({ plan: "pro" });
      const [plain, sent] = [
        await costOf(() => patch(id, { notes: "n" }), 200),
        await costOf(() => patch(id, { custom: { plan: "basic" } }), 200),
      ];
      expect(sent).to.equal(plain);
    });
  });

  describe("written by the service itself", () => {
    const asSystem = <T>(work: () => Promise<T>) => inTenancy(() => systemRequest("test", tenant.organisation, "write"), work);

    it("are validated as well, by definitions read once for a transaction", async () => {
      const refused = await asSystem(() => createCompany({ name: "Acme" })).catch((error) => error.data.fields);
      expect(refused).to.deep.equal({ plan: "errors.required" });
      await redefine(planId, { required: false });
      const tally = { statements: 0 };
      await counted(tally, () =>
        asSystem(async () => {
          for (let n = 0; n < 10; n++) await customValues("company", { seats: `${n + 1}` }, "create");
        }),
      );
      expect(tally.statements).to.equal(1);
    });

    it("come from customValues as in every module", async () => {
      await asSystem(async () => {
        expect(await customValues("company", undefined, "update")).to.equal(undefined);
        expect(await customValues("contact", undefined, "create")).to.deep.equal({});
        expect(await customValues("contact", null, "update")).to.deep.equal({});
        expect(await customValues("company", { plan: "pro", seats: "7" }, "update")).to.deep.equal({ plan: "pro", seats: 7 });
        const refused = await customValues("company", undefined, "create").catch((error) => error.data.fields);
        expect(refused).to.deep.equal({ plan: "errors.required" });
      });
    });
  });
});
