import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf } from "../companies/company-records.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const notFound = [404, "not_found", null];
const ALL = ["contacts.contact.read", "contacts.contact.write", "contacts.contact.delete", "contacts.link.write"];

describe("contacts and the client selection", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  const create = (body: unknown, who: Caller = tenant.owner) => who.post("/contacts", body);
  const made = async (body: object) => (await create({ first_name: "Anna", ...body })).body;
  const patch = (id: string, body: unknown, who: Caller = tenant.owner) => who.patch(`/contacts/${id}`, body);
  const countOf = async () =>
    (await service.sql.query("select count(*)::int as n from contacts where organisation_id = $1", [tenant.organisation.id]))
      .rows[0].n;

  let seen: { id: string };
  let hidden: { id: string };
  let ids: Record<"both" | "seen" | "hidden" | "none", string>;
  beforeEach(async () => {
    tenant = await service.tenant();
    [seen, hidden] = [await tenant.company({ name: "Seen" }), await tenant.company({ name: "Hidden" })];
    const of = async (first_name: string, company_ids: string[]) => (await made({ first_name, company_ids })).id as string;
    ids = {
      both: await of("both", [seen.id, hidden.id]),
      seen: await of("seen", [seen.id]),
      hidden: await of("hidden", [hidden.id]),
      none: await of("none", []),
    };
  });
  const restricted = async (role: "member" | "client" = "member", grants = ALL) => {
    const person = await tenant.member(role, role === "member" ? { grants } : {});
    await tenant.group(`For ${person.email}`, [seen.id], [person.membershipId]);
    return person;
  };
  const namesOf = async (who: Caller, query = "") =>
    (await who.get(`/contacts?sort=first_name${query}`)).body.items.map(({ first_name: name }: { first_name: string }) => name);

  it("shows restricted staff the contacts of its companies and those without one, a client login only the first", async () => {
    expect(await namesOf(await restricted())).to.deep.equal(["both", "none", "seen"]);
    expect(await namesOf(await restricted("client"))).to.deep.equal(["both", "seen"]);
    expect(await namesOf(await tenant.member("client"))).to.deep.equal([]);
    expect(await namesOf(await tenant.member("member"))).to.deep.equal(["both", "hidden", "none", "seen"]);
    expect((await (await restricted("client")).get("/contacts")).body.total).to.equal(2);
    expect(await namesOf(await restricted("client"), "&q=n")).to.deep.equal(["seen"]);
  });

  it("names of a contact's companies only those inside", async () => {
    const staff = await restricted();
    for (const answer of [
      (await staff.get(`/contacts/${ids.both}`)).body,
      (await staff.get("/contacts?q=both")).body.items[0],
      (await patch(ids.both, { job_title: "CEO" }, staff)).body,
    ])
      expect(answer.companies.map(({ name }: { name: string }) => name)).to.deep.equal(["Seen"]);
  });

  it("answers 404 to the rest by id, in every method", async () => {
    for (const [who, id] of [
      [await restricted(), ids.hidden],
      [await restricted("client"), ids.none],
    ] as const)
      expect(refusalOf(await who.get(`/contacts/${id}`))).to.deep.equal(notFound);
    const staff = await restricted();
    for (const answer of [await patch(ids.hidden, { first_name: "X" }, staff), await staff.delete(`/contacts/${ids.hidden}`)])
      expect(refusalOf(answer)).to.deep.equal(notFound);
    expect((await staff.get(`/contacts/${ids.none}`)).status).to.equal(200);
  });

  it("answers 404 to a company filter outside it; without a selection an unknown company is an empty page", async () => {
    const staff = await restricted();
    expect(refusalOf(await staff.get(`/contacts?company_id=${hidden.id}`))).to.deep.equal(notFound);
    expect(refusalOf(await staff.get(`/contacts?company_id=${UNKNOWN}`))).to.deep.equal(notFound);
    expect(await namesOf(staff, `&company_id=${seen.id}`)).to.deep.equal(["both", "seen"]);
    expect((await tenant.owner.get(`/contacts?company_id=${UNKNOWN}`)).body).to.deep.include({ items: [], total: 0 });
  });

  it("does not reveal by a type filter a contact's type at a hidden company", async () => {
    const type = (await tenant.owner.post("/contacts/types", { key: "secret" })).body.id;
    await tenant.owner.patch(`/contacts/${ids.both}/links/${hidden.id}`, { contact_type_id: type });
    expect(await namesOf(await restricted(), `&contact_type_id=${type}`)).to.deep.equal([]);
    expect(await namesOf(tenant.owner, `&contact_type_id=${type}`)).to.deep.equal(["both"]);
  });

  it("orders by the companies inside, not by hidden ones", async () => {
    const staff = await restricted();
    const order = async (who: Caller) =>
      (await who.get("/contacts?sort=company")).body.items.map(({ first_name: name }: { first_name: string }) => name);
    // "both" is listed under "Hidden" for the owner and under "Seen", with "seen" and newest first, for the restricted.
    expect(await order(tenant.owner)).to.deep.equal(["hidden", "both", "seen", "none"]);
    expect(await order(staff)).to.deep.equal(["seen", "both", "none"]);
  });

  const external = async (companyIds: string[]) => {
    const person = await tenant.member("member", { grants: ALL });
    const { rows } = await service.sql.query("select id from roles where organisation_id = $1 and key = 'client'", [
      tenant.organisation.id,
    ]);
    await service.sql.query("insert into membership_roles values ($1, $2, $3)", [
      tenant.organisation.id,
      person.membershipId,
      rows[0].id,
    ]);
    if (companyIds.length > 0) await tenant.group(`For ${person.email}`, companyIds, [person.membershipId]);
    return person;
  };

  it("lets a client login create only at its own companies", async () => {
    const before = await countOf();
    const nothing = await external([]);
    for (const company_ids of [undefined, [], [seen.id]])
      expect((await create({ first_name: "A", company_ids }, nothing)).body.error).to.deep.equal({
        code: "forbidden",
        message: "errors.no_company_scope",
      });
    const client = await external([seen.id]);
    expect(refusalOf(await create({ first_name: "A" }, client))).to.deep.equal(
      invalidOn({ company_ids: "errors.contact_company_required" }),
    );
    expect(refusalOf(await create({ first_name: "A", company_ids: [hidden.id] }, client))).to.deep.equal(notFound);
    expect(await countOf()).to.equal(before);
    const { status, body } = await create({ first_name: "A", company_ids: [seen.id] }, client);
    expect([status, body.companies.length]).to.deep.equal([201, 1]);
  });
});
