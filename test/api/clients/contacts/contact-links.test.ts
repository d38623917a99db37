import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf } from "../companies/company-records.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const notFound = [404, "not_found", null];

interface Link {
  company_id: string;
  is_primary: boolean;
  contact_type_id: string | null;
}

describe("links of contacts to companies", () => {
  let service: TestService;
  let tenant: Tenant;
  let company: string;
  let boss: string;
  let buyer: string;
  let anna: string;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    company = (await tenant.company()).id;
    [boss, buyer] = [await type("boss"), await type("buyer")];
    anna = await contact();
  });
  after(() => service.stop());

  const type = async (key: string) => (await tenant.owner.post("/contacts/types", { key })).body.id as string;
  const contact = async (body: object = {}) =>
    (await tenant.owner.post("/contacts", { first_name: "C", ...body })).body.id as string;
  const post = (id: string, body: unknown, who: Caller = tenant.owner) => who.post(`/contacts/${id}/links`, body);
  const patch = (id: string, body: unknown, who: Caller = tenant.owner, at = company) =>
    who.patch(`/contacts/${id}/links/${at}`, body);
  const unlink = (id: string, who: Caller = tenant.owner, at = company) => who.delete(`/contacts/${id}/links/${at}`);
  const linkOf = async (id: string, at = company): Promise<Omit<Link, "company_id"> | null> => {
    const { companies } = (await tenant.owner.get(`/contacts/${id}`)).body as { companies: Link[] };
    const found = companies.find(({ company_id }) => company_id === at);
    return found ? { is_primary: found.is_primary, contact_type_id: found.contact_type_id } : null;
  };

  /** The state of the link before: absent, or primary and typed as given; and whether another contact is the company's primary. */
  type Before = { link: null | { primary: boolean; typed: boolean }; other: boolean };
  const arrange = async ({ link, other }: Before): Promise<string> => {
    const rival = await contact();
    if (link) await patch(anna, { is_primary: link.primary, contact_type_id: link.typed ? boss : null });
    if (other) await patch(rival, { is_primary: true });
    return rival;
  };
  const reported = ({ link, other }: Before) =>
    `${link ? `a ${link.primary ? "primary" : "plain"} link${link.typed ? " with a type" : ""}` : "no link"}${other ? ", somebody else primary" : ""}`;

  // The answer: whether primary afterwards, the type (b = boss, u = buyer, - = none), and whether the other is still primary.
  const posts: [before: Before, body: object, primary: boolean, type: string, rival: boolean][] = [
    [{ link: null, other: false }, {}, true, "-", false],
    [{ link: null, other: false }, { is_primary: false }, true, "-", false],
    [{ link: null, other: false }, { is_primary: true, contact_type_id: "u" }, true, "u", false],
    [{ link: null, other: true }, {}, false, "-", true],
    [{ link: null, other: true }, { contact_type_id: "u" }, false, "u", true],
    [{ link: null, other: true }, { is_primary: true }, true, "-", false],
    [{ link: { primary: false, typed: true }, other: true }, {}, false, "-", true],
    [{ link: { primary: false, typed: true }, other: true }, { is_primary: true, contact_type_id: "b" }, true, "b", false],
    [{ link: { primary: false, typed: true }, other: false }, {}, true, "-", false],
    [{ link: { primary: false, typed: true }, other: false }, { contact_type_id: null }, true, "-", false],
    [{ link: { primary: true, typed: true }, other: false }, { contact_type_id: "u" }, true, "u", false],
    [{ link: { primary: true, typed: true }, other: false }, { is_primary: false }, true, "-", false],
  ];
  const patches: typeof posts = [
    [{ link: null, other: false }, {}, false, "-", false],
    [{ link: null, other: false }, { is_primary: true, contact_type_id: "u" }, true, "u", false],
    [{ link: null, other: true }, { is_primary: true }, true, "-", false],
    [{ link: { primary: true, typed: true }, other: false }, {}, false, "b", false],
    [{ link: { primary: true, typed: true }, other: false }, { is_primary: false }, false, "b", false],
    [{ link: { primary: true, typed: true }, other: false }, { is_primary: true }, true, "b", false],
    [{ link: { primary: true, typed: true }, other: false }, { is_primary: true, contact_type_id: null }, true, "-", false],
    [{ link: { primary: false, typed: true }, other: true }, { contact_type_id: "u" }, false, "u", true],
    [{ link: { primary: false, typed: true }, other: true }, { is_primary: true }, true, "b", false],
  ];
  const idOf = (letter: string) => ({ b: boss, u: buyer })[letter] ?? null;
  const spelled = (body: object) => {
    const letter = (body as { contact_type_id?: string | null }).contact_type_id;
    return letter === undefined ? body : { ...body, contact_type_id: letter && idOf(letter) };
  };

  describe("POST /contacts/{contact_id}/links", () => {
    for (const [before, body, primary, letter, rivalStays] of posts)
      it(`with ${reported(before)}, ${JSON.stringify(body)} yields ${primary ? "primary" : "plain"}, type ${letter}`, async () => {
        const rival = await arrange(before);
        const answer = await post(anna, { company_id: company, ...spelled(body) });
        expect(answer.status).to.equal(201);
        const expected = { is_primary: primary, contact_type_id: idOf(letter) };
        expect(answer.body.companies).to.have.length(1);
        expect(answer.body.companies[0]).to.include(expected);
        expect(await linkOf(anna)).to.deep.equal(expected);
        expect((await linkOf(rival))?.is_primary ?? false).to.equal(rivalStays);
      });

    it("is idempotent: the second call changes neither row nor tag", async () => {
      const [first, second] = [await post(anna, { company_id: company }), await post(anna, { company_id: company })];
      expect(second.body).to.deep.equal(first.body);
      expect((await tenant.owner.get(`/contacts/${anna}`)).headers["etag"]).to.equal(second.headers["etag"]);
    });

    it("lets one person be primary at several companies", async () => {
      const other = (await tenant.company()).id;
      for (const id of [company, other]) await post(anna, { company_id: id, is_primary: true });
      expect([(await linkOf(anna))?.is_primary, (await linkOf(anna, other))?.is_primary]).to.deep.equal([true, true]);
    });

    it("refuses a body of another shape", async () => {
      expect(refusalOf(await post(anna, {}))).to.deep.equal(invalidOn({ company_id: "errors.required" }));
      expect(refusalOf(await post(anna, { company_id: company, is_primary: "perhaps" }))).to.deep.equal(
        invalidOn({ is_primary: "errors.validation" }),
      );
    });

    it("of several takeovers at the same moment leaves one primary", async () => {
      const people = await Promise.all(Array.from({ length: 6 }, () => contact()));
      const answers = await Promise.all(people.map((id) => post(id, { company_id: company, is_primary: true })));
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(6).fill(201));
      const links = await Promise.all(people.map((id) => linkOf(id)));
      expect(links.filter((link) => link?.is_primary)).to.have.length(1);
    });
  });

  describe("PATCH /contacts/{contact_id}/links/{company_id}", () => {
    for (const [before, body, primary, letter, rivalStays] of patches)
      it(`with ${reported(before)}, ${JSON.stringify(body)} yields ${primary ? "primary" : "plain"}, type ${letter}`, async () => {
        const rival = await arrange(before);
        const answer = await patch(anna, spelled(body));
        expect(answer.status).to.equal(200);
        const expected = { is_primary: primary, contact_type_id: idOf(letter) };
        expect(answer.body.companies[0]).to.include(expected);
        expect(await linkOf(anna)).to.deep.equal(expected);
        expect((await linkOf(rival))?.is_primary ?? false).to.equal(rivalStays);
      });
  });

  describe("DELETE /contacts/{contact_id}/links/{company_id}", () => {
    it("removes the link; the contact survives and no other is promoted", async () => {
      const other = await contact();
      await post(anna, { company_id: company });
      await post(other, { company_id: company });
      expect((await unlink(anna)).status).to.equal(204);
      expect(await linkOf(anna)).to.equal(null);
      expect((await linkOf(other))?.is_primary).to.equal(false);
    });

    it("is 204 without a link, again, and without the contact", async () => {
      for (const id of [anna, anna, UNKNOWN]) expect((await unlink(id)).status).to.equal(204);
    });

    it("heeds If-Match", async () => {
      await post(anna, { company_id: company });
      const stale = await tenant.owner.delete(`/contacts/${anna}/links/${company}`, { headers: { "If-Match": '"99"' } });
      expect(stale.status).to.equal(412);
      expect(await linkOf(anna)).to.not.equal(null);
    });
  });

  it("answer 404 to an unknown contact (POST, PATCH) and company (all three), and write nothing", async () => {
    const foreign = await (await service.tenant()).company();
    for (const at of [UNKNOWN, foreign.id])
      for (const answer of [
        await post(anna, { company_id: at }),
        await patch(anna, {}, tenant.owner, at),
        await unlink(anna, tenant.owner, at),
      ])
        expect(refusalOf(answer)).to.deep.equal(notFound);
    for (const answer of [await post(UNKNOWN, { company_id: company }), await patch(UNKNOWN, {})])
      expect(refusalOf(answer)).to.deep.equal(notFound);
    const { rows } = await service.sql.query("select 1 from contact_links where organisation_id = $1", [tenant.organisation.id]);
    expect(rows).to.deep.equal([]);
  });

  it("refuse a type that this organisation does not have", async () => {
    const other = await service.tenant();
    const foreign = (await other.owner.post("/contacts/types", { key: "boss" })).body.id;
    for (const contact_type_id of [UNKNOWN, foreign])
      for (const answer of [await post(anna, { company_id: company, contact_type_id }), await patch(anna, { contact_type_id })])
        expect(refusalOf(answer)).to.deep.equal(invalidOn({ contact_type_id: "errors.validation" }));
    expect(await linkOf(anna)).to.equal(null);
  });

  it("need contacts.link.write, not contacts.contact.write", async () => {
    const grants = ["contacts.contact.read", "contacts.contact.write", "companies.company.read"];
    const without = await tenant.member("member", { grants });
    for (const answer of [
      await post(anna, { company_id: company }, without),
      await patch(anna, {}, without),
      await unlink(anna, without),
    ])
      expect(answer.status).to.equal(403);
    const withIt = await tenant.member("member", { grants: ["contacts.link.write"] });
    expect((await post(anna, { company_id: company }, withIt)).status).to.equal(201);
  });

  describe("for a restricted caller", () => {
    let staff: Caller;
    let hidden: string;
    beforeEach(async () => {
      hidden = (await tenant.company()).id;
      staff = await tenant.member("member");
      await tenant.group("Seen", [company], [staff.membershipId]);
    });

    it("reach only companies and contacts inside the selection", async () => {
      const theirs = await contact({ company_ids: [hidden] });
      for (const answer of [
        await post(anna, { company_id: hidden }, staff),
        await patch(anna, {}, staff, hidden),
        await unlink(anna, staff, hidden),
        await post(theirs, { company_id: company }, staff),
        await patch(theirs, {}, staff),
      ])
        expect(refusalOf(answer)).to.deep.equal(notFound);
      expect((await unlink(theirs, staff)).status).to.equal(204);
      expect(await linkOf(theirs, hidden)).to.not.equal(null);
    });

    it("give a contact of no company a link, and answer without the links outside", async () => {
      const both = await contact({ company_ids: [company, hidden] });
      expect((await post(anna, { company_id: company }, staff)).status).to.equal(201);
      const { body } = await post(both, { company_id: company, is_primary: true }, staff);
      expect(body.companies.map(({ company_id }: Link) => company_id)).to.deep.equal([company]);
    });

    it("answer the one who has just unlinked a contact from its last visible company", async () => {
      const both = await contact({ company_ids: [company, hidden] });
      expect((await unlink(both, staff)).status).to.equal(204);
      expect((await staff.get(`/contacts/${both}`)).status).to.equal(404);
    });
  });
});
