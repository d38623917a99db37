import { randomUUID } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import { knownSteps, migrate } from "../../../migrations/run.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

const STEP = "0057-searches-by-words";
/** An earlier migration's row of a company with a name only. */
const PLAIN = "plain\u001f\u001f\u001f";
const APPLICATION = '"kantoor_app"';

describe("the step to searches by words, on a database with rows", function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let owner: pg.Client;
  const organisation = randomUUID();
  const company = randomUUID();
  const domain = randomUUID();
  const before057 = knownSteps().filter((name) => name < STEP);

  before(async () => {
    database = await cloneDatabase("template0");
    owner = new pg.Client({ connectionString: database.owner });
    await owner.connect();
    await migrate(database.owner, APPLICATION, before057);
    await owner.query("insert into organisations (id, slug, name) values ($1, 'old', 'Old')", [organisation]);
    await owner.query("select set_config('app.organisation_id', $1, false)", [organisation]);
    await owner.query(
      "insert into companies (id, organisation_id, name, legal_name, city) values ($1, $2, 'Café 100%', 'Ægir & Zn', 'Łódź')",
      [company, organisation],
    );
    await owner.query("insert into companies (id, organisation_id, name) values (gen_random_uuid(), $1, 'Plain')", [
      organisation,
    ]);
    await owner.query(
      "insert into domains (id, organisation_id, company_id, name, label, start_date) values ($1, $2, $3, 'xn--caf-dma.nl', 'café.nl', '2026-01-01')",
      [domain, organisation, company],
    );
    await owner.query(
      "insert into websites (id, organisation_id, domain_id, company_id) values (gen_random_uuid(), $1, $2, $3)",
      [organisation, domain, company],
    );
  });
  after(async () => {
    await owner.end();
    await database.drop();
  });

  const rowsOf = async (table: string) =>
    (await owner.query(`select search_text, version, updated_at, xmin::text from ${table} order by search_text`)).rows;

  it("folds the texts that are there, moves no version, and writes no row that stays as it is", async () => {
    const tables = ["companies", "domains", "websites"];
    const old = new Map<string, Record<string, unknown>[]>();
    for (const table of tables) old.set(table, await rowsOf(table));
    await migrate(database.owner, APPLICATION, [...before057, STEP]);
    const texts: Record<string, string[]> = {};
    for (const table of tables) {
      const found = await rowsOf(table);
      texts[table] = found.map(({ search_text }) => String(search_text));
      const moving = (rows: Record<string, unknown>[]) => rows.map(({ version, updated_at }) => ({ version, updated_at }));
      expect(moving(found), table).to.have.deep.members(moving(old.get(table) ?? []));
    }
    const plain = (rows: Record<string, unknown>[] = []) => rows.find(({ search_text }) => search_text === PLAIN);
    expect(plain(await rowsOf("companies"))).to.deep.equal(plain(old.get("companies")));
    expect(texts).to.deep.equal({
      companies: ["cafe 100%\u001faegir & zn\u001flodz", PLAIN],
      domains: ["cafe.nl\u001fxn--caf-dma.nl"],
      websites: ["cafe.nl\u001fxn--caf-dma.nl"],
    });
  });

  it("keeps them with every write of a version that knows nothing of it, one with the triggers of its session off included", async () => {
    await owner.query("update companies set name = 'Crème', city = null where id = $1", [company]);
    await owner.query("update domains set label = 'crème.nl' where id = $1", [domain]);
    const superuser = new pg.Client({ connectionString: database.superuser });
    await superuser.connect();
    await superuser.query("set session_replication_role = replica");
    await superuser.query("insert into companies (id, organisation_id, name) values (gen_random_uuid(), $1, 'Änderung')", [
      organisation,
    ]);
    await superuser.end();
    expect((await rowsOf("companies")).map(({ search_text }) => search_text)).to.deep.equal([
      "anderung",
      "creme\u001faegir & zn",
      PLAIN,
    ]);
    expect((await rowsOf("websites")).map(({ search_text }) => search_text)).to.deep.equal(["creme.nl\u001fxn--caf-dma.nl"]);
  });
});
