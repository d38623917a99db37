import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { createOrganisation } from "../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { cleanEnvironment } from "../support/process.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const ROWS = 2000;
const TABLES = ["companies", "contacts", "contact_links", "company_settings", "activity", "outbox"];
/** The smaller sister of the measurement by hand: 10,000 rows take a minute at most. */
const WITHIN_MS = 60_000;
const AT_MOST_KIB = 400 * 1024;

describe("an import of companies with contacts, as a process of its own", () => {
  let database: TestDatabase;
  let sql: pg.Client;
  let folder: string;
  let file: string;

  before(async () => {
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    await createOrganisation(sql, { slug: "agency", name: "Agency" });
    folder = await mkdtemp(path.join(tmpdir(), "kantoor-import-"));
    file = path.join(folder, "companies.csv");
    const rows = Array.from({ length: ROWS }, (_, n) => `Bedrijf ${n};K-${n};Jan${n};de Vries;jan${n}@x.example;Directeur`);
    await writeFile(file, `Naam;Klantnummer;Voornaam;Achternaam;E-mail contactpersoon;Functie\n${rows.join("\n")}\n`);
  });
  after(async () => {
    await sql.end();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = (...flags: string[]) =>
    spawn(process.execPath, [...flags, path.join(ROOT, "cli/main.ts"), "import", "companies", file, "--json"], {
      env: {
        ...cleanEnvironment(),
        SERVICE_DATABASE_URL: database.application,
        SERVICE_DATABASE_MIGRATION_URL: database.owner,
        SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
  const counts = async () => {
    const text = TABLES.map((table) => `(select count(*)::int from ${table}) as ${table}`).join(", ");
    return Object.values((await sql.query(`select ${text}`)).rows[0]);
  };
  const nobodyWrites = async () =>
    (
      await sql.query(
        "select 1 from pg_stat_activity where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()",
      )
    ).rows.length === 0;

  it("leaves nothing half-written when it is killed in the middle", async () => {
    const child = start();
    const ended = once(child, "exit");
    // Rows of an open transaction are nobody's, but its pages are on disk: the table grows while the import writes.
    const size = async () => (await sql.query("select pg_relation_size('activity')::int as n")).rows[0].n;
    const initial = await size();
    while ((await size()) < initial + 5 * 8192 && child.exitCode === null) await delay(5);
    expect(child.exitCode, "it was still at work").to.equal(null);
    child.kill("SIGKILL");
    await ended;
    while (!(await nobodyWrites())) await delay(20);
    expect(await counts()).to.deep.equal(TABLES.map(() => 0));
  });

  it("writes everything the next time, in time and in bounded memory", async () => {
    const began = performance.now();
    const report = path.join(folder, "usage.mjs");
    await writeFile(report, "process.on('exit', () => process.stderr.write(String(process.resourceUsage().maxRSS)));\n");
    const child = start("--disable-warning=ExperimentalWarning", "--import", report);
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (out += chunk));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk));
    const [status] = await once(child, "close");
    expect(status, err).to.equal(0);
    expect(JSON.parse(out)).to.include({ rows: ROWS, created: ROWS });
    expect(await counts()).to.deep.equal([ROWS, ROWS, ROWS, 0, 2 * ROWS, ROWS]);
    expect(performance.now() - began).to.be.lessThan(WITHIN_MS);
    expect(Number(err), "KiB").to.be.within(1, AT_MOST_KIB);
  });
}).timeout(120_000);
