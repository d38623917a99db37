import { expect } from "chai";
import pg from "pg";
import { createOrganisation } from "../../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { keepWriteLog, nothingBut, watchWrites } from "../../support/fixture/write-log.ts";

describe("the log of writes", () => {
  let database: TestDatabase;
  let sql: pg.Client;
  let [ours, theirs] = ["", ""];

  before(async () => {
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    await keepWriteLog(sql);
    ours = (await createOrganisation(sql, { slug: "ours", name: "Ours" })).id;
    theirs = (await createOrganisation(sql, { slug: "theirs", name: "Theirs" })).id;
  });
  after(async () => {
    await sql.end();
    await database.drop();
  });

  const insert = (organisation: string, name: string) =>
    sql.query("insert into companies (id, organisation_id, name) values (gen_random_uuid(), $1, $2)", [organisation, name]);
  /** The log entry of a statement about our organisation. */
  const left = async (write: () => Promise<unknown>): Promise<string[]> => {
    const written = await watchWrites({ sql }, ours);
    await write();
    return (await written()).tables;
  };

  it("lists inserts, changes and removals of the organisation's rows by table", async () => {
    expect(await left(() => insert(ours, "One"))).to.deep.equal(["companies +1", "company_match_keys +1"]);
    const change = "update companies set name = name || $2 where organisation_id = $1";
    expect(await left(() => sql.query(change, [ours, "!"]))).to.deep.equal(["companies +0", "company_match_keys +0"]);
    expect(await left(() => sql.query("delete from companies where organisation_id = $1", [ours]))).to.deep.equal([
      "companies -1",
      "company_match_keys -1",
      // Copies of lists read what was deleted.
      "gone_rows +1",
    ]);
  });

  it("recognises a row that was created and removed again, and a table that was emptied", async () => {
    const passing = async () => {
      await insert(ours, "Passing");
      await sql.query("delete from companies where organisation_id = $1", [ours]);
    };
    expect(await left(passing)).to.deep.equal(["companies +0", "company_match_keys +0", "gone_rows +1"]);
    expect(await left(() => sql.query("truncate product_licences, mails"))).to.deep.equal(["mails +0"]);
  });

  it("ignores another organisation's rows, unchanged rows, and undone changes", async () => {
    await insert(ours, "Two");
    const same = "update companies set name = name where organisation_id = $1";
    const takenBack = async () => {
      await sql.query("begin");
      await insert(ours, "Never");
      await sql.query("rollback");
    };
    for (const write of [() => insert(theirs, "Three"), () => sql.query(same, [ours]), takenBack])
      expect(await left(write)).to.deep.equal([]);
  });

  it("becomes one sentence, or none", () => {
    expect(nothingBut({ tables: [], gained: 0 })).to.deep.equal([]);
    expect(nothingBut({ tables: ["companies +1", "outbox +1"], gained: 2 })).to.deep.equal([
      "something was written: companies +1, outbox +1",
    ]);
  });
});
