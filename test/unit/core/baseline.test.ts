import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { BASELINE_FOLDER } from "../../../migrations/baseline.ts";
import { knownSteps, migrate } from "../../../migrations/run.ts";
import { baselineFiles } from "../../../migrations/schema/baseline-files.ts";
import { catalogueOf } from "../../support/catalogue.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

/** The database of a cluster that no step has run on. */
const EMPTY = "kantoor";
const APPLICATION = '"kantoor_app"';
const COMMAND = "the baseline lacks what the steps do: run `npm run schema -- baseline`, and commit what it writes";

describe("the baseline of the schema", () => {
  let [bySteps, byBaseline]: TestDatabase[] = [];
  /** What the node says while it applies the baseline. */
  const said: string[] = [];
  /** The catalogue of the database that the baseline made. */
  let baseline: string[];
  before(async function () {
    this.timeout(240_000);
    [bySteps, byBaseline] = [await cloneDatabase(EMPTY), await cloneDatabase(EMPTY)];
    await migrate(bySteps.owner, APPLICATION, knownSteps(), { baseline: false });
    await migrate(byBaseline.owner, APPLICATION, knownSteps(), { log: (line) => said.push(line) });
  });
  after(async () => {
    await bySteps?.drop();
    await byBaseline?.drop();
  });

  const on = async <T>(url: string | undefined, work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return work(client).finally(() => client.end());
  };

  it("is what the steps of now make", async () => {
    const files = globSync("*.sql", { cwd: BASELINE_FOLDER }).sort();
    const stored = files.map((file) => [file, readFileSync(path.join(BASELINE_FOLDER, file), "utf8")] as const);
    const written = await on(bySteps?.owner, (client) => baselineFiles(client, knownSteps()));
    expect(files, COMMAND).to.deep.equal([...written.keys()]);
    for (const [file, text] of stored) expect(text, `${file}: ${COMMAND}`).to.equal(written.get(file));
  });

  it("makes the schema that the steps make, to the byte", async () => {
    const steps = await on(bySteps?.superuser, catalogueOf);
    baseline = await on(byBaseline?.superuser, catalogueOf);
    expect(steps.length, "lines of the catalogue").to.be.above(20_000);
    // Only what differs is worth reading.
    const [ofSteps, ofBaseline] = [new Set(steps), new Set(baseline)];
    expect(steps.filter((line) => !ofBaseline.has(line))).to.deep.equal(baseline.filter((line) => !ofSteps.has(line)));
    expect(steps.join("\n") === baseline.join("\n"), "the same lines, equally often").to.equal(true);
  }).timeout(120_000);

  it("begins with the rows and the names of the steps", async () => {
    const rowsOf = (url: string | undefined) =>
      on(url, async (client) => ({
        steps: (await client.query("select name from migrations order by name")).rows.map(({ name }) => name),
        installations: (await client.query("select count(*)::int as n from installation where installed_at is not null")).rows[0]
          .n,
      }));
    expect(await rowsOf(byBaseline?.owner)).to.deep.equal({ steps: knownSteps(), installations: 1 });
    expect(said).to.have.length(1);
    expect(said[0]).to.match(/^The schema's baseline took \d+ ms\.$/);
    expect(await rowsOf(bySteps?.owner)).to.deep.equal({ steps: knownSteps(), installations: 1 });
  });

  it("is found to differ in each place where a schema can", async () => {
    const changes: [statement: string, catalogue: string][] = [
      ["alter table companies alter column name set storage external", "pg_attribute"],
      ["drop index tasks_walk; create index tasks_walk on tasks (organisation_id)", "pg_index"],
      ["grant truncate on companies to kantoor_app", "pg_class"],
      ["alter function current_organisation() cost 7", "pg_proc"],
      ["alter table contacts disable trigger all", "pg_trigger"],
      ["comment on table hostings is 'Another'", "pg_description"],
      ["alter policy tenant on domains using (false)", "pg_policy"],
      ["alter table domains alter column name set default 'x'", "pg_attrdef"],
      ["alter domain sealed set not null", "pg_type"],
    ];
    const changed = await on(byBaseline?.superuser, async (client) => {
      await client.query("begin");
      for (const [statement] of changes) await client.query(statement);
      return catalogueOf(client);
    });
    const known = new Set(baseline);
    const found = changed.filter((line) => !known.has(line)).map((line) => line.split(" ")[0]);
    expect(found).to.include.members(changes.map(([, catalogue]) => catalogue));
  }).timeout(120_000);

  describe("on a database that is not new", () => {
    let database: TestDatabase;
    before(async () => {
      database = await cloneDatabase(EMPTY);
    });
    after(() => database.drop());

    it("gives way to the steps, which go on where they stopped", async () => {
      const [first = "", second = ""] = knownSteps();
      const lines: string[] = [];
      const log = (line: string) => lines.push(line.replace(/\d+ ms/, "N ms"));
      expect(await migrate(database.owner, APPLICATION, [first], { log })).to.deep.equal([first]);
      expect(await migrate(database.owner, APPLICATION, [first, second], { log })).to.deep.equal([second]);
      expect(lines).to.deep.equal([first, second].map((step) => `The schema's step ${step} took N ms.`));
      const { rows } = await on(database.owner, (client) => client.query("select to_regclass('tasks') as tasks"));
      expect(rows).to.deep.equal([{ tasks: null }]);
    });
  });

  describe("whose first start breaks off", () => {
    let database: TestDatabase;
    before(async () => {
      database = await cloneDatabase(EMPTY);
    });
    after(() => database.drop());

    it("leaves nothing, and one of the nodes that start next makes all of it", async () => {
      await on(database.owner, async (client) => {
        // The last of its statements fails, as it would when the node ends before them.
        await client.query(
          "create table migrations (name text primary key, applied_at timestamptz check (applied_at is not null))",
        );
        const failed = await migrate(database.owner, APPLICATION, knownSteps()).catch((error: Error) => error.message);
        expect(failed).to.be.a("string");
        const left = "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace";
        expect((await client.query(left)).rows).to.deep.equal([{ relname: "migrations" }]);
        await client.query("drop table migrations");
      });
      const ran = await Promise.all([1, 2, 3].map(() => migrate(database.owner, APPLICATION, knownSteps())));
      expect(ran.sort((one, other) => one.length - other.length)).to.deep.equal([[], [], knownSteps()]);
    }).timeout(120_000);
  });
});
