import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";

type Body = Record<string, unknown>;
interface Pair {
  companies: { id: string; name: string }[];
  contacts: { id: string }[];
  score: number;
  reasons: { field: string; value: string }[];
}

describe("proposed duplicates", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const proposed = async (path = "/companies", caller = tenant.owner): Promise<Pair[]> => {
    const answer = await caller.get(`${path}/duplicates`);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body.total).to.be.at.least(answer.body.items.length);
    return answer.body.items;
  };
  const fieldsOf = (pairs: readonly Pair[]) => pairs.map(({ reasons }) => [...new Set(reasons.map(({ field }) => field))]);
  const contact = async (body: Body): Promise<string> => {
    const answer = await tenant.owner.post("/contacts", body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.id;
  };

  for (const [what, one, other, fields, score] of [
    ["a name without its legal form", { name: "Bakkerij Jansen" }, { name: "bakkerij  JANSEN B.V." }, ["name"], 50],
    ["a name without accents and dots", { name: "Café Zoë GmbH" }, { name: "Cafe Zoe" }, ["name"], 50],
    ["a legal name", { name: "De Zaak" }, { name: "X", legal_name: "De Zaak N.V." }, ["name"], 50],
    ["a register number", { name: "A1", coc_number: "12 34 56 78" }, { name: "B1", coc_number: "12345678" }, ["coc_number"], 60],
    [
      "a VAT number",
      { name: "A2", vat_number: "NL123456789B01" },
      { name: "B2", vat_number: "123456789.b01" },
      ["vat_number"],
      60,
    ],
    ["a domain", { name: "A3", website: "https://www.zaak.example/nl" }, { name: "B3", website: "zaak.example" }, ["domain"], 40],
    [
      "a domain of mail",
      { name: "A4", website: "zaak.example" },
      { name: "B4", invoice_email: "f@zaak.example" },
      ["domain"],
      40,
    ],
    [
      "an address",
      { name: "A5", invoice_email: "f@gmail.com" },
      { name: "B5", invoice_email: "x@y.example; F@GMAIL.com" },
      ["email"],
      40,
    ],
    [
      "everything",
      { name: "Zaak", coc_number: "12345678", vat_number: "NL123456789B01", phone: "0302312345" },
      { name: "Zaak BV", coc_number: "12345678", vat_number: "NL123456789B01", phone: "+31 30 231 2345" },
      ["coc_number", "vat_number", "name", "phone"],
      100,
    ],
  ] as const)
    it(`share ${what}`, async () => {
      const [first, second] = [await tenant.company(one), await tenant.company(other)];
      await tenant.company({ name: "Elsewhere", coc_number: "87654321", website: "elsewhere.example" });
      const pairs = await proposed();
      expect(pairs.map(({ companies }) => companies.map(({ id }) => id))).to.deep.equal([[first.id, second.id]]);
      expect(fieldsOf(pairs)).to.deep.equal([fields]);
      expect(pairs[0]?.score).to.equal(score);
    });

  for (const [what, one, other] of [
    ["a mail host of everybody", { name: "A", invoice_email: "a@gmail.com" }, { name: "B", invoice_email: "b@gmail.com" }],
    ["a telephone number alone", { name: "A", phone: "0302312345" }, { name: "B", phone: "0302312345" }],
    ["a legal form", { name: "A B.V." }, { name: "B B.V." }],
    ["a number of zeros", { name: "A", coc_number: "00000000" }, { name: "B", coc_number: "00000000" }],
  ] as const)
    it(`are not those that share ${what}`, async () => {
      await tenant.company(one);
      await tenant.company(other);
      expect(await proposed()).to.deep.equal([]);
    });

  it("follow changes, and end with a merge", async () => {
    const [first, second] = [await tenant.company({ name: "Zaak" }), await tenant.company({ name: "Other" })];
    expect(await proposed()).to.have.length(0);
    await tenant.owner.patch(`/companies/${second.id}`, { name: "Zaak B.V." });
    expect(await proposed()).to.have.length(1);
    await tenant.owner.patch(`/companies/${second.id}`, { city: "Zeist" });
    expect(await proposed()).to.have.length(1);
    const answer = await tenant.owner.post(`/companies/${first.id}/merge`, { from: second.id });
    expect(answer.status, answer.text).to.equal(200);
    expect(await proposed()).to.have.length(0);
  });

  it("leave out keys of more than ten, and put the likeliest first", async () => {
    for (let index = 0; index < 11; index++) await tenant.company({ name: "Keten", coc_number: `1000000${index % 10}` });
    await tenant.company({ name: "Zaak", website: "zaak.example" });
    await tenant.company({ name: "Zaak", website: "zaak.example" });
    const pairs = await proposed();
    expect(pairs.map(({ score }) => score)).to.deep.equal([90, 60]);
    const limited = (await tenant.owner.get("/companies/duplicates?limit=1")).body;
    expect([limited.items.length, limited.total]).to.deep.equal([1, 2]);
    expect((await tenant.owner.get("/companies/duplicates?limit=101")).status).to.equal(422);
  });

  it("never return once they are dismissed", async () => {
    const ids = [];
    for (let index = 0; index < 3; index++) ids.push((await tenant.company({ name: "Zaak" })).id);
    expect(await proposed()).to.have.length(3);
    const dismiss = (body: unknown) => tenant.owner.post("/companies/duplicates/dismiss", body);
    expect((await dismiss({ ids: ids.slice(1).toReversed() })).body).to.deep.equal({ dismissed: 1 });
    expect(await proposed()).to.have.length(2);
    expect((await dismiss({ ids })).body).to.deep.equal({ dismissed: 2 });
    expect((await dismiss({ ids })).body).to.deep.equal({ dismissed: 0 });
    expect(await proposed()).to.have.length(0);
    const stranger = await service.tenant();
    expect((await dismiss({ ids: [ids[0], (await stranger.company()).id] })).status).to.equal(404);
    expect((await dismiss({ ids: ids.slice(0, 1) })).status).to.equal(422);
  });

  it("are pairs of which the caller sees both", async () => {
    const [first, second, third] = [
      await tenant.company({ name: "Zaak" }),
      await tenant.company({ name: "Zaak" }),
      await tenant.company({ name: "Zaak" }),
    ];
    const member = await tenant.member("admin");
    await tenant.group("Some", [first.id, third.id], [member.membershipId]);
    const pairs = await proposed("/companies", member);
    expect(pairs.map(({ companies }) => companies.map(({ id }) => id))).to.deep.equal([[first.id, third.id]]);
    expect((await member.post("/companies/duplicates/dismiss", { ids: [first.id, second.id] })).status).to.equal(404);
    const weak = await tenant.member("member", { grants: ["companies.company.read"] });
    expect((await weak.get("/companies/duplicates")).status).to.equal(403);
  });

  it("of contacts share a name or an address; a common client makes them likelier", async () => {
    const company = (await tenant.company()).id;
    const [first, second, third] = [
      await contact({ first_name: "Jan", last_name: "de Vries", phone: "0612345678", company_ids: [company] }),
      await contact({ first_name: "JAN", last_name: "De Vries", company_ids: [company] }),
      await contact({ first_name: "J.", phone: "0612345678", company_ids: [company] }),
    ];
    await contact({ first_name: "Jan", company_ids: [company] });
    const pairs = await proposed("/contacts");
    expect(pairs.map(({ contacts }) => contacts.map(({ id }) => id))).to.deep.equal([[first, second]]);
    expect(pairs[0]).to.deep.include({ score: 70 });
    expect(fieldsOf(pairs)).to.deep.equal([["name", "company"]]);
    await tenant.owner.patch(`/contacts/${third}`, { last_name: "Vries", first_name: "Jan de" });
    expect((await proposed("/contacts")).map(({ score }) => score)).to.deep.equal([100, 70, 70]);
    const answer = await tenant.owner.post("/contacts/duplicates/dismiss", { ids: [first, second] });
    expect(answer.body).to.deep.equal({ dismissed: 1 });
    expect(await proposed("/contacts")).to.have.length(2);
  });
});
