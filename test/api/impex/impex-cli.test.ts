import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import type { WriteStream } from "node:tty";
import { promisify } from "node:util";
import { expect } from "chai";
import pg from "pg";
import { runCli } from "../../../cli/run.ts";
import { createOrganisation } from "../../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { workbookOf } from "../../support/impex.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

const SAMPLE = path.join(import.meta.dirname, "../../../samples/companies.csv");

describe("import and export on the command line", () => {
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
    folder = await mkdtemp(path.join(tmpdir(), "kantoor-impex-"));
  });
  beforeEach(async () => {
    slug = `impex${++counter}`;
    organisationId = (await createOrganisation(sql, { slug, name: slug })).id;
  });
  after(async () => {
    await sql.end();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const at = (name: string) => path.join(folder, name);
  const save = async (content: string | Buffer, name = `${++counter}.csv`): Promise<string> => {
    await writeFile(at(name), content);
    return at(name);
  };
  const run = (...argv: string[]) => cli(env, [...argv, "--org", slug]);
  const count = async (table: string) =>
    (await sql.query(`select count(*)::int as n from ${table} where organisation_id = $1`, [organisationId])).rows[0].n;
  const define = (key: string, type: string, required = false) =>
    sql.query(
      `insert into custom_field_definitions (id, organisation_id, entity_type, key, data_type, required, label_i18n)
       values (gen_random_uuid(), $1, 'company', $2, $3, $4, $5)`,
      [organisationId, key, type, required, JSON.stringify({ nl: `Eigen ${key}` })],
    );

  it("runs in a process of its own, where nothing but the command has been set up", async () => {
    const argv = ["cli/main.ts", "import", "companies", SAMPLE, "--org", slug, "--json"];
    const cwd = path.join(import.meta.dirname, "../../..");
    const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd, env: { ...process.env, ...env } });
    expect(JSON.parse(stdout)).to.include({ rows: 200, created: 200 });
  });

  it("takes the sample as it is: 200 companies with their contacts, unchanged the second time", async () => {
    const rehearsed = await run("import", "companies", SAMPLE, "--dry-run", "--json");
    expect(rehearsed.json).to.include({ rows: 200, created: 200, dry_run: true });
    expect(rehearsed.json.errors).to.deep.equal([]);
    expect(rehearsed.json.ignored_columns).to.deep.equal([]);
    expect(await count("companies")).to.equal(0);
    expect((await run("import", "companies", SAMPLE, "--json")).json).to.include({ created: 200 });
    expect(await count("companies")).to.equal(200);
    expect(await count("contacts")).to.be.greaterThan(150);
    expect(await count("contact_links")).to.equal(await count("contacts"));
    const lines = await count("activity");
    expect((await run("import", "companies", SAMPLE, "--json")).json).to.include({ created: 0, updated: 0, unchanged: 200 });
    expect(await count("activity")).to.equal(lines);
  });

  it("imports contacts from a workbook, all or nothing, with row and column of each error", async () => {
    await run("import", "companies", await save("name,client_number\nBakker,K-1\n"));
    const rows = [
      ["Voornaam", "E-mail", "Klantnummer"],
      ["Jan", "jan@b.example", "K-1"],
      ["Eva", "", "K-9"],
    ];
    const bad = await run("import", "contacts", await save(await workbookOf(rows), "contacts.xlsx"));
    expect(bad.status).to.equal(2);
    expect(bad.out).to.contain("row 3, column companies (Klantnummer): impex.errors.unresolved_reference, 'K-9'\n");
    expect(bad.err).to.equal("1 error in the file: no changes were written.\n");
    expect(await count("contacts")).to.equal(0);
    const good = await run("import", "contacts", await save(await workbookOf(rows.slice(0, 2)), "contacts.xlsx"), "--json");
    expect(good.json).to.include({ entity: "contacts", created: 1 });
  });

  it("has no cap on rows", async () => {
    const rows = Array.from({ length: 2500 }, (_, index) => `Bedrijf ${index},K-${index}`);
    const { json } = await run("import", "companies", await save(`name,client_number\n${rows.join("\n")}\n`), "--json");
    expect(json).to.include({ created: 2500 });
  });

  it("reads Windows-1252 and a semicolon, as spreadsheets save them", async () => {
    await run(
      "import",
      "companies",
      await save(Buffer.from("Naam;Plaats\r\nCaf\xe9 Ren\xe9e;\x91s-Hertogenbosch\r\n", "latin1")),
    );
    const { rows } = await sql.query("select name, city from companies where organisation_id = $1", [organisationId]);
    expect(rows).to.deep.equal([{ name: "Café Renée", city: "‘s-Hertogenbosch" }]);
  });

  it("fills custom fields by key and by label, a required one too, and by --map", async () => {
    await define("plan", "text", true);
    await define("omzet", "number");
    const missing = await run("import", "companies", await save("name\nA\n"), "--json");
    expect(missing.json.errors).to.deep.equal([
      { row: 2, column: "custom.plan", header: null, error: "errors.required", value: null, words: [] },
    ]);
    await run("import", "companies", await save("name;Eigen plan;custom.omzet\nA;pro;1.234,5\n"));
    await run("import", "companies", await save("name,Soort\nB,basic\n"), "--map", "custom.plan=Soort");
    const { rows } = await sql.query("select name, custom from companies where organisation_id = $1 order by name", [
      organisationId,
    ]);
    expect(rows).to.deep.equal([
      { name: "A", custom: { plan: "pro", omzet: 1234.5 } },
      { name: "B", custom: { plan: "basic" } },
    ]);
  });

  it("says which sheets of a workbook it did not read", async () => {
    const { default: excel } = await import("exceljs");
    const book = new excel.Workbook();
    book.addWorksheet("Klanten").addRows([["name"], ["A"]]);
    book.addWorksheet("Uitleg").addRows([["x"]]);
    const file = await save(Buffer.from((await book.xlsx.writeBuffer()) as ArrayBuffer), "two.xlsx");
    const { status, err } = await run("import", "companies", file);
    expect(status).to.equal(0);
    expect(err).to.equal("Only the sheet 'Klanten' was read, not Uitleg.\n");
  });

  it("shows a bar on a terminal and nothing of it elsewhere", async () => {
    const file = await save(`name\n${Array.from({ length: 200 }, (_, n) => `Bedrijf ${n}`).join("\n")}\n`);
    let [shown, out] = ["", ""];
    const terminal = Object.assign(
      new Writable({
        write(chunk, _, done) {
          shown += chunk;
          done();
        },
      }),
      { isTTY: true, columns: 80, getWindowSize: () => [80, 24] },
    );
    const status = await runCli(["import", "companies", file, "--org", slug], {
      env,
      stdin: Readable.from([]),
      out: (text) => (out += text),
      err: () => {},
      terminal: terminal as unknown as WriteStream,
    });
    expect(status).to.equal(0);
    expect(shown).to.contain("Importing companies").and.to.contain("/200");
    expect(out).to.equal("200 rows: 200 created, 0 updated, 0 unchanged, 0 errors.\n");
    expect((await run("import", "companies", file)).err).to.equal("");
  });

  it("exports to a file in the format of its name or --format, and leaves none behind on failure", async () => {
    await run("import", "companies", await save("name,client_number\n=Bakker,K-1\n"));
    const csv = await run("export", "companies", at("out.csv"), "--json");
    expect(csv.json).to.deep.equal({ entity: "companies", organisation: slug, file: at("out.csv"), format: "csv", rows: 1 });
    expect(await readFile(at("out.csv"), "utf8")).to.match(/^\ufeffid,name,legal_name,client_number/);
    expect((await run("export", "companies", at("out.xlsx"))).out).to.contain("1 company written");
    expect((await readFile(at("out.xlsx"))).subarray(0, 2).toString()).to.equal("PK");
    expect((await run("export", "contacts", at("as.txt"), "--format", "xlsx", "--json")).json).to.include({
      format: "xlsx",
      rows: 0,
    });
    for (const argv of [
      ["export", "companies", at("x.csv"), "--format", "pdf"],
      ["export", "companies", path.join(folder, "no/such/folder.csv")],
    ]) {
      const { status, err } = await run(...argv);
      expect(status).to.equal(2);
      expect(err).to.match(/^[^\n]+\n$/);
    }
    expect((await readdir(folder)).filter((name) => name.endsWith(".part"))).to.deep.equal([]);
  });
});
