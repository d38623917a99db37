import { expect } from "chai";
import { errorsOf, fetchSheet, importSheet, sendSheet } from "../../support/impex.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

type Left = { row: number; column: string; header: string | null; value: string };

/** Nothing that a file holds disappears unreported, and no file is refused that as many bodies would not be (conventions §22). */
describe("a file's additional values", () => {
  let service: TestService;
  let tenant: Tenant;

  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const left = ({ left_out: all }: { left_out: Left[] }) =>
    all.map(({ row, column, header, value }) => [row, column, header, value].join(" "));
  const items = async (path: string) => (await tenant.owner.get(path)).body.items;

  it("names the skipped values row by row, by column", async () => {
    const people = await importSheet(
      tenant.owner,
      "contact",
      [
        "Voornaam;Achternaam;E-mail werk;E-mail privé;Mail;Telefoon werk;Mobiel;Telefoon thuis",
        "Jan;Jansen;jan@w.example;;jan@p.example;030-2300000;06-12345678;030 2300000",
        "Eva;Bos;;;eva@p.example;;06-22345678;",
      ].join("\n"),
    );
    expect(people).to.deep.include({ created: 2, ignored_columns: ["E-mail privé"] });
    expect(left(people)).to.deep.equal([]);
    expect((await items("/contacts?q=jan"))[0]).to.deep.include({
      other_emails: [{ label: "work", email: "jan@w.example" }],
      other_phones: [{ label: "mobile", phone: "+31612345678" }],
    });
    expect((await items("/contacts?q=eva"))[0]).to.include({ phone: "+31622345678", email: "eva@p.example" });

    const companies = await importSheet(
      tenant.owner,
      "company",
      "Bedrijfsnaam;Klantnaam;E-mail facturen;E-mail;Postcode;Zip;BTW-nummer;Tax ID\nBakker B.V.;Bakker;f@b.example;info@b.example;3511 AA;3511aa;NL1;BE2\n",
    );
    expect(left(companies)).to.deep.equal([
      "2 invoice_email E-mail info@b.example",
      "2 vat_number Tax ID BE2",
      "2 postal_code Zip 3511aa",
    ]);
  });

  it("a company's number goes where there is room: a mobile number without a person is the company's", async () => {
    const file = "Naam;Telefoon;Mobiel\nBakker;;06-12345678\nSlager;030-2300000;06-22345678\nSmid;030-2300001;\n";
    const report = await importSheet(tenant.owner, "company", file);
    expect(report).to.include({ created: 3, also_created: 0 });
    expect(left(report)).to.deep.equal(["3 contact_phone Mobiel 06-22345678"]);
    const phones = (await items("/companies?sort=name")).map(({ name, phone }: Record<string, string>) => [name, phone]);
    expect(phones).to.deep.equal([
      ["Bakker", "+31612345678"],
      ["Slager", "+31302300000"],
      ["Smid", "+31302300001"],
    ]);
  });

  describe("namesakes without a key", () => {
    for (const [entity, file, column, names] of [
      ["company", "name,city\nBakker,Ede\nBakker,Utrecht\nSmid,Ede\n", "name", ["Bakker", "Bakker"]],
      [
        "contact",
        "first_name,last_name,phone\nJan,Bos,06-12345678\njan,bos,06-22345678\nEva,,\n",
        "first_name",
        ["Jan Bos", "jan bos"],
      ],
      ["hosting", "name,ip\nWeb,192.0.2.1\nWeb,192.0.2.2\nMail,192.0.2.3\n", "name", ["Web", "Web"]],
      ["task", "title,priority\nBel,high\nBel,low\nSchrijf,low\n", "title", ["Bel", "Bel"]],
    ] as const)
      it(`are as many records of ${entity} as there are rows, are named, and are found again`, async () => {
        const rehearsed = (await sendSheet(tenant.owner, entity, file)).body;
        expect(rehearsed, JSON.stringify(rehearsed.errors)).to.deep.include({ created: 3, errors: [] });
        const report = await importSheet(tenant.owner, entity, file);
        expect(report).to.include({ created: 3 });
        expect(report.namesakes).to.deep.equal(names.map((value, index) => ({ row: index + 2, column, value })));
        expect(await importSheet(tenant.owner, entity, file)).to.deep.include({ created: 0, unchanged: 3, namesakes: [] });
      });

    it("do not match an existing record of that name, and import repeated rows once", async () => {
      await tenant.owner.post("/companies", { name: "Bakker", city: "Gouda" });
      const file = "name,city\nBakker,Ede\nBakker,Utrecht\nBakker,Ede\n";
      const report = await importSheet(tenant.owner, "company", file);
      expect(report).to.include({ rows: 3, created: 2, unchanged: 1 });
      expect(report.namesakes.map(({ row }: Left) => row)).to.deep.equal([2, 3]);
      const cities = (await items("/companies")).map(({ city }: Record<string, string>) => city).toSorted();
      expect(cities).to.deep.equal(["Ede", "Gouda", "Utrecht"]);
      // One row of a name that several have already is another record, too, as a POST would be.
      expect(await importSheet(tenant.owner, "company", "name,city\nBakker,Almelo\n")).to.include({ created: 1 });
      expect(await importSheet(tenant.owner, "company", "city,name\nAlmelo,Bakker\n")).to.include({ created: 0, unchanged: 1 });
    });

    it("keep rows apart that have a key: two of one number stay refused, and equal rows are one", async () => {
      expect(errorsOf((await sendSheet(tenant.owner, "company", "name,client_number\nA,1\nB,1\n")).body)).to.deep.equal([
        "2 client_number errors.duplicate",
        "3 client_number errors.duplicate",
      ]);
      const twice = "name,client_number\nA,1\nA,1\n";
      expect(await importSheet(tenant.owner, "company", twice)).to.deep.include({ created: 1, unchanged: 1, namesakes: [] });
    });
  });

  it("a custom select understands its labels in every language, and says which it knows", async () => {
    const option = (value: string, nl: string, en: string) => ({ value, label_i18n: { nl, en } });
    const field = (key: string, data_type: string, options_json: object[]) =>
      tenant.owner.post("/custom-fields/definitions", {
        entity_type: "company",
        key,
        data_type,
        label_i18n: { nl: key },
        options_json,
      });
    const branches = [
      option("food", "Voeding", "Food & drink"),
      option("it", "Techniek", "Tech"),
      option("tech", "Anders", "Other"),
    ];
    expect((await field("branche", "select", branches)).status).to.equal(201);
    await field("kanalen", "multi_select", [option("w", "Winkel", "Shop"), option("o", "Online", "Online")]);
    const file = "Naam;branche;kanalen\nA;voeding;Shop; \nB;Food & drink;\nC;tech;\nD;IT;w\n";
    const report = (await sendSheet(tenant.owner, "company", file.replace("Shop; ", '"Shop; online"'), "?dry_run=false")).body;
    expect(report).to.deep.include({ created: 4, errors: [] });
    const values = (await items("/companies?sort=name")).map(({ custom }: { custom: object }) => custom);
    // A value means itself, even if it is another option's label.
    expect(values).to.deep.equal([
      { branche: "food", kanalen: ["w", "o"] },
      { branche: "food" },
      { branche: "tech" },
      { branche: "it", kanalen: ["w"] },
    ]);
    const exported = await fetchSheet(service.port, tenant.host, tenant.owner.key, "/impex/company");
    expect(await importSheet(tenant.owner, "company", exported.toString())).to.include({ unchanged: 4 });
    const refused = (await sendSheet(tenant.owner, "company", "Naam;branche\nE;Zorg\n")).body;
    expect(errorsOf(refused)).to.deep.equal(["2 custom.branche customfields.errors.invalid_option"]);
    expect(refused.errors[0].words).to.include.members(["voeding", "food & drink", "it"]);
  });

  it("leaves the values of inactive and deleted custom fields as they are", async () => {
    const company_id = (await tenant.company()).id;
    const records = [
      ["company", "/companies", { name: "A" }],
      ["contact", "/contacts", { first_name: "A" }],
      ["project", "/projects", { name: "A", company_id }],
      ["hosting", "/hosting", { name: "A" }],
      ["domain", "/domains", { name: "inactive-fields.example", company_id }],
    ] as const;
    for (const [entity_type, path, body] of records) {
      const define = async (key: string, data_type: string) =>
        `/custom-fields/definitions/${(await tenant.owner.post("/custom-fields/definitions", { entity_type, key, data_type })).body.id}`;
      const [off, gone] = [await define("off", "text"), await define("gone", "number")];
      await define("seats", "number");
      await define("note", "text");
      const custom = { off: "x", gone: 7, seats: 1, note: "n" };
      const made = await tenant.owner.post(path, { ...body, custom });
      expect(made.status, made.text).to.equal(201);
      await tenant.owner.patch(off, { active: false });
      await tenant.owner.delete(gone);
      const [[column, name] = []] = Object.entries(body);
      const file = `id;${column};custom.seats\n${made.body.id};${name};2\n`;
      expect(await importSheet(tenant.owner, entity_type, file), entity_type).to.deep.include({ updated: 1, errors: [] });
      const { body: read } = await tenant.owner.get(`${path}/${made.body.id}`);
      expect(read.custom, entity_type).to.deep.equal({ ...custom, seats: 2 });
      expect(await importSheet(tenant.owner, entity_type, file), entity_type).to.deep.include({ unchanged: 1 });
    }
  });
}).timeout(60_000);
