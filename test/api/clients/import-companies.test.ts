import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { createOrganisation } from "../../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { cli, environmentOf, type Ran } from "../cli/cli-support.ts";

const LISTED =
  "name=Security,client_number=Symbol,city=Headquarters Location[1],notes=GICS Sector|Region:Headquarters Location[2..]|Founded";
const LISTED_ROWS = `Symbol,Security,GICS Sector,GICS Sub-Industry,Headquarters Location,Date added,CIK,Founded
MMM,3M,Industrials,Industrial Conglomerates,"Saint Paul, Minnesota",1957-03-04,66740,1902
EL,Estée Lauder Companies (The),Consumer Staples,Personal Care Products,"New York City, New York",2006-01-05,1001250,1946
BF.B,Brown–Forman,Consumer Staples,Distillers & Vintners,"Louisville, Kentucky",1982-10-31,14693,1870
ORLY,O’Reilly Automotive,Consumer Discretionary,Automotive Retail,"Springfield, Missouri",2009-03-27,898173,1957
RTX,"RTX ""Corporation""",Industrials,Aerospace & Defense,"Arlington, Virginia",1900-01-01,101829,"2020 (1915, United Technologies spinoff)"
XXX,Nowhere Ltd,,,none,,,
`;

describe("import companies", () => {
  let database: TestDatabase;
  let sql: pg.Client;
  let folder: string;
  let env: Record<string, string>;
  let organisationId: string;
  let slug: string;
  let counter = 0;

  before(async () => {
    database = await cloneDatabase();
    env = environmentOf(database);
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    folder = await mkdtemp(path.join(tmpdir(), "kantoor-import-"));
  });
  beforeEach(async () => {
    slug = `import${++counter}`;
    organisationId = (await createOrganisation(sql, { slug, name: slug })).id;
  });
  after(async () => {
    await sql.end();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const save = async (content: string | Buffer): Promise<string> => {
    const file = path.join(folder, `${++counter}.csv`);
    await writeFile(file, content);
    return file;
  };
  const run = async (content: string | Buffer, ...options: string[]): Promise<Ran> =>
    cli(env, ["import", "companies", await save(content), "--org", slug, ...options]);
  const companies = async () =>
    (await sql.query("select * from companies where organisation_id = $1 order by client_number, name", [organisationId])).rows;
  const count = async (table: string) =>
    (await sql.query(`select count(*)::int as n from ${table} where organisation_id = $1`, [organisationId])).rows[0].n;

  it("brings a file with quotes and letters of every kind in, and reports it unchanged the second time", async () => {
    const first = await run(LISTED_ROWS, "--map", LISTED, "--json");
    expect(first.err).to.equal("");
    expect(first.status).to.equal(0);
    expect(first.json).to.deep.equal({
      entity: "companies",
      organisation: slug,
      dry_run: false,
      rows: 6,
      created: 6,
      updated: 0,
      unchanged: 0,
      also_created: 0,
      errors: [],
      left_out: [],
      namesakes: [],
      ignored_columns: ["GICS Sub-Industry", "Date added", "CIK"],
      taken_as: [],
      ambiguous: [],
      sheet: null,
      header_row: 1,
    });
    const stored = new Map((await companies()).map((row) => [row.client_number, row]));
    expect(stored.get("EL")).to.include({ name: "Estée Lauder Companies (The)", city: "New York City", status: "active" });
    expect(stored.get("RTX")).to.include({ name: 'RTX "Corporation"', city: "Arlington" });
    expect(stored.get("RTX").notes).to.equal(
      "GICS Sector: Industrials\nRegion: Virginia\nFounded: 2020 (1915, United Technologies spinoff)",
    );
    expect(stored.get("XXX")).to.include({ city: "none", notes: null });
    const before = await companies();
    const again = await run(LISTED_ROWS, "--map", LISTED, "--json");
    expect(again.json).to.include({ created: 0, updated: 0, unchanged: 6 });
    expect(await companies()).to.deep.equal(before);
    expect(await count("activity")).to.equal(6);
    expect(await count("outbox")).to.equal(6);
  });

  it("writes trail and events as the system", async () => {
    await run("name,client_number\nBakker,B-1\n");
    const [company] = await companies();
    const { rows: trail } = await sql.query("select * from activity where organisation_id = $1", [organisationId]);
    expect(trail).to.have.length(1);
    expect(trail[0]).to.include({ entity_type: "company", entity_id: company.id, action: "created", actor_name: null });
    expect(trail[0].actor_account_id).to.equal(null);
    const { rows: events } = await sql.query("select * from outbox where organisation_id = $1", [organisationId]);
    expect(events[0]).to.include({ event: "company.created", entity_id: company.id });
    await run("name,client_number,city\nBakker,B-1,Utrecht\n");
    const { rows: later } = await sql.query("select payload from activity where organisation_id = $1 and action = 'updated'", [
      organisationId,
    ]);
    expect(later).to.deep.equal([{ payload: { changes: { city: { from: null, to: "Utrecht" } } } }]);
  });

  it("changes only the file's fields: a blank cell leaves the field alone", async () => {
    await run("name,client_number,city,phone\nBakker,B-1,Utrecht,030-2300000\n");
    const { json } = await run("name,client_number,city,phone\nBakker & Zn,B-1,,\n", "--json");
    expect(json).to.include({ updated: 1 });
    const [company] = await companies();
    expect(company).to.include({ name: "Bakker & Zn", city: "Utrecht", phone: "+31302300000", version: 2 });
  });

  it("matches on the number, then on an unambiguous name", async () => {
    await run("name,client_number\nBakker,B-1\nSlager,S-1\nTweeling,T-1\nTweeling,T-2\n");
    const before = await companies();
    const { json } = await run("name,client_number,city\nBakkerij,B-1,Utrecht\nSLAGER,S-9,Breda\nTweeling,T-3,Assen\n", "--json");
    expect(json).to.include({ created: 1, updated: 2 });
    const after = await companies();
    expect(after.find(({ client_number: number }) => number === "B-1").id).to.equal(before[0].id);
    expect(after.find(({ client_number: number }) => number === "S-9").id).to.equal(before[1].id);
    expect(after).to.have.length(5);
  });

  it("numbers rows without a number and finds them again by name", async () => {
    expect((await run("name\nBakker\nSlager\n", "--json")).json).to.include({ created: 2 });
    expect((await companies()).map((company) => company.client_number)).to.deep.equal(["0001", "0002"]);
    expect((await run("name\nBakker\nSlager\n", "--json")).json).to.include({ created: 0, unchanged: 2 });
  });

  it("names every error by row and column, exits 2 and writes nothing", async () => {
    const content = [
      "Naam;Nummer;Telefoon;Mail;Land",
      "Goed;1;030-2300000;goed@example.org;NL",
      `${"x".repeat(256)};2;;;`,
      ";3;;;",
      "Telefoon;4;12;geen adres;Atlantis",
      "Dubbel;5;;;",
      "Anders;5;;;",
      "Nul\0;6;;;",
    ].join("\n");
    const map = "name=Naam,client_number=Nummer,phone=Telefoon,invoice_email=Mail,country=Land";
    const { status, json, err } = await run(content, "--map", map, "--json");
    expect(status).to.equal(2);
    expect(json).to.include({ rows: 7, created: 0, updated: 0, unchanged: 0 });
    expect(json.errors.map(({ row, column, error }: Record<string, unknown>) => `${row} ${column} ${error}`)).to.have.members([
      "3 name errors.validation",
      "4 name errors.required",
      "5 country impex.errors.invalid_option",
      "6 client_number errors.duplicate",
      "7 client_number errors.duplicate",
      "8 name errors.validation",
    ]);
    expect(json.errors[0].header).to.equal("Naam");
    expect(err).to.equal("6 errors in the file: no changes were written.\n");
    const asText = await run(content, "--map", map);
    expect(asText.out).to.contain("row 6, column client_number (Nummer): errors.duplicate, '5'\n");
    for (const table of ["companies", "activity", "outbox", "company_settings"]) expect(await count(table), table).to.equal(0);
  });

  it("names the rules of the company, not only its shape", async () => {
    const { json } = await run("name,phone,invoice_email\nEen,12,geen adres\nTwee,,ook niet\n", "--json");
    expect(json.errors.map(({ row, column, error }: Record<string, unknown>) => `${row} ${column} ${error}`)).to.have.members([
      "2 phone errors.invalid_phone",
      "2 invoice_email errors.invalid_email",
      "3 invoice_email errors.invalid_email",
    ]);
  });

  it("makes a company of a row whose name several have, names it, and finds it again", async () => {
    await run("name,client_number\nTweeling,T-1\nTweeling,T-2\n");
    const file = "name,city\nTweeling,Assen\n";
    const { status, json } = await run(file, "--json");
    expect(status).to.equal(0);
    expect(json).to.deep.include({ created: 1, namesakes: [{ row: 2, column: "name", value: "Tweeling" }] });
    expect((await run(file)).out).to.contain("1 row: 0 created, 0 updated, 1 unchanged");
    const other = await run("name,city\nTweeling,Ede\n");
    expect(other.out).to.contain("row 2, column name: 'Tweeling' is also the name of other records; imported as a new record.\n");
  });

  it("writes nothing on a dry run and reports the would-be result", async () => {
    const { status, json } = await run(LISTED_ROWS, "--map", LISTED, "--dry-run", "--json");
    expect(status).to.equal(0);
    expect(json).to.include({ dry_run: true, created: 6, updated: 0, unchanged: 0 });
    for (const table of ["companies", "activity", "outbox", "company_settings"]) expect(await count(table), table).to.equal(0);
  });

  it("refuses a mapping or a file it cannot use with one sentence", async () => {
    const refusals = [
      await run("a,b\n1,2\n"),
      await run("name\nx\n", "--map", "name=Nope"),
      await run("name\nx\n", "--map", "responsible_user_id=name"),
      await run(Buffer.from([0x6e, 0x61, 0x6d, 0x65, 0x0a, 0xe9, 0x81])),
      await run(""),
      await cli(env, ["import", "companies", path.join(folder, "absent.csv"), "--org", slug]),
      await cli(env, ["import", "companies"]),
      await cli(env, ["import", "contacts", "x.csv"]),
    ];
    for (const { status, out, err } of refusals) {
      expect(status, err).to.equal(2);
      expect(out).to.equal("");
      expect(err).to.match(/^[^\n]+\n$/);
    }
    expect(refusals[0]?.err).to.contain("No column gives 'name'").and.to.contain("a, b");
  });

  it("asks which organisation when there are several", async () => {
    await createOrganisation(sql, { slug: `${slug}-other`, name: "other" });
    const { status, err } = await cli(env, ["import", "companies", await save("name\nx\n")]);
    expect(status).to.equal(2);
    expect(err).to.contain("--org").and.to.contain(slug);
  });
});
