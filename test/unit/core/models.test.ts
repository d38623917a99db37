import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import pg from "pg";
import { allModels, column, columns, type Model, model, readable, tenantModel } from "../../../core/database/model.ts";
import { sequelizeModel } from "../../../core/database/sequelize.ts";
import { type CatalogueColumn, columnsOfTables, differencesOf } from "../../../migrations/schema/differences.ts";
import { skeletonOf } from "../../../migrations/schema/skeleton.ts";
import { WITHOUT_MODEL } from "../../../migrations/schema/without-model.ts";
import type { Step } from "../../../migrations/step.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { prepareRuntime } from "../../support/runtime.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

describe("the models and the database's own catalogue", () => {
  let database: TestDatabase;
  let client: pg.Client;

  before(async function () {
    this.timeout(60_000);
    prepareRuntime();
    for (const file of globSync("{services,integrations}/**/*.service.ts", { cwd: ROOT }))
      await import(pathToFileURL(path.join(ROOT, file)).href);
    database = await cloneDatabase();
    client = new pg.Client({ connectionString: database.owner });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  /** Models of tables that only tests make have other names. */
  const ownModels = () => [...allModels().values()].filter(({ table }) => !/^(fixture_|proof_|beacon_|vaults$)/.test(table));

  it("agree on the tables that have a model, and on every column: its name, type, nullability, source and whether it is a secret", async () => {
    expect(differencesOf(ownModels(), await columnsOfTables(client))).to.deep.equal([]);
  });

  /** What both have, with columns and tables as a test needs them. */
  const { date, sealed, text, uuid } = column;
  const described = (table: string, name: string, type: string, facts: Partial<CatalogueColumn> = {}): CatalogueColumn => {
    return { table, name, type, nullable: false, generated: false, fallback: false, ...facts };
  };
  const exceptions = Object.keys(WITHOUT_MODEL).map((table): [string, CatalogueColumn[]] => [table, []]);
  const sentences = (columns: Model["columns"], ...stored: CatalogueColumn[]) =>
    differencesOf([{ table: "pairs", columns }], new Map([...exceptions, ["pairs", stored]])).map(({ sentence, statement }) =>
      statement === undefined ? sentence : [sentence, statement],
    );

  it("are found to differ in each of these", () => {
    const one = (type: string, facts: Partial<CatalogueColumn> = {}) => described("pairs", "one", type, facts);
    const name = (type: string) => described("pairs", "token_hash", type);
    const cases: [Model["columns"], CatalogueColumn, string | string[]][] = [
      [
        { one: text() },
        one("uuid"),
        ["pairs.one is uuid in the database, and text in the model", "alter table pairs alter column one type text;"],
      ],
      [
        { one: text() },
        one("text", { nullable: true }),
        ["pairs.one may be null in the database, and not in the model", "alter table pairs alter column one set not null;"],
      ],
      [
        { one: text().orNull() },
        one("text"),
        ["pairs.one may be null in the model, and not in the database", "alter table pairs alter column one drop not null;"],
      ],
      [{ one: text() }, one("text", { generated: true }), "pairs.one is generated, so its model has to say byDatabase()"],
      [
        { one: text().withDefault() },
        one("text"),
        "pairs.one may be left out of an insert, and has no default: the step or the model has to change",
      ],
      [
        { one: text() },
        one("text", { fallback: true }),
        ["pairs.one must be given, and has a default", "alter table pairs alter column one drop default;"],
      ],
      [{ one: text() }, one("sealed"), "pairs.one holds a secret, which its model does not say"],
      [{ token_hash: text() }, name("text"), "pairs.token_hash holds a secret, which its model does not say"],
      [{ one: sealed() }, one("text"), "pairs.one is a secret of its model, and neither sealed nor a hash"],
    ];
    for (const [columns, stored, wanted] of cases) expect(sentences(columns, stored)).to.deep.include(wanted);
    expect(sentences({ one: text() }, one("text"))).to.deep.equal([]);
    expect(sentences({ one: text(), two: date().orNull() }, one("text"), described("pairs", "three", "text"))).to.deep.equal([
      ["pairs.two is a column of the model alone", "alter table pairs add column two date;"],
      ["pairs.three is a column of the database alone", "alter table pairs drop column three;"],
    ]);
  });

  it("are found to differ where a table has no model, has one although it is listed as having none, or is gone", () => {
    const [first = "", ...rest] = exceptions.map(([table]) => table);
    const tables = new Map([...rest, "pairs"].map((table): [string, CatalogueColumn[]] => [table, []]));
    const model = { table: rest[0] as string, columns: {} };
    expect(differencesOf([model], tables).map(({ sentence }) => sentence)).to.deep.equal([
      "pairs has no model, and migrations/schema/without-model.ts does not say why",
      `${first} is listed as a table without a model, and does not exist`,
      `${rest[0]} has a model, and is listed as a table without one`,
    ]);
  });

  it("agree after the step that is written from their differences", async () => {
    const pairs = {
      table: "pairs",
      columns: { ...tenantModel("proof_of_step", { label: text(), other_id: uuid().orNull() }).columns },
    };
    const types = allModels().get("contact_types") as Model;
    const widened = { table: types.table, columns: { ...types.columns, note: text().orNull() } };
    const models = [...ownModels().filter((model) => model !== types), pairs, widened];
    const differences = differencesOf(models, await columnsOfTables(client));
    const folder = mkdtempSync(path.join(tmpdir(), "kantoor-step-"));
    const file = path.join(folder, "step.ts");
    const skeleton = skeletonOf(differences) as string;
    writeFileSync(file, skeleton.replace("./step.ts", path.join(ROOT, "migrations/step.ts")));
    try {
      const { default: step } = (await import(pathToFileURL(file).href)) as { default: Step };
      await client.query("begin");
      await step.up({ sql: (statement) => client.query(statement), application: '"kantoor_app"' });
      expect(differencesOf(models, await columnsOfTables(client))).to.deep.equal([]);
      const policies = await client.query("select polname from pg_policy where polrelid = 'pairs'::regclass order by 1");
      expect(policies.rows.map(({ polname }) => polname)).to.deep.equal(["owner", "tenant"]);
    } finally {
      rmSync(folder, { recursive: true });
      await client.query("rollback");
    }
  });

  it("give no step where no statement brings them together", () => {
    expect(skeletonOf([])).to.equal(null);
    expect(skeletonOf([{ table: "pairs", sentence: "pairs has no model" }])).to.equal(null);
  });
});

describe("a model", () => {
  const { decimal, hashed, sealed, text } = column;
  const Account = tenantModel("proof_accounts", {
    name: text().tracked(),
    note: text().orNull().tracked().blankIsNull(),
    rate: decimal(8, 2).orNull(),
    token: sealed().orNull(),
    token_hash: hashed(),
    search_text: text().byDatabase(),
  });

  it("names its columns for a select list, and none that only PostgreSQL uses", () => {
    expect(columns(model("proof_pairs", { one: text(), other: text() }))).to.equal("one, other");
    expect(columns(Account, "t")).to.equal(
      "t.id, t.organisation_id, t.version, t.created_at, t.updated_at, t.name, t.note, t.rate, t.token, t.token_hash",
    );
  });

  it("knows the trail's columns and where a blank is null", () => {
    expect(Account.tracked).to.deep.equal(["name", "note"]);
    expect(Account.blankIsNull).to.deep.equal(["note"]);
  });

  it("gives Sequelize everything but its secrets", () => {
    const shown = ["id", "organisation_id", "version", "created_at", "updated_at", "name", "note", "rate"];
    expect(readable(Account)).to.deep.equal(shown);
    expect(Object.keys(sequelizeModel(Account).getAttributes())).to.deep.equal(shown);
    expect(sequelizeModel(Account), "one per model").to.equal(sequelizeModel(Account));
  });
});
