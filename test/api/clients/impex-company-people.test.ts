import { expect } from "chai";
import { errorsOf, importSheet, sendSheet } from "../../support/impex.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

const PERSON = "Naam;Klantnummer;Voornaam;Achternaam;E-mail contactpersoon;Mobiel;Functie\n";

describe("POST /impex/company with contact persons", () => {
  let service: TestService;
  let tenant: Tenant;

  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const run = (content: string) => importSheet(tenant.owner, "company", content);
  const tried = async (content: string) => (await sendSheet(tenant.owner, "company", content)).body;
  interface Item extends Record<string, unknown> {
    companies?: Record<string, unknown>[];
  }
  const items = async (path: string): Promise<Item[]> => (await tenant.owner.get(path)).body.items;
  const companies = () => items("/companies?sort=name");
  const contacts = () => items("/contacts?sort=first_name");
  const rowsIn = async (table: string): Promise<number> =>
    (await service.sql.query(`select count(*)::int as n from ${table} where organisation_id = $1`, [tenant.organisation.id]))
      .rows[0].n;
  const type = async (key: string, label_i18n = {}): Promise<string> =>
    (await tenant.owner.post("/contacts/types", { key, label_i18n })).body.id;

  describe("a contact person", () => {
    it("is made with its company, linked as primary, and found again by e-mail", async () => {
      const file = `${PERSON}Bakker;K-1;Jan;de Vries;Jan@B.example;06-12345678;Directeur\n`;
      expect(await run(file)).to.include({ created: 1 });
      const [contact] = await contacts();
      expect(contact).to.include({
        first_name: "Jan",
        last_name: "de Vries",
        email: "Jan@B.example",
        phone: "+31612345678",
        job_title: "Directeur",
      });
      const [company] = await companies();
      expect(contact?.["companies"]).to.deep.equal([
        { company_id: company?.["id"], name: "Bakker", is_primary: true, contact_type_id: null },
      ]);
      expect(await run(file)).to.include({ unchanged: 1 });
      expect(await run(file.replace("Directeur", "Eigenaar").replace("Jan@B", "jan@b"))).to.include({ updated: 1 });
      expect(await contacts()).to.have.length(1);
      expect(await rowsIn("activity")).to.equal(3);
    });

    it("without an address is found by name within its company, and nowhere else", async () => {
      await tenant.owner.post("/contacts", { first_name: "Jan", last_name: "Jansen" });
      const file = `${PERSON}Bakker;K-1;Jan;Jansen;;;\nSlager;K-2;Jan;Jansen;;;\n`;
      expect(await run(file)).to.include({ created: 2 });
      expect(await contacts()).to.have.length(3);
      expect(await run(file)).to.include({ unchanged: 2 });
      expect(await run(`${PERSON}Bakker;K-1;JAN;JANSEN;jan@b.example;;\n`)).to.include({ updated: 1 });
      expect(await contacts()).to.have.length(3);
    });

    it("of two companies is one contact; two people with one address are refused", async () => {
      const both = `${PERSON}Bakker;K-1;Jan;de Vries;jan@b.example;;\nSlager;K-2;Jan;de Vries;JAN@b.example;06-12345678;\n`;
      expect(await run(both)).to.include({ created: 2 });
      const [contact, ...others] = await contacts();
      expect(others).to.deep.equal([]);
      expect(contact?.["companies"]).to.have.length(2);
      expect(contact).to.include({ phone: "+31612345678" });
      expect(await run(both)).to.include({ unchanged: 2 });
      const shared = `${PERSON}Bakker;K-1;Jan;;info@x.example;;\nSlager;K-2;Piet;;info@x.example;;\n`;
      expect(errorsOf(await tried(shared))).to.deep.equal(["3 contact_email impex.errors.duplicate_in_file"]);
    });

    it("gets the type its role names, by key or label, and else a job title", async () => {
      const billing = await type("billing", { nl: "Administratie" });
      await run(`${PERSON}A;1;Een;;;;billing\nB;2;Twee;;;;administratie\nC;3;Drie;;;;Inkoper\n`);
      const links = (await contacts()).map(({ first_name, job_title, companies: [link] = [] }) => [
        first_name,
        job_title,
        link?.contact_type_id,
      ]);
      expect(links).to.deep.equal([
        ["Drie", "Inkoper", null],
        ["Een", null, billing],
        ["Twee", null, billing],
      ]);
      expect(await run(`${PERSON}A;1;Een;;;;\nC;3;Drie;;;;billing\n`)).to.include({ unchanged: 1, updated: 1 });
      expect((await contacts()).filter(({ job_title }) => job_title !== null)).to.have.length(1);
    });

    it("errors are named by their own columns, together with the company's errors", async () => {
      const file = `${PERSON}A;1;;Zonder;;;\nB;2;;;nieuw@x.example;;\n${"x".repeat(256)};3;Jan;;;12;\n`;
      expect(errorsOf(await tried(file))).to.have.members([
        "2 contact_first_name errors.required",
        "3 contact_first_name errors.required",
        "4 name errors.validation",
        "4 contact_phone errors.invalid_phone",
      ]);
    });

    it("is matched even when the file knows nothing but the address, and refused when several have it", async () => {
      const { body: known } = await tenant.owner.post("/contacts", { first_name: "Eva", email: "eva@x.example" });
      expect(await run("Naam;E-mail contactpersoon\nA;eva@x.example\n")).to.include({ created: 1 });
      expect((await tenant.owner.get(`/contacts/${known.id}`)).body.companies).to.have.length(1);
      await service.sql.query(
        "insert into contacts (id, organisation_id, first_name, email) values (gen_random_uuid(), $1, 'Oud', 'EVA@x.example')",
        [tenant.organisation.id],
      );
      expect(errorsOf(await tried("Naam;E-mail contactpersoon\nA;eva@x.example\n"))).to.deep.equal([
        "2 contact_email impex.errors.ambiguous_match",
      ]);
    });
  });
});
