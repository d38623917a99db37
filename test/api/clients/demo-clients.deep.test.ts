import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

describe("the clients of the demo organisation", () => {
  let database: TestDatabase;
  let sql: pg.Client;
  let folder: string;

  before(async () => {
    database = await cloneDatabase();
    folder = await mkdtemp(path.join(tmpdir(), "kantoor-demo-"));
    const { status, err } = await cli(environmentOf(database, { SERVICE_DATA_DIR: folder }), ["seed", "--json"]);
    expect(status, err).to.equal(0);
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
  });
  after(async () => {
    await sql?.end();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const rows = async (text: string) => (await sql.query(text)).rows;
  const count = async (from: string): Promise<number> => (await rows(`select count(*)::int as n from ${from}`))[0].n;

  it("are 44 companies and 80 contacts, nearly all of them linked, with a primary contact each and types on many links", async () => {
    expect(await count("companies")).to.equal(44);
    expect(await count("contacts")).to.equal(80);
    expect(await count("contacts where not linked")).to.equal(3);
    expect(await count("contact_links where is_primary")).to.equal(44);
    expect(await count("contact_links where contact_type_id is not null")).to.be.greaterThan(40);
    const { length } = await rows("select 1 from contact_links group by contact_id having count(*) > 1");
    expect(length).to.be.greaterThan(3);
  });

  it("have a handful of custom fields with values", async () => {
    expect(await count("custom_field_definitions where entity_type in ('company', 'contact')")).to.equal(6);
    expect(await count("companies where custom ? 'sector'")).to.equal(44);
    expect(await count("contacts where custom <> '{}'")).to.be.greaterThan(20);
  });

  it("have a trail of several colleagues, by name", async () => {
    expect(await count("activity where entity_type = 'company' and action = 'updated'")).to.equal(12);
    expect(await count("activity where entity_type = 'contact' and action = 'created'")).to.equal(80);
    const actors = await rows("select distinct actor_name from activity where entity_type = 'company'");
    expect(actors.length).to.be.greaterThan(3);
    expect(actors.every((actor) => actor.actor_name !== null)).to.equal(true);
  });
});
