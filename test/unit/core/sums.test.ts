import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { textsIn } from "../../support/source-texts.ts";
import { sumsIn } from "../../support/sums.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
/** What holds every sum there can be: `sum` of PostgreSQL gives bigint of integers and numeric of decimals (its manual, §9.21). */
const WIDE = new Set([null, "bigint", "int8", "numeric", "float8", "double precision", "text"]);

describe("a sum", () => {
  const narrow = (sql: string) => sumsIn(sql).filter(({ cast }) => !WIDE.has(cast));

  it("is found with its cast, through intermediate functions", () => {
    const casts = (sql: string) => sumsIn(sql).map(({ cast }) => cast);
    expect(casts("select sum(e.minutes) as a, coalesce(sum(b), 0)::int as b")).to.deep.equal([null, "int"]);
    expect(casts("select coalesce(sum(b) filter (where (x > 0) and y), 0)::int4")).to.deep.equal(["int4"]);
    expect(casts("select round(coalesce(sum(b * (c + 1)), 0), 2)::numeric(14, 2)::text")).to.deep.equal(["numeric(14, 2)"]);
    expect(casts("select (sum(a) + 1)::smallint, max(sum(a))::int")).to.deep.equal(["smallint", null]);
    expect(casts("select (x + sum(a))::int")).to.deep.equal(["int"]);
    expect(casts("coalesce(sum(t.minutes)?, 0)::float8")).to.deep.equal(["float8"]);
    expect(casts("select sum(1) over (order by x)::integer, count(*)::int, checksum(x)::int")).to.deep.equal(["integer"]);
  });

  it("is narrowed to an integer of 32 bits or a decimal of so many digits by no SQL text", () => {
    const files = globSync("{services,integrations,core,mixins,operator,cli,migrations,bench}/**/*.ts", { cwd: ROOT });
    const all = files.flatMap((file) => {
      const texts = textsIn(readFileSync(path.join(ROOT, file), "utf8")).filter((text) => /\b(select|sum)\b/i.test(text));
      return texts.flatMap((text) => sumsIn(text).map((sum) => ({ file, ...sum })));
    });
    // Fewer would mean that the texts are not read any more.
    expect(all.length).to.be.greaterThan(30);
    expect(all.filter(({ cast }) => !WIDE.has(cast))).to.deep.equal([]);
  });

  describe("of a function of the database", () => {
    let database: TestDatabase;
    before(async () => {
      database = await cloneDatabase();
    });
    after(() => database.drop());

    it("is not narrowed either", async () => {
      const sql = new pg.Client({ connectionString: database.owner });
      await sql.connect();
      const { rows } = await sql.query(
        `select p.proname as name, p.prosrc as source from pg_proc p join pg_namespace n on n.oid = p.pronamespace
          where n.nspname in ('public', 'jobs') and p.prosrc is not null`,
      );
      await sql.end();
      expect(rows.length).to.be.greaterThan(20);
      expect(rows.filter(({ source }) => narrow(source).length > 0).map(({ name }) => name)).to.deep.equal([]);
    });
  });
});
