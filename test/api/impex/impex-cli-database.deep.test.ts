import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { createOrganisation } from "../../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

describe("what PostgreSQL does to an import on the command line", () => {
  let database: TestDatabase;
  let sql: pg.Client;
  let folder: string;
  let file: string;
  let organisationId: string;

  before(async () => {
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.superuser });
    await sql.connect();
    folder = await mkdtemp(path.join(tmpdir(), "kantoor-impex-"));
    file = path.join(folder, "companies.csv");
    await writeFile(file, "name,notes\nAster,one\nBegonia,two\n");
    organisationId = (await createOrganisation(sql, { slug: "imports", name: "Imports" })).id;
  });
  beforeEach(() => sql.query("delete from companies where organisation_id = $1", [organisationId]));
  after(async () => {
    await sql.end();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Has each new company run a line of PL/pgSQL first. */
  const onEach = (line: string) =>
    sql.query(`create or replace function on_each() returns trigger language plpgsql security definer as $$ begin ${line} return new; end $$;
      drop trigger if exists on_each on companies;
      create trigger on_each before insert on companies for each row execute function on_each()`);
  const run = () => cli(environmentOf(database), ["import", "companies", file, "--org", "imports"]);
  const notes = async () =>
    (await sql.query("select distinct notes from companies where organisation_id = $1", [organisationId])).rows.map(
      (row) => row.notes as string,
    );

  it("it does not end: a transaction may wait for the process as long as that needs", async () => {
    await onEach("new.notes := current_setting('idle_in_transaction_session_timeout');");
    expect((await run()).status).to.equal(0);
    expect(await notes()).to.deep.equal(["0"]);
  });

  it("reports a lost connection in a sentence, without a stack, and leaves nothing", async () => {
    await onEach("if new.name = 'Begonia' then perform pg_terminate_backend(pg_backend_pid()); end if;");
    const { status, out, err } = await run();
    expect([status, out]).to.deep.equal([1, ""]);
    expect(err).to.match(/^PostgreSQL is unreachable, or has aborted this command: .+ Unfinished work was rolled back\.\n$/);
    expect(await notes()).to.deep.equal([]);
  });
});
