import { expect } from "chai";
import { contactListing } from "../../../../services/clients/contacts/contact.list.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { refusalOf } from "../companies/company-records.ts";

const CLOCK = `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`;

describe("GET /contacts", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const made = async (body: object): Promise<string> => {
    const answer = await tenant.owner.post("/contacts", { first_name: "Anna", ...body });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.id;
  };
  const type = async (key: string) => (await tenant.owner.post("/contacts/types", { key })).body.id as string;
  const link = (id: string, company: string, body: object = {}) =>
    tenant.owner.post(`/contacts/${id}/links`, { company_id: company, ...body });
  const page = async (query = "") => (await tenant.owner.get(`/contacts${query}`)).body;
  const names = async (query = ""): Promise<string[]> =>
    (await page(query)).items.map(({ first_name: name }: { first_name: string }) => name);

  it("gives the newest first, a page at a time, with the true total", async () => {
    for (const first_name of ["a", "b", "c"]) await made({ first_name });
    expect(await names()).to.deep.equal(["c", "b", "a"]);
    const { items, next_cursor, ...rest } = await page("?limit=1&offset=1");
    expect(next_cursor).to.be.a("string");
    expect([items[0].first_name, rest]).to.deep.equal(["b", { total: 3, limit: 1, offset: 1 }]);
    expect((await page("?limit=1&count=false")).total).to.equal(1);
    expect(await page("?offset=9")).to.deep.include({ items: [], total: 3 });
  });

  it("searches first name, last name and e-mail by words, ignoring case and accents", async () => {
    await made({ first_name: "Élise", last_name: "de Vries", email: "e.vries@Example.com", job_title: "Bakker" });
    await made({ first_name: "Bram" });
    for (const q of ["éLI", "DE VRIES", "@example", " elise ", "vries ELISE", '"de vries" @example'])
      expect(await names(`?q=${encodeURIComponent(q)}`), q).to.deep.equal(["Élise"]);
    for (const q of ["Élise Bram", '"Élise de Vries"', "bakker", "%", "_", "\u001f"])
      expect(await names(`?q=${encodeURIComponent(q)}`), q).to.deep.equal([]);
    expect(await names("?q=%20")).to.have.length(2);
    expect((await page("?q=vries")).total).to.equal(1);
  });

  it("filters by company and by type of a link; with both, one link must satisfy both", async () => {
    const [a, b] = [(await tenant.company()).id, (await tenant.company()).id];
    const [boss, buyer] = [await type("boss"), await type("buyer")];
    const split = await made({ first_name: "split" });
    await link(split, a, { contact_type_id: boss });
    await link(split, b, { contact_type_id: buyer });
    const whole = await made({ first_name: "whole" });
    await link(whole, a, { contact_type_id: buyer });
    await link(whole, b, { contact_type_id: buyer });
    await made({ first_name: "none" });
    const cases: [query: string, expected: string[]][] = [
      [`?company_id=${a}`, ["whole", "split"]],
      [`?contact_type_id=${buyer}`, ["whole", "split"]],
      [`?contact_type_id=${boss}`, ["split"]],
      [`?company_id=${a}&contact_type_id=${buyer}`, ["whole"]],
      [`?company_id=${b}&contact_type_id=${boss}`, []],
      [`?company_id=${a}&contact_type_id=${buyer}&q=spl`, []],
    ];
    for (const [query, expected] of cases) {
      expect(await names(query), query).to.deep.equal(expected);
      expect((await page(query)).total, query).to.equal(expected.length);
      for (const sort of Object.keys(contactListing.spec.sorts))
        for (const direction of ["", "-"])
          expect((await names(`${query}&sort=${direction}${sort}`)).sort(), `${query} by ${direction}${sort}`).to.deep.equal(
            expected.toSorted(),
          );
    }
  });

  it("sorts texts without case, empty ones last in both directions, ties newest first", async () => {
    for (const [first_name, last_name] of [
      ["1", "b"],
      ["2", null],
      ["3", "A"],
      ["4", "B"],
      ["5", null],
    ])
      await made({ first_name, last_name });
    expect(await names("?sort=last_name")).to.deep.equal(["3", "4", "1", "5", "2"]);
    expect(await names("?sort=-last_name")).to.deep.equal(["4", "1", "3", "5", "2"]);
    expect(await names("?sort=first_name")).to.deep.equal(["1", "2", "3", "4", "5"]);
    expect(await names("?sort=-created_at")).to.deep.equal(await names());
    expect(await names("?sort=created_at")).to.deep.equal(["1", "2", "3", "4", "5"]);
  });

  it("sorts by the alphabetically first company, without a company last; each contact once", async () => {
    const [a, b, c] = [
      await tenant.company({ name: "aap" }),
      await tenant.company({ name: "Beer" }),
      await tenant.company({ name: "cavia" }),
    ];
    await made({ first_name: "none" });
    await made({ first_name: "c", company_ids: [c.id] });
    await made({ first_name: "b+c", company_ids: [c.id, b.id] });
    await made({ first_name: "a+c", company_ids: [a.id, c.id] });
    expect(await names("?sort=company")).to.deep.equal(["a+c", "b+c", "c", "none"]);
    expect(await names("?sort=-company")).to.deep.equal(["c", "b+c", "a+c", "none"]);
    expect(await names("?sort=-company&q=c")).to.deep.equal(["c", "b+c", "a+c"]);
    expect(await names(`?sort=company&company_id=${c.id}`)).to.deep.equal(["a+c", "b+c", "c"]);
  });

  it("refuses an unknown sort, and filters other than ids", async () => {
    expect(refusalOf(await tenant.owner.get("/contacts?sort=phone"))).to.deep.equal([
      400,
      "invalid_sort",
      { sort: "errors.invalid_sort" },
    ]);
    for (const query of ["company_id=x", "contact_type_id=x", "limit=0", "limit=201", "offset=-1", `q=${"x".repeat(201)}`])
      expect((await tenant.owner.get(`/contacts?${query}`)).status, query).to.equal(422);
  });

  it("supports updated_since; every change of a link touches its contact, and only that", async () => {
    const company = await tenant.company();
    const boss = await type("boss");
    const [id, other] = [await made({ first_name: "mine" }), await made({ first_name: "other" })];
    const steps: [what: string, work: () => Promise<unknown>, touched: string[]][] = [
      ["a link is made", () => link(id, company.id), ["mine"]],
      ["the same link again", () => link(id, company.id), []],
      ["a type is given", () => link(id, company.id, { contact_type_id: boss }), ["mine"]],
      ["another becomes primary", () => link(other, company.id, { is_primary: true }), ["mine", "other"]],
      ["the type goes", () => tenant.owner.delete(`/contacts/types/${boss}`), ["mine"]],
      ["the link goes", () => tenant.owner.delete(`/contacts/${other}/links/${company.id}`), ["other"]],
      ["no link goes", () => tenant.owner.delete(`/contacts/${other}/links/${company.id}`), []],
      ["the company goes", () => tenant.owner.delete(`/companies/${company.id}`), ["mine"]],
    ];
    for (const [what, work, touched] of steps) {
      const since = (await service.sql.query(CLOCK)).rows[0].now;
      await work();
      const query = `?sort=first_name&updated_since=${encodeURIComponent(since)}`;
      expect(await names(query), what).to.deep.equal(touched);
    }
  });

  it("costs the same statements for 3 contacts as for 300, and no COUNT with count=false", async () => {
    const filled = async (count: number) => {
      tenant = await service.tenant();
      const { id } = await tenant.company();
      await service.sql.query(
        `with made as (insert into contacts (id, organisation_id, first_name) select gen_random_uuid(), $1, 'Contact ' || n
           from generate_series(1, $2::int) n returning id)
         insert into contact_links (organisation_id, contact_id, company_id) select $1, id, $3 from made`,
        [tenant.organisation.id, count, id],
      );
      return { owner: tenant.owner, id };
    };
    const [few, many] = [await filled(3), await filled(300)];
    const cost = async ({ owner, id }: typeof few, query: string) => {
      await owner.get("/contacts");
      const { status, statements } = await owner.get(`/contacts?limit=200&${query.replace("{id}", id)}`);
      expect(status).to.equal(200);
      return statements;
    };
    for (const query of ["", "q=contact", "company_id={id}", "sort=company", "count=false"]) {
      expect(await cost(few, query), query).to.be.within(1, 4);
      expect(await cost(many, query), query).to.equal(await cost(few, query));
    }
    for (const q of [undefined, "a"]) {
      const wanted = { limit: 5, offset: 0, count: false, q, selection: [] };
      const [{ text }] = contactListing.page(tenant.organisation.id, wanted).bound;
      expect(/count\(|_matches_/.test(text)).to.equal(false);
    }
  });
});
