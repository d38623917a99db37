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
import { until } from "../support/jobs.ts";
import { cleanEnvironment } from "../support/process.ts";
import { workbookWith } from "../support/workbook.ts";
import { waitingAt } from "./advisory-lock.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const ROWS = 2000;
const TABLES = ["companies", "contacts", "contact_links", "company_settings", "activity", "outbox"];
/** Milliseconds of the processor, which other work on the machine does not stretch as it does those of the clock. */
const WITHIN_MS = 60_000;
const HEAP_MIB = 128;
const AT_MOST_KIB = 250 * 1024;
/** Bytes of a cell that is too long. A command that held them would need as much over the ordinary import, and twice as much to copy them. */
const LONG_CELL = 150_000_000;
/** A lock that the test holds: an import waits for it once it has written some pages. */
const LOCK = 50_062;

describe("an import of companies with contacts, as a process of its own", () => {
  let database: TestDatabase;
  let sql: pg.Client;
  let folder: string;
  let file: string;
  /** KiB that the import of an ordinary file takes at most. */
  let ordinary = 0;

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

  /** Starts the command as `npm run cli` does. @param options of Node */
  const start = (options = "", imported = file) =>
    spawn(process.execPath, [path.join(ROOT, "bin/run.mjs"), "cli", "import", "companies", imported, "--json"], {
      env: {
        ...cleanEnvironment(),
        ...(options && { NODE_OPTIONS: options }),
        SERVICE_DATABASE_URL: database.application,
        SERVICE_DATABASE_MIGRATION_URL: database.owner,
        SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
  /** The same to its end, with the most memory the process had. */
  async function measured(imported: string) {
    const report = path.join(folder, "usage.mjs");
    // What `getrusage` says of a process begins with what its parent held when it was made.
    await writeFile(
      report,
      `import { readFileSync } from "node:fs";
       process.on("exit", () => {
         const { user, system } = process.cpuUsage();
         console.error("USED", Math.round((user + system) / 1000), /VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]);
       });\n`,
    );
    // A heap without a bound grows with what the machine has: its highest mark would say how lazily garbage was collected.
    const child = start(`--import ${report} --max-old-space-size=${HEAP_MIB} --max-semi-space-size=8`, imported);
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (out += chunk));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk));
    const [status] = await once(child, "close");
    const [ms = Number.NaN, kib = Number.NaN] = /USED (\d+) (\d+)\n$/.exec(err)?.slice(1).map(Number) ?? [];
    process.stdout.write(`    ${path.basename(imported)}: ${Math.round(kib / 1024)} MiB at most\n`);
    return { status, out, err, ms, kib };
  }
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
    // Rows of an open transaction are invisible, but its pages are on disk: the table grows while the import writes.
    await sql.query(`create function wait_for_test() returns trigger language plpgsql as $$
      begin
        if pg_relation_size('activity') >= ${5 * 8192} then perform pg_advisory_xact_lock_shared(${LOCK}); end if;
        return new;
      end $$;
      create trigger wait_for_test before insert on activity for each row execute function wait_for_test()`);
    const holder = new pg.Client({ connectionString: database.owner });
    await holder.connect();
    await holder.query("select pg_advisory_lock($1)", [LOCK]);
    const child = start();
    const ended = once(child, "exit");
    await until(async () => (await waitingAt(holder, LOCK)) === 1 || child.exitCode !== null, 120_000);
    expect(child.exitCode, "it was still at work").to.equal(null);
    child.kill("SIGKILL");
    await ended;
    await holder.end();
    await sql.query("drop function wait_for_test cascade");
    while (!(await nobodyWrites())) await delay(20);
    expect(await counts()).to.deep.equal(TABLES.map(() => 0));
  });

  it("writes everything the next time, in time and in bounded memory", async () => {
    const { status, out, err, ms, kib } = await measured(file);
    expect(status, err).to.equal(0);
    expect(JSON.parse(out)).to.include({ rows: ROWS, created: ROWS });
    // A client and its contact have a line of the trail and an event each.
    expect(await counts()).to.deep.equal([ROWS, ROWS, ROWS, 0, 2 * ROWS, 2 * ROWS]);
    expect(ms, "processor time").to.be.lessThan(WITHIN_MS);
    expect(kib, "KiB").to.be.within(1, AT_MOST_KIB);
    ordinary = kib;
  });

  it("refuses a cell of 150 MB, in CSV and in a workbook of a hundredth of that, without ever holding it", async () => {
    const csv = path.join(folder, "long.csv");
    await writeFile(
      csv,
      Buffer.concat([Buffer.from("Naam;Opmerkingen\nBakker;"), Buffer.alloc(LONG_CELL, "x"), Buffer.from("\n")]),
    );
    const xlsx = path.join(folder, "long.xlsx");
    await writeFile(
      xlsx,
      workbookWith({
        texts: ["Naam", "Opmerkingen", "Bakker", Buffer.alloc(LONG_CELL, "x")],
        rows: [
          [0, 1],
          [2, 3],
        ],
      }),
    );
    const [before, stored] = [await counts(), { csv: "more than 50000000 characters", xlsx: "more than 100,000 characters" }];
    for (const [kind, imported] of [
      ["csv", csv],
      ["xlsx", xlsx],
    ] as const) {
      const { status, out, err, kib } = await measured(imported);
      expect(status, kind).to.equal(2);
      expect(out + err, kind).to.contain(stored[kind]);
      expect(kib, kind).to.be.within(1, ordinary + LONG_CELL / 1024);
    }
    expect(await counts()).to.deep.equal(before);
  });
}).timeout(120_000);
