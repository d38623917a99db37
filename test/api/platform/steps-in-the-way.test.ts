import { expect } from "chai";
import pg from "pg";
import { type Applying, applyStep } from "../../../migrations/apply.ts";
import { PauseWatch } from "../../../migrations/pauses.ts";
import { MigrationRefused } from "../../../migrations/refused.ts";
import type { Step } from "../../../migrations/step.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { until } from "../../support/jobs.ts";
import { waitingFor } from "../../support/waiting.ts";

/** Key of the advisory lock that a migrating session holds; no session waits for it here. */
const TURN = 1;

describe("a step of the schema that meets the writes of other nodes", () => {
  let database: TestDatabase;
  let client: pg.Client;
  let writer: pg.Client;
  let other: pg.Client;
  let watch: PauseWatch;
  let said: string[];

  before(async () => {
    database = await cloneDatabase();
    [client, writer, other] = (await Promise.all(
      [1, 2, 3].map(async () => {
        const connection = new pg.Client({ connectionString: database.owner });
        await connection.connect();
        return connection;
      }),
    )) as [pg.Client, pg.Client, pg.Client];
    watch = await PauseWatch.open(database.owner, client, TURN);
  });
  after(async () => {
    await watch.close();
    await Promise.all([client, writer, other].map((connection) => connection.end()));
    await database.drop();
  });
  beforeEach(async () => {
    said = [];
    await other.query(`drop table if exists one, two; delete from migrations where name = '9000-tried';
      create table one (id int primary key, name text); create table two (id int primary key, name text);
      insert into one values (1, 'a'), (2, 'b'); insert into two values (1, 'a')`);
  });
  afterEach(() => Promise.all([writer.query("rollback"), other.query("rollback")]));

  /** Applies a step, and runs what a test has for the sentences of its repetitions. */
  const apply = (
    step: Step,
    { waits = [1, 1, 1], onRepeat = async () => {} }: { waits?: number[]; onRepeat?: () => Promise<unknown> } = {},
  ) => {
    const applying: Applying = {
      client,
      watch,
      application: '"kantoor_app"',
      waits,
      log: (line) => {
        said.push(line);
        void onRepeat();
      },
    };
    return applyStep("9000-tried", step, applying);
  };
  const isRecorded = async () => (await client.query("select 1 from migrations where name = '9000-tried'")).rowCount === 1;
  const addsColumn: Step = { up: async ({ sql }) => void (await sql("alter table one add column added int")) };
  const columns = async () =>
    (await client.query("select count(*)::int as n from information_schema.columns where table_name = 'one'")).rows[0].n;

  it("is repeated after a lock that it does not get, and succeeds when the writer has committed", async () => {
    await writer.query("begin; update one set name = 'w' where id = 1");
    await apply(addsColumn, { waits: Array(20).fill(1), onRepeat: () => writer.query("commit") });
    expect(said).to.deep.equal(["The schema's step 9000-tried is repeated in 1 ms: another session held a lock that it needs."]);
    expect([await isRecorded(), await columns()]).to.deep.equal([true, 3]);
    expect((await client.query("select name from one where id = 1")).rows).to.deep.equal([{ name: "w" }]);
  });

  it("lets a writer pass that waits behind it, while an older transaction still has the table", async () => {
    await writer.query("begin; update one set name = 'w' where id = 1");
    let passed = false;
    const applied = apply(addsColumn, {
      waits: Array(50).fill(50),
      // The first transaction ends only when the second write, which queued behind the step, has ended.
      onRepeat: async () => (passed ? writer.query("commit") : null),
    });
    await until(async () => (await waitingFor(writer)) === 1);
    await other.query("update one set name = 'o' where id = 2");
    passed = true;
    await applied;
    expect(said[0]).to.equal("The schema's step 9000-tried is repeated in 50 ms: other sessions waited behind it.");
    expect((await client.query("select id, name from one order by id")).rows).to.deep.equal([
      { id: 1, name: "w" },
      { id: 2, name: "o" },
    ]);
    expect(await columns()).to.equal(3);
  });

  it("ends a deadlock itself: the writer goes on, and the step is repeated", async () => {
    let crossed: Promise<unknown> | null = null;
    let tries = 0;
    await writer.query("begin; update two set name = 'w'");
    const step: Step = {
      async up({ sql }) {
        await sql("alter table one add column added int");
        // A look at a step's statements sends none.
        if ((await sql("select 1")).rows.length === 0) return;
        tries += 1;
        // The writer has the second table, and now asks for the first.
        crossed ??= writer.query("update one set name = 'w'; commit");
        if (tries === 1) await until(async () => (await waitingFor(client)) === 1);
        await sql("alter table two add column added int");
      },
    };
    await apply(step);
    await crossed;
    expect([tries, said.length, await isRecorded()]).to.deep.equal([2, 1, true]);
    expect((await client.query("select distinct name from one")).rows).to.deep.equal([{ name: "w" }]);
  });

  it("rolls back work that others wait for, and is refused in a sentence after its last attempt", async () => {
    const step: Step = {
      async up({ sql }) {
        await sql("alter table one add column added int");
        if ((await sql("select 1")).rows.length === 0) return;
        const waits = other.query("update one set name = 'o' where id = 2");
        await Promise.all([waits, sql("select pg_sleep(600)").then(() => waits)]);
      },
    };
    const error: unknown = await apply(step, { waits: [1] }).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(MigrationRefused);
    expect((error as Error).message).to.equal(
      "The schema's step 9000-tried was tried 2 times while the service runs, and each time other sessions waited behind it: " +
        "the other nodes go on. Start this node again at a quiet hour, or stop the others first.",
    );
    expect([await isRecorded(), await columns()]).to.deep.equal([false, 2]);
    expect((await client.query("select name from one where id = 2")).rows).to.deep.equal([{ name: "o" }]);
  });

  it("fails at once with an error of its own", async () => {
    const failing: Step = { up: async ({ sql }) => void (await sql("alter table absent add column added int")) };
    expect(await apply(failing).catch(({ code }) => code)).to.equal("42P01");
    expect(said).to.deep.equal([]);
  });

  describe("and creates indexes on a large table", () => {
    /** Locks that the step's own transaction has on the table and that stop writers. */
    const STOPS = `select mode from pg_locks where pid = pg_backend_pid() and relation = 'one'::regclass
      and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock')`;
    const definitions = async () =>
      (await client.query("select indexname, indexdef from pg_indexes where tablename = 'one' order by 1")).rows;
    let stops: unknown[];
    const step: Step = {
      async up({ sql }) {
        await sql(`
          -- A text with a semicolon; and one 'quoted' in a comment.
          create index one_by_name on one (name, id) where name <> ';';
          drop index one_old;
          create unique index one_once on one (lower(name), id)`);
        stops = (await sql(STOPS)).rows;
        await sql("update one set name = 'a' || id where name = 'twice'");
        await sql("create unique index one_names on one (name)");
        await sql("alter table one add column added int");
        await sql("create index one_added on one (added)");
      },
    };
    const fill = (rows: number) =>
      other.query(`insert into one select n, 'name ' || n from generate_series(10, ${rows}) n; insert into one values (3, 'twice'), (4, 'twice');
        create index one_old on one (name)`);

    it("builds them before, without a lock that stops writers, and leaves the same catalogue", async () => {
      await fill(20);
      await apply(step);
      expect(stops, "a small table's are built in the transaction").to.have.length(1);
      const plain = await definitions();
      expect(plain.map(({ indexname }) => indexname)).to.deep.equal([
        "one_added",
        "one_by_name",
        "one_names",
        "one_once",
        "one_pkey",
      ]);

      await other.query(
        "delete from migrations where name = '9000-tried'; drop table one; create table one (id int primary key, name text)",
      );
      await fill(40_000);
      await apply(step);
      expect(stops).to.deep.equal([]);
      expect(await definitions()).to.deep.equal(plain);
      expect((await client.query("select count(*)::int as n from pg_index where not indisvalid")).rows).to.deep.equal([{ n: 0 }]);
    });

    it("leaves none of them behind when it is refused", async () => {
      await fill(40_000);
      const before = await definitions();
      const busy: Step = {
        async up({ sql }) {
          await step.up({ sql, application: "" });
          if ((await sql("select 1")).rows.length === 0) return;
          const waits = other.query("update one set name = 'o' where id = 2");
          await Promise.all([waits, sql("select pg_sleep(600)").then(() => waits)]);
        },
      };
      expect(await apply(busy, { waits: [] }).catch((error) => error)).to.be.instanceOf(MigrationRefused);
      expect(await definitions()).to.deep.equal(before);
    });
  });
});
