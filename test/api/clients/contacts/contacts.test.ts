import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf, trailOf } from "../companies/company-records.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const notFound = [404, "not_found", null];
const taken = [409, "conflict", { email: "errors.contact_email_exists" }];
const WRITE = ["contacts.contact.read", "contacts.contact.write"];

describe("contacts", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const create = (body: unknown, who: Caller = tenant.owner) => who.post("/contacts", body);
  const made = async (body: object) => (await create({ first_name: "Anna", ...body })).body;
  const patch = (id: string, body: unknown, who: Caller = tenant.owner) => who.patch(`/contacts/${id}`, body);
  const countOf = async (table = "contacts") =>
    (await service.sql.query(`select count(*)::int as n from ${table} where organisation_id = $1`, [tenant.organisation.id]))
      .rows[0].n;

  describe("POST /contacts", () => {
    it("answers with every field; omitted ones are null, {} or []", async () => {
      const { status, body, headers } = await create({ first_name: "Anna" });
      expect(status).to.equal(201);
      expect(headers["etag"]).to.equal('"1"');
      expect(body).to.deep.equal({
        id: body.id,
        org_id: tenant.organisation.id,
        first_name: "Anna",
        last_name: null,
        job_title: null,
        email: null,
        phone: null,
        other_emails: [],
        other_phones: [],
        birthday: null,
        notes: null,
        custom: {},
        companies: [],
        created_at: body.created_at,
        updated_at: body.created_at,
      });
      expect((await tenant.owner.get(`/contacts/${body.id}`)).body).to.deep.equal(body);
    });

    it("stores the input by the rules of each field", async () => {
      const sent = {
        first_name: " Anna ",
        last_name: " ",
        email: " A@B.nl ",
        phone: "030 231 2345",
        notes: "<i>x</i>",
        job_title: "CEO",
      };
      expect((await create(sent)).body).to.include({
        first_name: "Anna",
        last_name: null,
        email: "A@B.nl",
        phone: "+31302312345",
        notes: "x",
        job_title: "CEO",
      });
    });

    const refused: [what: string, body: object, fields: Record<string, string>][] = [
      ["without a first name", {}, { first_name: "errors.required" }],
      ["with an empty first name", { first_name: "" }, { first_name: "errors.validation" }],
      ["with a first name of spaces", { first_name: " " }, { first_name: "errors.validation" }],
      ["with a first name over 255 characters", { first_name: "x".repeat(256) }, { first_name: "errors.validation" }],
      ["with an e-mail over 320 characters", { first_name: "A", email: "x".repeat(321) }, { email: "errors.validation" }],
      ["with a phone over 64 characters", { first_name: "A", phone: "1".repeat(65) }, { phone: "errors.validation" }],
      ["with a phone no plan knows", { first_name: "A", phone: "12" }, { phone: "errors.invalid_phone" }],
      ["with a company id that is none", { first_name: "A", company_ids: ["x"] }, { "0": "errors.validation" }],
      ["with custom values nobody defined", { first_name: "A", custom: { x: 1 } }, { x: "customfields.errors.unknown_field" }],
    ];
    for (const [what, body, fields] of refused)
      it(`refuses one ${what}`, async () => {
        expect(refusalOf(await create(body))).to.deep.equal(invalidOn(fields));
        expect(await countOf()).to.equal(0);
      });

    it("makes each link primary exactly where its company has no primary yet", async () => {
      const [b, a] = [await tenant.company({ name: "bakker" }), await tenant.company({ name: "Aannemer" })];
      const first = await made({ first_name: "First", company_ids: [b.id] });
      expect(first.companies).to.deep.equal([{ company_id: b.id, name: "bakker", is_primary: true, contact_type_id: null }]);
      const second = await made({ first_name: "Second", company_ids: [b.id, a.id, b.id.toUpperCase()] });
      expect(second.companies).to.deep.equal([
        { company_id: a.id, name: "Aannemer", is_primary: true, contact_type_id: null },
        { company_id: b.id, name: "bakker", is_primary: false, contact_type_id: null },
      ]);
    });

    it("needs contacts.link.write for companies, before anything is written", async () => {
      const { id } = await tenant.company();
      const writer = await tenant.member("member", { grants: WRITE });
      expect(refusalOf(await create({ first_name: "A", company_ids: [id], phone: "12" }, writer))).to.deep.equal([
        403,
        "forbidden",
        null,
      ]);
      expect(await countOf()).to.equal(0);
      expect((await create({ first_name: "A", company_ids: [] }, writer)).status).to.equal(201);
      const linker = await tenant.member("member", { grants: [...WRITE, "contacts.link.write"] });
      expect((await create({ first_name: "A", company_ids: [id] }, linker)).status).to.equal(201);
    });

    it("answers 404 to a company that is unknown, another organisation's or outside the selection, and writes nothing", async () => {
      const [seen, hidden] = [await tenant.company(), await tenant.company()];
      const foreign = await (await service.tenant()).company();
      const staff = await tenant.member("member");
      await tenant.group("Seen", [seen.id], [staff.membershipId]);
      for (const [who, id] of [
        [tenant.owner, UNKNOWN],
        [tenant.owner, foreign.id],
        [staff, hidden.id],
      ] as const)
        expect(refusalOf(await create({ first_name: "A", company_ids: [seen.id, id] }, who))).to.deep.equal(notFound);
      expect([await countOf(), await countOf("contact_links")]).to.deep.equal([0, 0]);
      expect((await create({ first_name: "A", company_ids: [seen.id] }, staff)).body.companies[0].company_id).to.equal(seen.id);
    });

    it("of several at the same moment makes exactly one primary", async () => {
      const { id } = await tenant.company();
      const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => create({ first_name: `P${n}`, company_ids: [id] })));
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(8).fill(201));
      expect(answers.filter(({ body }) => body.companies[0].is_primary)).to.have.length(1);
    });
  });

  describe("the e-mail address", () => {
    it("is unique in the organisation ignoring case; any number have none", async () => {
      await made({ email: "Élise@Example.com" });
      expect(refusalOf(await create({ first_name: "B", email: " éLISE@example.COM" }))).to.deep.equal(taken);
      for (const email of [null, "", undefined]) expect((await create({ first_name: "B", email })).status).to.equal(201);
      const other = await service.tenant();
      expect((await other.owner.post("/contacts", { first_name: "B", email: "élise@example.com" })).status).to.equal(201);
    });

    it("is refused on a change too, except for its own", async () => {
      await made({ email: "a@example.com" });
      const { id } = await made({ email: "b@example.com" });
      expect(refusalOf(await patch(id, { email: "A@example.com" }))).to.deep.equal(taken);
      expect((await patch(id, { email: "B@EXAMPLE.com" })).body.email).to.equal("B@EXAMPLE.com");
      expect((await patch(id, { email: "B@EXAMPLE.com", first_name: "X" })).status).to.equal(200);
    });

    it("conflicts even with a contact outside the caller's selection", async () => {
      const [seen, hidden] = [await tenant.company(), await tenant.company()];
      await made({ email: "a@example.com", company_ids: [hidden.id] });
      const staff = await tenant.member("member");
      await tenant.group("Seen", [seen.id], [staff.membershipId]);
      expect(refusalOf(await create({ first_name: "B", email: "a@example.com" }, staff))).to.deep.equal(taken);
    });

    it("succeeds in exactly one of several parallel creates", async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          create({ first_name: `P${n}`, email: n % 2 ? "same@example.com" : "SAME@example.com" }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, ...Array(7).fill(409)]);
      expect(await countOf()).to.equal(1);
    });

    it("that old data holds twice does not stop other changes", async () => {
      const [one, other] = [await made({ email: "a@example.com" }), await made({ email: "b@example.com" })];
      await service.sql.query("update contacts set email = 'a@example.com' where id = $1", [other.id]);
      expect((await patch(one.id, { job_title: "CEO", email: "a@example.com" })).status).to.equal(200);
    });
  });

  describe("PATCH /contacts/{contact_id}", () => {
    it("changes the sent fields and leaves the rest", async () => {
      const before = await made({ last_name: "de Vries", phone: "030 231 2345", notes: "n" });
      const { body } = await patch(before.id, { last_name: null, job_title: "CEO", company_ids: [UNKNOWN], id: UNKNOWN });
      expect(body).to.deep.equal({ ...before, last_name: null, job_title: "CEO", updated_at: body.updated_at });
      expect(body.updated_at > before.updated_at).to.equal(true);
    });

    const refused: [body: object, fields: Record<string, string>][] = [
      [{ first_name: null }, { first_name: "errors.validation" }],
      [{ first_name: " " }, { first_name: "errors.validation" }],
      [{ phone: "12" }, { phone: "errors.invalid_phone" }],
      [{ custom: { x: 1 } }, { x: "customfields.errors.unknown_field" }],
    ];
    for (const [body, fields] of refused)
      it(`refuses ${JSON.stringify(body)}`, async () => {
        const { id } = await made({});
        expect(refusalOf(await patch(id, body))).to.deep.equal(invalidOn(fields));
      });

    it("takes custom: null for {} and does not look at custom values that are not sent", async () => {
      const { id } = await made({});
      await service.sql.query(`update contacts set custom = '{"gone": 1}' where id = $1`, [id]);
      expect((await patch(id, { job_title: "CEO" })).body.custom).to.deep.equal({ gone: 1 });
      expect((await patch(id, { custom: null })).body.custom).to.deep.equal({});
    });

    it("keeps a phone from before the rules through unrelated edits", async () => {
      const { id } = await made({});
      await service.sql.query("update contacts set phone = 'ask Jan' where id = $1", [id]);
      expect((await patch(id, { phone: "ask Jan", first_name: "B" })).body).to.include({ phone: "ask Jan", first_name: "B" });
    });

    it("writes nothing when nothing changes", async () => {
      const before = await made({ email: "a@example.com" });
      const answer = await patch(before.id, { first_name: "Anna", email: " a@example.com", notes: "" });
      expect([answer.body, answer.headers["etag"]]).to.deep.equal([before, '"1"']);
      expect(await trailOf(service.sql, "contact", before.id)).to.have.length(1);
    });
  });

  it("leave a trail of the tracked fields that really changed; notes and custom values are never in it", async () => {
    const { id } = await made({ last_name: "Old", email: "a@example.com" });
    await patch(id, { first_name: "Eva", last_name: "New", email: null, phone: "030 231 2345", job_title: "CEO", notes: "n" });
    await patch(id, { notes: "other" });
    const lines = await trailOf(service.sql, "contact", id);
    expect(lines.map(({ action, payload }) => [action, payload])).to.deep.equal([
      ["created", {}],
      [
        "updated",
        {
          changes: {
            first_name: { from: "Anna", to: "Eva" },
            last_name: { from: "Old", to: "New" },
            email: { from: "a@example.com", to: null },
            phone: { from: null, to: "+31302312345" },
            job_title: { from: null, to: "CEO" },
          },
        },
      ],
    ]);
  });

  describe("DELETE /contacts/{contact_id}", () => {
    it("removes the contact and its links; company and trail survive", async () => {
      const company = await tenant.company();
      const { id } = await made({ company_ids: [company.id] });
      expect((await tenant.owner.delete(`/contacts/${id}`)).status).to.equal(204);
      expect(refusalOf(await tenant.owner.get(`/contacts/${id}`))).to.deep.equal(notFound);
      expect(await countOf("contact_links")).to.equal(0);
      expect((await tenant.owner.get(`/companies/${company.id}`)).status).to.equal(200);
      expect(await trailOf(service.sql, "contact", id)).to.have.length(1);
    });

    it("needs contacts.contact.delete", async () => {
      const { id } = await made({});
      expect((await (await tenant.member("member")).delete(`/contacts/${id}`)).status).to.equal(403);
    });
  });

  it("survive their company, which takes the links along", async () => {
    const company = await tenant.company();
    const { id, updated_at: before } = await made({ company_ids: [company.id] });
    await tenant.owner.delete(`/companies/${company.id}`);
    const { body } = await tenant.owner.get(`/contacts/${id}`);
    expect(body.companies).to.deep.equal([]);
    expect(body.updated_at > before).to.equal(true);
  });
});
