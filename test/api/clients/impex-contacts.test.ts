import { expect } from "chai";
import pg from "pg";
import { errorsOf, importSheet, sendSheet } from "../../support/impex.ts";
import { until } from "../../support/jobs.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { waitingFor } from "../../support/waiting.ts";

describe("POST /impex/contact", () => {
  let service: TestService;
  let tenant: Tenant;

  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  interface Item extends Record<string, unknown> {
    id: string;
    companies: Record<string, unknown>[];
  }
  const run = (content: string | Buffer) => importSheet(tenant.owner, "contact", content);
  const tried = async (content: string) => errorsOf((await sendSheet(tenant.owner, "contact", content)).body);
  const contacts = async (): Promise<Item[]> => (await tenant.owner.get("/contacts?sort=first_name")).body.items;
  const company = (name: string, client_number?: string) => tenant.company({ name, client_number });
  const type = async (key: string): Promise<string> => (await tenant.owner.post("/contacts/types", { key })).body.id;
  const links = async () =>
    (await contacts()).flatMap(({ first_name, companies }) =>
      companies.map(({ name, is_primary, contact_type_id }) => [first_name, name, is_primary, contact_type_id]),
    );

  it("takes Dutch and English headers, links by client number or name, and changes nothing the second time", async () => {
    await company("Bakker", "K-1");
    await company("Slager", "K-2");
    const file =
      "Voornaam;Achternaam;Functie;E-mailadres;Mobiel;Klantnummer\nJan;de Vries;Inkoper;jan@b.example;06-12345678;K-1\nEva;;;;;slager\n";
    expect(await run(file)).to.deep.include({ rows: 2, created: 2, errors: [], ignored_columns: [] });
    const [eva, jan] = await contacts();
    expect(jan).to.include({ last_name: "de Vries", job_title: "Inkoper", email: "jan@b.example", phone: "+31612345678" });
    expect(eva).to.include({ email: null });
    expect(await links()).to.deep.equal([
      ["Eva", "Slager", true, null],
      ["Jan", "Bakker", true, null],
    ]);
    expect(await run(file)).to.include({ created: 0, updated: 0, unchanged: 2 });
    const english =
      "First name,Last name,Job title,Email,Phone,Company\nJan,de Vries,Inkoper,jan@b.example,+31612345678,Bakker\n";
    expect(await run(english)).to.include({ unchanged: 1 });
  });

  it("matches on the address ignoring case, else on the name within a company of the row, else among people without one", async () => {
    await company("Bakker", "K-1");
    await company("Slager", "K-2");
    await run("first_name,email,companies\nJan,jan@b.example,K-1\nEva,,K-1\nEva,,K-2\nTim,,\n");
    expect(await contacts()).to.have.length(4);
    const again = await run(
      "first_name,email,companies,job_title\nJohan,JAN@b.example,K-1,Chef\neva,,K-2,Chef\nTim,,,Chef\nTim,,K-1,Chef\n",
    );
    expect(again).to.include({ updated: 3, created: 1 });
    expect(await contacts()).to.have.length(5);
  });

  it("adds an address to a person without one, and moves none from one person to another", async () => {
    await company("Bakker", "K-1");
    await run("first_name,companies\nJan,K-1\n");
    expect(await run("first_name,email,companies\nJan,jan@b.example,K-1\n")).to.include({ updated: 1 });
    expect(await contacts()).to.have.length(1);
    expect(await tried("first_name,email\nA,x@x.example\nB,X@x.example\n")).to.deep.equal([
      "2 email errors.duplicate",
      "3 email errors.duplicate",
    ]);
  });

  it("makes a contact of each namesake of a company, finds it again, and takes a row that repeats once", async () => {
    await company("Bakker", "K-1");
    const file = "first_name,companies\nJan,K-1\njan,K-1\nTim,\nTim,\n";
    const report = await run(file);
    expect(report).to.include({ created: 3, unchanged: 1 });
    expect(report.namesakes).to.deep.equal([
      { row: 2, column: "first_name", value: "Jan" },
      { row: 3, column: "first_name", value: "jan" },
    ]);
    expect(await run(file)).to.include({ created: 0, unchanged: 4 });
  });

  it("sets type and primary flag of each link, one for all or one for each, and leaves others unchanged", async () => {
    await company("Bakker", "K-1");
    await company("Slager", "K-2");
    const [billing, technical] = [await type("billing"), await type("technical")];
    await run("first_name,companies,contact_types,primary\nJan,K-1; K-2,billing; technical,ja; nee\nEva,K-1;K-2,billing,\n");
    expect(await links()).to.deep.equal([
      ["Eva", "Slager", true, billing],
      ["Eva", "Bakker", false, billing],
      ["Jan", "Bakker", true, billing],
      ["Jan", "Slager", false, technical],
    ]);
    expect(await run("first_name,companies\nJan,K-1;K-2\nEva,K-1\n")).to.include({ unchanged: 2 });
    expect(await run("first_name,companies,primary\nEva,K-1,yes\n")).to.include({ updated: 1 });
    expect((await links()).filter(([, name, primary]) => name === "Bakker" && primary)).to.deep.equal([
      ["Eva", "Bakker", true, billing],
    ]);
    expect(await run("first_name,companies,contact_types\nJan,K-1,technical\n")).to.include({ updated: 1 });
    expect((await links()).find(([who, name]) => who === "Jan" && name === "Bakker")?.[3]).to.equal(technical);
  });

  it("lets the primary of the file replace the stored one, whose row gives another type and no flag", async () => {
    await company("Bakker", "K-1");
    const billing = await type("billing");
    await run("first_name,companies\nAn,K-1\nBo,K-1\n");
    const file = "first_name,companies,contact_types,primary\nAn,K-1,billing,\nBo,K-1,,yes\n";
    expect(await run(file)).to.deep.include({ updated: 2, errors: [] });
    expect(await links()).to.deep.equal([
      ["An", "Bakker", false, billing],
      ["Bo", "Bakker", true, null],
    ]);
    expect(await run(file)).to.include({ unchanged: 2 });
  });

  it("makes the first contact of a company its primary, once, however many the file brings", async () => {
    await company("Bakker", "K-1");
    await run("first_name,companies\nC,K-1\nA,K-1\nB,K-1\n");
    expect((await links()).map(([name, , primary]) => [name, primary])).to.deep.equal([
      ["A", false],
      ["B", false],
      ["C", true],
    ]);
  });

  it("names every reference it cannot follow", async () => {
    await company("Twee");
    await company("twee");
    await company("Bakker", "K-1");
    const file = [
      "first_name,companies,contact_types,primary",
      "A,Niemand,,",
      "B,Twee,,",
      "C,K-1,geen,",
      "D,K-1,,misschien",
      "E,K-1; K-1,,",
      "F,K-1,x; y; z,",
      "G,,geen,",
      "H,K-1,,yes",
      "I,K-1,,yes",
      ",K-1,,",
      "J,K-1,,",
    ];
    expect(await tried(`${file.join("\n")}\n`)).to.deep.equal([
      "2 companies impex.errors.unresolved_reference",
      "3 companies impex.errors.ambiguous_match",
      "4 contact_types impex.errors.unresolved_reference",
      "5 primary impex.errors.invalid_bool",
      "6 companies impex.errors.duplicate_in_file",
      "7 contact_types errors.validation",
      "8 contact_types errors.validation",
      "10 primary impex.errors.duplicate_in_file",
      "11 first_name errors.required",
    ]);
  });

  it("validates a required custom field on create and takes it from its column", async () => {
    const definition = { entity_type: "contact", key: "taal", data_type: "text", required: true, label_i18n: { nl: "Voertaal" } };
    await tenant.owner.post("/custom-fields/definitions", definition);
    expect(await tried("first_name\nJan\n")).to.deep.equal(["2 custom.taal errors.required"]);
    await run("first_name,Voertaal\nJan,nl\n");
    expect((await contacts())[0]?.["custom"]).to.deep.equal({ taal: "nl" });
  });

  it("waits for a request that is giving away one of its addresses, and then refuses the row", async () => {
    const { id } = tenant.organisation;
    const other = new pg.Client({ connectionString: service.database.owner });
    await other.connect();
    try {
      await other.query("begin");
      // A request's locks from the moment it claims an address until it commits.
      await other.query("select pg_advisory_xact_lock_shared(hashtextextended($1, 4))", [id]);
      await other.query(
        "insert into contacts (id, organisation_id, first_name, email) values (gen_random_uuid(), $1, 'Eerst', 'race@x.example')",
        [id],
      );
      const sent = sendSheet(
        tenant.owner,
        "contact",
        "first_name,email\nJan,RACE@x.example\nEva,eva@x.example\n",
        "?dry_run=false",
      );
      await until(async () => (await waitingFor(other)) === 1);
      await other.query("commit");
      expect(errorsOf((await sent).body)).to.deep.equal(["2 email errors.contact_email_exists"]);
    } finally {
      await other.end();
    }
    expect((await contacts()).map((contact) => contact["first_name"])).to.deep.equal(["Eerst"]);
  });

  it("lets no request give away an address while an import that brings it is running", async () => {
    const other = new pg.Client({ connectionString: service.database.owner });
    await other.connect();
    try {
      await other.query("begin");
      await other.query("select pg_advisory_xact_lock(hashtextextended($1, 4))", [tenant.organisation.id]);
      const sent = tenant.owner.post("/contacts", { first_name: "Jan", email: "race@x.example" });
      await until(async () => (await waitingFor(other)) === 1);
      await other.query(
        "insert into contacts (id, organisation_id, first_name, email) values (gen_random_uuid(), $1, 'Eerst', 'RACE@x.example')",
        [tenant.organisation.id],
      );
      await other.query("commit");
      const { status, body } = await sent;
      expect(status).to.equal(409);
      expect(body.error.fields).to.deep.equal({ email: "errors.contact_email_exists" });
    } finally {
      await other.end();
    }
  });
});
