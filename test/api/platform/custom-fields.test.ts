import { expect } from "chai";
import patterns from "../../../migrations/before-0.3/0019-patterns-of-re2.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { invalidOn, refusalOf, trailOf } from "../clients/companies/company-records.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const DEFINITIONS = "/custom-fields/definitions";
const READ = "settings.customfields.read";

describe("custom field definitions", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const create = (values: object) => tenant.owner.post(DEFINITIONS, { entity_type: "company", data_type: "text", ...values });
  const made = async (values: object) => {
    const answer = await create(values);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const patch = (id: string, body: object) => tenant.owner.patch(`${DEFINITIONS}/${id}`, body);
  const keys = async (query = "entity_type=company") =>
    (await tenant.owner.get(`${DEFINITIONS}?${query}`)).body.map(({ key }: { key: string }) => key);
  const lines = async (id: string) =>
    (await trailOf(service.sql, "custom_field", id)).map(({ action, payload }) => [action, payload]);

  describe("POST /custom-fields/definitions", () => {
    it("needs entity type, key and type; the rest has defaults", async () => {
      const body = await made({ key: "plan" });
      expect(body).to.deep.equal({
        id: body.id,
        org_id: tenant.organisation.id,
        entity_type: "company",
        key: "plan",
        data_type: "text",
        label_i18n: {},
        required: false,
        options_json: [],
        config_json: {},
        position: 0,
        active: true,
        created_at: body.created_at,
        updated_at: body.updated_at,
      });
      expect(refusalOf(await tenant.owner.post(DEFINITIONS, {}))).to.deep.equal(
        invalidOn({ entity_type: "errors.required", key: "errors.required", data_type: "errors.required" }),
      );
    });

    it("keeps labels, options and configuration", async () => {
      const values = {
        data_type: "select",
        label_i18n: { nl: "Pakket", en: "Plan" },
        required: true,
        options_json: [
          { value: "pro", label_i18n: { nl: "Uitgebreid" } },
          { value: "basic", label_i18n: {} },
        ],
        config_json: { default: "basic", help_i18n: { nl: "Kies" } },
        position: -3,
        active: false,
      };
      expect(await made({ key: "plan", ...values })).to.deep.include(values);
    });

    const wrong: [what: string, values: object, fields: Record<string, string>][] = [
      ["a key that begins with a digit", { key: "1a" }, { key: "errors.validation" }],
      ["a key in capitals", { key: "Plan" }, { key: "errors.validation" }],
      ["a key with a dash", { key: "a-b" }, { key: "errors.validation" }],
      ["a key with a line after it", { key: "a\n" }, { key: "errors.validation" }],
      ["a key of 65 characters", { key: "a".repeat(65) }, { key: "errors.validation" }],
      ["an empty key", { key: "" }, { key: "errors.validation" }],
      ["an entity type of 65 characters", { key: "a", entity_type: "a".repeat(65) }, { entity_type: "errors.validation" }],
      ["an unknown type", { key: "a", data_type: "money" }, { data_type: "errors.validation" }],
      ["an option without value", { key: "a", options_json: [{ value: "" }] }, { value: "errors.validation" }],
      ["an option of 129 characters", { key: "a", options_json: [{ value: "x".repeat(129) }] }, { value: "errors.validation" }],
      ["a pattern that does not compile", { key: "a", config_json: { regex: "(" } }, { config_json: "errors.validation" }],
      ["a pattern that looks behind", { key: "a", config_json: { regex: "(?<!a)b" } }, { config_json: "errors.validation" }],
      [
        "a pattern of 1001 characters",
        { key: "a", config_json: { regex: "a".repeat(1001) } },
        { config_json: "errors.validation" },
      ],
      ["a bound that is no number", { key: "a", config_json: { min: "1" } }, { config_json: "errors.validation" }],
      [
        "a key and a pattern",
        { key: "A", config_json: { regex: 1 } },
        { key: "errors.validation", config_json: "errors.validation" },
      ],
    ];
    for (const [what, values, fields] of wrong)
      it(`refuses ${what}`, async () => {
        expect(refusalOf(await create(values))).to.deep.equal(invalidOn(fields));
      });

    it("takes a key of 64 characters and every type", async () => {
      await made({ key: "a".repeat(64) });
      const types = "text long_text number boolean date datetime select multi_select email url phone".split(" ");
      for (const type of types) expect((await made({ key: type, data_type: type })).data_type).to.equal(type);
    });

    it("refuses a key used by the type, even by an inactive definition; elsewhere it is free", async () => {
      await made({ key: "plan", active: false });
      expect(refusalOf(await create({ key: "plan" }))).to.deep.equal([409, "conflict", { key: "errors.conflict" }]);
      await made({ key: "plan", entity_type: "contact" });
      const other = await service.tenant();
      expect((await other.owner.post(DEFINITIONS, { entity_type: "company", data_type: "text", key: "plan" })).status).to.equal(
        201,
      );
    });

    it("stores a definition for an unknown kind of record", async () => {
      expect((await made({ key: "plan", entity_type: "spaceship" })).entity_type).to.equal("spaceship");
      expect(await keys("entity_type=spaceship")).to.deep.equal(["plan"]);
    });
  });

  describe("GET /custom-fields/definitions", () => {
    it("sorts by position, then key", async () => {
      for (const [key, position] of [
        ["b", 1],
        ["a_b", 1],
        ["ab", 1],
        ["z", -1],
        ["c", 0],
      ] as const)
        await made({ key, position });
      expect(await keys()).to.deep.equal(["z", "c", "a_b", "ab", "b"]);
    });

    it("shows one type, and inactive ones only when asked", async () => {
      await made({ key: "shown" });
      await made({ key: "hidden", active: false });
      await made({ key: "elsewhere", entity_type: "contact" });
      expect(await keys()).to.deep.equal(["shown"]);
      expect(await keys("entity_type=company&include_inactive=true")).to.deep.equal(["hidden", "shown"]);
      expect(await keys("entity_type=nothing")).to.deep.equal([]);
    });

    it("shows what changed since an instant", async () => {
      const old = await made({ key: "old" });
      await service.sql.query("update custom_field_definitions set updated_at = '2020-01-01' where id = $1", [old.id]);
      await made({ key: "fresh" });
      expect(await keys("entity_type=company&updated_since=2021-01-01T00:00:00Z")).to.deep.equal(["fresh"]);
    });

    it("needs the entity type", async () => {
      expect(refusalOf(await tenant.owner.get(DEFINITIONS))).to.deep.equal(invalidOn({ entity_type: "errors.required" }));
      expect(refusalOf(await tenant.owner.get(`${DEFINITIONS}?entity_type=`))).to.deep.equal(
        invalidOn({ entity_type: "errors.validation" }),
      );
    });

    it("shows no other organisation's", async () => {
      await made({ key: "mine" });
      const other = await service.tenant();
      expect((await other.owner.get(`${DEFINITIONS}?entity_type=company`)).body).to.deep.equal([]);
    });
  });

  describe("GET /custom-fields/definitions/batch", () => {
    const batch = (query: string) => tenant.owner.get(`${DEFINITIONS}/batch?${query}`);

    it("contains every requested type, in one statement for any number", async () => {
      await made({ key: "b", position: 1 });
      const [company, contact] = [await made({ key: "z" }), await made({ key: "c", entity_type: "contact" })];
      await made({ key: "off", entity_type: "contact", active: false });
      const cost = async (query: string) => {
        await batch(query);
        const { status, body, text, statements } = await batch(query);
        expect(status, text).to.equal(200);
        return [statements, body];
      };
      const [one, single] = await cost("entity_type=contact");
      expect(single).to.deep.equal({ contact: [contact] });
      const [three, several] = await cost("entity_type=contact&entity_type=company&entity_type=nothing&entity_type=contact");
      expect(Object.keys(several).sort()).to.deep.equal(["company", "contact", "nothing"]);
      expect(several).to.deep.include({ contact: [contact], nothing: [] });
      expect(several.company.map(({ key }: { key: string }) => key)).to.deep.equal(["z", "b"]);
      expect(several.company[0]).to.deep.equal(company);
      expect([one, three]).to.deep.equal([1, 1]);
      const all = await batch("entity_type=contact&include_inactive=true");
      expect(all.body.contact.map(({ key }: { key: string }) => key)).to.deep.equal(["c", "off"]);
    });

    it("needs at least one type", async () => {
      expect(refusalOf(await batch(""))).to.deep.equal(invalidOn({ entity_type: "errors.required" }));
    });
  });

  describe("GET /custom-fields/entity-types", () => {
    it("names the kinds of record, sorted", async () => {
      const { body } = await tenant.owner.get("/custom-fields/entity-types");
      expect(body).to.deep.equal([
        "company",
        "contact",
        "domain",
        "hosting",
        "invoice",
        "project",
        "quote",
        "subscription",
        "website",
      ]);
    });
  });

  describe("PATCH /custom-fields/definitions/{definition_id}", () => {
    it("changes the sent fields, and increments its version", async () => {
      const before = await made({ key: "plan", label_i18n: { nl: "Pakket" }, config_json: { max: 3 } });
      const { status, body, headers } = await patch(before.id, { data_type: "number", required: true, position: 4 });
      expect([status, headers["etag"]]).to.deep.equal([200, '"2"']);
      expect(body).to.deep.equal({
        ...before,
        data_type: "number",
        required: true,
        position: 4,
        updated_at: body.updated_at,
      });
      expect(body.updated_at > before.updated_at).to.equal(true);
    });

    it("ignores key and entity type", async () => {
      const before = await made({ key: "plan" });
      expect((await patch(before.id, { key: "other", entity_type: "contact" })).body).to.deep.equal(before);
      expect((await patch(before.id, { key: "NOT A KEY", active: false })).body).to.deep.include({ key: "plan", active: false });
    });

    it("clears labels, options and configuration with null, and nothing else", async () => {
      const cleared = { label_i18n: { nl: "x" }, options_json: [{ value: "x", label_i18n: {} }], config_json: { max: 1 } };
      const { id } = await made({ key: "plan", ...cleared });
      const { body } = await patch(id, { label_i18n: null, options_json: null, config_json: null });
      expect(body).to.deep.include({ label_i18n: {}, options_json: [], config_json: {} });
      const never = { data_type: null, required: null, position: null, active: null };
      expect(refusalOf(await patch(id, never))).to.deep.equal(
        invalidOn(Object.fromEntries(Object.keys(never).map((name) => [name, "errors.validation"]))),
      );
    });

    it("refuses a pattern that does not compile", async () => {
      const { id } = await made({ key: "plan" });
      expect(refusalOf(await patch(id, { config_json: { regex: "[" } }))).to.deep.equal(
        invalidOn({ config_json: "errors.validation" }),
      );
    });

    it("leaves no trace when nothing changes", async () => {
      const before = await made({ key: "plan", config_json: { max: 3 }, options_json: [{ value: "a" }] });
      const { body, headers } = await patch(before.id, { config_json: { max: 3 }, options_json: [{ value: "a" }], active: true });
      expect([body, headers["etag"]]).to.deep.equal([before, '"1"']);
      expect(await lines(before.id)).to.have.length(1);
    });
  });

  it("keep a pattern of an earlier version that is no longer accepted: it demands nothing, and the trail names it", async () => {
    const { id } = await made({ key: "plan", config_json: { regex: "[a-z]+" } });
    const { id: taken } = await made({ key: "code", config_json: { regex: "[A-Z]{2}" } });
    await service.sql.query(`update custom_field_definitions set config_json = '{"regex": "(?=p).+"}' where id = $1`, [id]);
    await patterns.up({ sql: (text, values) => service.sql.query(text, values), application: '"kantoor_app"' });
    expect((await lines(id)).at(-1)).to.deep.equal([
      "pattern_not_supported",
      { entity_type: "company", key: "plan", regex: "(?=p).+" },
    ]);
    expect(await lines(taken)).to.have.length(1);
    const values = { plan: "anything", code: "NL" };
    const { status, body } = await tenant.owner.post("/companies", { name: "Kept", custom: values });
    expect([status, body.custom]).to.deep.equal([201, values]);
  });

  it("are written in the trail, by key, without texts and configuration", async () => {
    const { id } = await made({ key: "plan" });
    await patch(id, { required: true, label_i18n: { nl: "secret" } });
    await tenant.owner.delete(`${DEFINITIONS}/${id}`);
    const name = { entity_type: "company", key: "plan" };
    expect(await lines(id)).to.deep.equal([
      ["created", name],
      ["updated", { ...name, changes: { required: { from: false, to: true } } }],
      ["deleted", name],
    ]);
  });

  it("are deleted for good, and the key is free again", async () => {
    const { id } = await made({ key: "plan" });
    const { status, text } = await tenant.owner.delete(`${DEFINITIONS}/${id}`);
    expect([status, text]).to.deep.equal([204, ""]);
    expect(await keys("entity_type=company&include_inactive=true")).to.deep.equal([]);
    expect((await tenant.owner.delete(`${DEFINITIONS}/${id}`)).status).to.equal(404);
    await made({ key: "plan" });
  });

  it("are 404 if missing", async () => {
    for (const answer of [await patch(UNKNOWN, {}), await tenant.owner.delete(`${DEFINITIONS}/${UNKNOWN}`)])
      expect(refusalOf(answer)).to.deep.equal([404, "not_found", null]);
  });

  it("may be read by members and clients, and written by administrators", async () => {
    for (const [role, status] of [
      ["admin", 201],
      ["member", 403],
      ["client", 403],
    ] as const) {
      const caller = await tenant.member(role);
      expect((await caller.get(`${DEFINITIONS}?entity_type=company`)).status, role).to.equal(200);
      expect((await caller.get("/custom-fields/entity-types")).status, role).to.equal(200);
      const body = { entity_type: "company", key: "made_by_one", data_type: "text" };
      expect((await caller.post(DEFINITIONS, body)).status, role).to.equal(status);
    }
    const reader = await tenant.serviceAccount([READ]);
    expect((await reader.get(`${DEFINITIONS}?entity_type=company`)).status).to.equal(200);
    expect((await reader.delete(`${DEFINITIONS}/${UNKNOWN}`)).status).to.equal(403);
  });
});
