import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { createOrganisation } from "../../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { errorsOf, sendSheet, workbookOf } from "../../support/impex.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

const PEOPLE = "Voornaam;Bedrijf;Klantnummer\nJan;Bakker;K-1\nEva;bakker;K-1\nTim;Slager;\nNoor;Slager;\nLos;;\n";

describe("a caller's choices for a file", () => {
  let service: TestService;
  let tenant: Tenant;

  before(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const companies = async (who = tenant) =>
    (await who.owner.get("/companies?sort=name")).body.items.map(({ name, client_number: number }: Record<string, string>) => [
      name,
      number,
    ]);

  describe("create_companies", () => {
    it("creates each company once, with the file's number or the next, and none the second time", async () => {
      const without = (await sendSheet(tenant.owner, "contact", PEOPLE)).body;
      expect(errorsOf(without)).to.deep.equal([
        "2 companies impex.errors.unresolved_reference",
        "3 companies impex.errors.unresolved_reference",
        "4 company_name impex.errors.unresolved_reference",
        "5 company_name impex.errors.unresolved_reference",
      ]);
      const rehearsed = (await sendSheet(tenant.owner, "contact", PEOPLE, "?create_companies=true")).body;
      expect(rehearsed).to.include({ created: 5, also_created: 2 });
      expect(await companies()).to.deep.equal([]);
      const real = "?create_companies=true&dry_run=false";
      expect((await sendSheet(tenant.owner, "contact", PEOPLE, real)).body).to.include({ created: 5, also_created: 2 });
      expect(await companies()).to.deep.equal([
        ["Bakker", "K-1"],
        ["Slager", "0001"],
      ]);
      expect((await sendSheet(tenant.owner, "contact", PEOPLE, real)).body).to.include({ unchanged: 5, also_created: 0 });
    });

    it("creates none from a number alone, and none that breaks a rule", async () => {
      const numbers = (await sendSheet(tenant.owner, "contact", "first_name;companies\nJan;K-9\n", "?create_companies=true"))
        .body;
      expect(errorsOf(numbers)).to.deep.equal(["2 companies impex.errors.unresolved_reference"]);
      const long = `first_name;company\nJan;${"x".repeat(256)}\n`;
      const refused = (await sendSheet(tenant.owner, "contact", long, "?create_companies=true")).body;
      expect(errorsOf(refused)).to.deep.equal(["2 company_name errors.validation"]);
    });

    it("needs the permission to write companies, and no restricted selection", async () => {
      const grants = ["impex.import", "contacts.contact.write", "contacts.link.write"];
      const plain = await tenant.member("member", { grants });
      expect((await sendSheet(plain, "contact", PEOPLE)).status).to.equal(200);
      expect((await sendSheet(plain, "contact", PEOPLE, "?create_companies=true")).status).to.equal(403);
      const seen = await tenant.company({ name: "Zichtbaar" });
      const restricted = await tenant.member("admin");
      await tenant.group("G", [seen.id], [restricted.membershipId]);
      expect((await sendSheet(restricted, "contact", PEOPLE, "?create_companies=true")).status).to.equal(403);
    });
  });

  it("names a sheet, a row and columns", async () => {
    const file = await workbookOf([["Lijst"], ["Omschrijving", "Stad"], ["Bakker", "Ede"]]);
    const query = `?sheet=Blad1&header_row=2&map=${encodeURIComponent("name=Omschrijving,city=Stad")}`;
    const { body } = await sendSheet(tenant.owner, "company", file, query);
    expect(body).to.deep.include({ created: 1, errors: [], sheet: "Blad1", header_row: 2 });
    const refused = async (wrong: string) => {
      const { status, body: answer } = await sendSheet(tenant.owner, "company", file, wrong);
      return [status, answer.error.code];
    };
    expect(await refused("?sheet=Weg")).to.deep.equal([400, "sheet_not_found"]);
    expect(await refused("?header_row=9")).to.deep.equal([422, "validation"]);
    expect(await refused("?header_row=0")).to.deep.equal([422, "validation"]);
    expect(await refused(`?map=${encodeURIComponent("nome=Stad")}`)).to.deep.equal([422, "validation"]);
  });
}).timeout(60_000);

describe("an operator's choices for a file", () => {
  let database: TestDatabase;
  let sql: pg.Client;
  let folder: string;

  before(async () => {
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    await createOrganisation(sql, { slug: "agency", name: "Agency" });
    folder = await mkdtemp(path.join(tmpdir(), "kantoor-choices-"));
  });
  after(async () => {
    await sql.end();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const run = (...argv: string[]) => cli(environmentOf(database), argv);

  it("names a sheet, a row, columns, and that companies may be made", async () => {
    const file = path.join(folder, "list.xlsx");
    await writeFile(file, await workbookOf([["Lijst"], ["Omschrijving", "Stad"], ["Bakker", "Ede"]]));
    const named = ["--sheet", "1", "--header-row", "2", "--map", "name=Omschrijving,city=Stad", "--json", "--dry-run"];
    const { json } = await run("import", "companies", file, ...named);
    expect(json).to.deep.include({ created: 1, errors: [], sheet: "Blad1", header_row: 2 });
    for (const [option, value, sentence] of [
      ["--sheet", "Weg", "no sheet 'Weg': it has Blad1"],
      ["--header-row", "0", "--header-row must be a row number"],
      ["--header-row", "9", "Row 9 has no headers"],
    ] as const) {
      const { status, err } = await run("import", "companies", file, option, value);
      expect(status, option).to.equal(2);
      expect(err)
        .to.contain(sentence)
        .and.to.match(/^[^\n]+\n$/);
    }
    const people = path.join(folder, "people.csv");
    await writeFile(people, PEOPLE);
    const made = await run("import", "contacts", people, "--create-companies");
    expect(made.out).to.equal("5 rows: 5 created, 0 updated, 0 unchanged, 0 errors, 2 related records created.\n");
  });

  it("finds all of it in the help", async () => {
    const help = async (plural: string) => (await run("import", plural, "--help")).out;
    for (const option of ["--sheet NAME", "--header-row N", "--map FIELD=SOURCE"])
      for (const plural of ["companies", "contacts", "leave-requests"]) expect(await help(plural), plural).to.contain(option);
    expect(await help("contacts")).to.contain("--create-companies");
    expect(await help("companies")).not.to.contain("--create-companies");
  });
}).timeout(60_000);
