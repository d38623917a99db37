import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { eventsOf, invalidOn, refusalOf } from "./company-records.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe("POST /companies", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const create = (body: unknown) => tenant.owner.post("/companies", body);
  const total = async () => (await tenant.owner.get("/companies?limit=1")).body.total as number;

  it("needs no more than a name and gives every field", async () => {
    const { status, body, headers } = await create({ name: "Acme" });
    expect(status).to.equal(201);
    expect(headers["etag"]).to.equal('"1"');
    expect(body.id).to.match(UUID);
    expect(body.created_at).to.equal(body.updated_at);
    expect(body).to.deep.equal({
      id: body.id,
      org_id: tenant.organisation.id,
      name: "Acme",
      legal_name: null,
      client_number: "0001",
      website: null,
      phone: null,
      invoice_email: null,
      vat_number: null,
      coc_number: null,
      address_line1: null,
      house_number: null,
      address_line2: null,
      postal_code: null,
      city: null,
      country: null,
      notes: null,
      status: "active",
      responsible_user_id: null,
      assignees: [],
      logo_file_id: null,
      custom: {},
      hours: null,
      created_at: body.created_at,
      updated_at: body.updated_at,
    });
  });

  it("stores every field as the rules say", async () => {
    const values = {
      name: "Acme",
      legal_name: "Acme Holding B.V.",
      client_number: "K-7",
      website: "acme.test",
      invoice_email: "Pay@Acme.Test",
      phone: "020 123 4567",
      vat_number: "NL001234567B01",
      coc_number: "12345678",
      address_line1: "Damrak",
      house_number: "1 bis",
      address_line2: "2e etage",
      postal_code: "1012 LG",
      city: "Amsterdam",
      country: "nl",
      notes: "**vip** <b onclick=x>!</b>",
      status: "lead",
    };
    const stored = { ...values, invoice_email: "pay@acme.test", phone: "+31201234567", notes: "**vip** !" };
    const { body } = await create(values);
    expect(body).to.include(stored);
    expect((await tenant.owner.get(`/companies/${body.id}`)).body).to.deep.equal(body);
  });

  it("trims the name, which the event gives too", async () => {
    const { body } = await create({ name: "  Acme  Holding " });
    expect(body.name).to.equal("Acme  Holding");
    expect((await eventsOf(service.sql, body.id)).map(({ payload }) => payload["title"])).to.deep.equal(["Acme  Holding"]);
  });

  it("accepts every status, active by default", async () => {
    for (const status of ["lead", "onboarding", "active", "offboarding", "archived"])
      expect((await create({ name: "S", status })).body.status).to.equal(status);
    expect((await create({ name: "S", status: null })).body.status).to.equal("active");
    expect(refusalOf(await create({ name: "S", status: "gone" }))).to.deep.equal(invalidOn({ status: "errors.validation" }));
  });

  it("takes null on an optional field as not sent", async () => {
    const nothing = {
      legal_name: null,
      client_number: null,
      phone: null,
      assignees: null,
      responsible_user_id: null,
      custom: null,
    };
    const { status, body } = await create({ name: "Nulls", ...nothing });
    expect(status).to.equal(201);
    expect(body).to.include({ legal_name: null, phone: null, responsible_user_id: null });
    expect(body.client_number).to.match(/^\d{4}$/);
    expect(body.custom).to.deep.equal({});
  });

  it("stores null for blanks", async () => {
    const blanks = ["legal_name", "website", "phone", "invoice_email", "vat_number", "coc_number", "city", "country", "notes"];
    const { status, body } = await create({ name: "Blanks", ...Object.fromEntries(blanks.map((field) => [field, "  "])) });
    expect(status).to.equal(201);
    for (const field of blanks) expect(body[field], field).to.equal(null);
  });

  it("never copies the name into the legal name, and allows the same name twice", async () => {
    const [one, other] = [await create({ name: "Twin" }), await create({ name: "Twin" })];
    expect([one.status, other.status]).to.deep.equal([201, 201]);
    expect(one.body.legal_name).to.equal(null);
  });

  it("ignores unknown keys, and ids, organisation and timestamps", async () => {
    const other = await service.tenant();
    const { status, body } = await create({
      name: "Own",
      id: "00000000-0000-4000-8000-000000000001",
      org_id: other.organisation.id,
      organisation_id: other.organisation.id,
      created_at: "2001-01-01T00:00:00Z",
      updated_at: "2001-01-01T00:00:00Z",
      logo_file_id: "00000000-0000-4000-8000-000000000001",
      hours: { spent_hours: 9 },
      version: 99,
      search_text: "x",
      nonsense: { a: 1 },
    });
    expect(status).to.equal(201);
    expect(body.id).to.match(UUID);
    expect(body.org_id).to.equal(tenant.organisation.id);
    expect(body.created_at).not.to.contain("2001");
    expect([body.logo_file_id, body.hours]).to.deep.equal([null, null]);
    expect(body).not.to.have.any.keys("nonsense", "version", "search_text", "organisation_id");
    expect((await other.owner.get("/companies")).body.total).to.equal(0);
  });

  describe("refuses with 422", () => {
    const long = (length: number) => "x".repeat(length);
    const rows: [what: string, body: Record<string, unknown>, fields: Record<string, string>][] = [
      ["a missing name", {}, { name: "errors.required" }],
      ["an empty name", { name: "" }, { name: "errors.validation" }],
      ["a white-space name", { name: " \t " }, { name: "errors.validation" }],
      ["a name that is no text", { name: 7 }, { name: "errors.validation" }],
      ["a name over 255", { name: long(256) }, { name: "errors.validation" }],
      ["a legal name over 255", { name: "A", legal_name: long(256) }, { legal_name: "errors.validation" }],
      ["a number over 40", { name: "A", client_number: long(41) }, { client_number: "errors.validation" }],
      ["a website over 512", { name: "A", website: long(513) }, { website: "errors.validation" }],
      ["a phone over 32", { name: "A", phone: `+31${long(30)}` }, { phone: "errors.validation" }],
      ["a VAT number over 32", { name: "A", vat_number: long(33) }, { vat_number: "errors.validation" }],
      ["a house number over 32", { name: "A", house_number: long(33) }, { house_number: "errors.validation" }],
      ["a postal code over 16", { name: "A", postal_code: long(17) }, { postal_code: "errors.validation" }],
      ["a city over 120", { name: "A", city: long(121) }, { city: "errors.validation" }],
      ["a country of one letter", { name: "A", country: "N" }, { country: "errors.validation" }],
      ["a country of three letters", { name: "A", country: "NLD" }, { country: "errors.validation" }],
      ["an e-mail without host", { name: "A", invoice_email: "pay@" }, { invoice_email: "errors.invalid_email" }],
      ["an unknown phone", { name: "A", phone: "12" }, { phone: "errors.invalid_phone" }],
      ["a custom value nobody defined", { name: "A", custom: { x: 1 } }, { x: "customfields.errors.unknown_field" }],
      ["custom values that are no object", { name: "A", custom: [] }, { custom: "errors.validation" }],
      ["a roster that is no list", { name: "A", assignees: {} }, { assignees: "errors.validation" }],
      ["an entry of the roster that is no object", { name: "A", assignees: ["x"] }, { "0": "errors.validation" }],
      ["an entry of the roster without person", { name: "A", assignees: [{}] }, { user_id: "errors.required" }],
      ["a responsible that is no id", { name: "A", responsible_user_id: "x" }, { responsible_user_id: "errors.validation" }],
      [
        "several fields, all of them named",
        { legal_name: long(256), status: "x", city: 1 },
        { name: "errors.required", legal_name: "errors.validation", status: "errors.validation", city: "errors.validation" },
      ],
    ];
    for (const [what, body, fields] of rows)
      it(what, async () => {
        const before = await total();
        const answer = await create(body);
        expect(refusalOf(answer)).to.deep.equal(invalidOn(fields));
        expect(answer.body.error.message).to.equal("errors.validation");
        expect(await total()).to.equal(before);
      });
  });

  it("counts characters, not bytes or halves of them", async () => {
    const emoji = (count: number) => "😀".repeat(count);
    expect((await create({ name: emoji(255) })).body.name).to.equal(emoji(255));
    expect((await create({ name: emoji(256) })).status).to.equal(422);
    expect((await create({ name: "W", website: emoji(512) })).body.website).to.equal(emoji(512));
    expect((await create({ name: "W", website: emoji(513) })).status).to.equal(422);
    expect((await create({ name: "N", client_number: emoji(40) })).body.client_number).to.equal(emoji(40));
  });

  describe("links", () => {
    const refused = ["javascript:x", "JavaScript:x", " data:text/html,x", "vbscript:x", "file:///etc/passwd"];
    const disguised = ["java\u0001script:x", "\u0007javascript:x", "java\tscr\nipt:x", "java script :x", "da\u0085ta:x"];
    const spaced = ["java\u2003script:x", "\u3000javascript:x", "java\u1680script:x", "java\u202fscript:x"];
    for (const website of [...refused, ...disguised, ...spaced])
      it(`refuses ${JSON.stringify(website)}`, async () => {
        expect(refusalOf(await create({ name: "L", website }))).to.deep.equal(invalidOn({ website: "errors.validation" }));
      });

    for (const website of [
      "acme.test",
      "https://acme.test/?q=javascript:x",
      "mailto:a@b.nl",
      "tel:+31",
      "javascript.test",
      "HTTP://A b",
    ])
      it(`keeps ${website}`, async () => {
        expect((await create({ name: "L", website })).body.website).to.equal(website);
      });
  });

  it("answers 403 without the permission, for any body", async () => {
    const member = await tenant.member("member");
    expect((await member.post("/companies", { name: "" })).status).to.equal(403);
    expect((await member.post("/companies", "{")).status).to.equal(403);
  });
});
