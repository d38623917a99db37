import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { createOrganisation } from "../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { launchService } from "../support/process.ts";

/** installation.test.ts has a first start and a stop under load. */
describe("starting", function () {
  this.timeout(180_000);
  let database: TestDatabase;
  let sql: pg.Client;
  let settings: Record<string, string>;

  before(async () => {
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    settings = {
      SERVICE_DATABASE_URL: database.application,
      SERVICE_DATABASE_MIGRATION_URL: database.owner,
      SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789",
      SERVICE_HTTP_PORT: "0",
      SERVICE_HTTP_ADDRESS: "127.0.0.1",
      SERVICE_PUBLIC_SCHEME: "http",
      SERVICE_BASE_DOMAIN: "kantoor.test",
      SERVICE_RATE_LIMIT_PER_KEY: "0",
    };
  });
  after(async () => {
    await sql.end();
    await database.drop();
  });

  /** The output of a refused start, with its exit status. */
  async function refusal(changed: Record<string, string>): Promise<string> {
    try {
      const started = await launchService({ ...settings, ...changed });
      await started.stop();
      return "started";
    } catch (error) {
      return (error as Error).message;
    }
  }

  it("refuses a taken port with a sentence that names the setting", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const said = await refusal({ SERVICE_HTTP_PORT: String((taken.address() as AddressInfo).port) });
    taken.close();
    expect(said).to.match(
      /ended with 2:[\s\S]*\nPort \d+ on 127\.0\.0\.1 cannot be used \(EADDRINUSE\); set SERVICE_HTTP_PORT to a free one\.$/,
    );
  });

  it("refuses a wrong setting, a missing secret and a weak encryption key by name", async () => {
    expect(await refusal({ SERVICE_POSTURE: "both" })).to.match(
      /ended with 2:\s+SERVICE_POSTURE must be one of self-hosted, hosted\.$/,
    );
    expect(await refusal({ SERVICE_SECRET: "" })).to.match(
      /ended with 2:\s+SERVICE_SECRET is required with SERVICE_DATABASE_URL/,
    );
    expect(await refusal({ SERVICE_ENCRYPTION_KEY: "changeme" })).to.match(
      /ended with 2:\s+SERVICE_ENCRYPTION_KEY must have at least 32 unpublished characters/,
    );
  });

  describe("on a data directory of another user", () => {
    const isRoot = process.getuid?.() === 0;
    let place: string;
    beforeEach(() => {
      place = mkdtempSync(path.join(tmpdir(), "kantoor-place-"));
      // An ordinary user who runs the tests owns the files, and removes its own right to write instead.
      chmodSync(place, isRoot ? 0o755 : 0o555);
    });
    afterEach(() => {
      chmodSync(place, 0o755);
      rmSync(place, { recursive: true, force: true });
    });

    const refused = async (dataDir: string): Promise<string> => {
      const environment = { SERVICE_DATA_DIR: dataDir, SERVICE_HTTP_PORT: "0", SERVICE_LOG_LEVEL: "warn", HOME: tmpdir() };
      const options = isRoot ? { user: 65534 } : {};
      const started = await launchService(environment, [], options).catch((error: Error) => error.message);
      if (typeof started === "string") return started.slice(started.indexOf(" ended with"));
      await started.stop();
      return "started";
    };
    const denied = (where: string) =>
      ` ended with 2:\n${where} cannot be used by this user (EACCES): start as its owner, or set SERVICE_DATA_DIR to another directory.`;

    it("refuses one it may not write to, and one it may not make, in one sentence", async () => {
      expect(await refused(place)).to.equal(denied(`The data directory ${place}`));
      const below = path.join(place, "below", "data");
      expect(await refused(below)).to.equal(denied(`The data directory ${below}`));
    });

    it("refuses one with unreadable content, in one sentence", async () => {
      chmodSync(place, 0o777);
      writeFileSync(path.join(place, "postgres-location"), "/nowhere", { mode: 0o000 });
      expect(await refused(place)).to.equal(denied(`${place}/postgres-location in the data directory`));
    });
  });

  it("refuses a database that a newer version has migrated", async () => {
    await sql.query("insert into migrations (name) values ('9999-later')");
    const said = await refusal({});
    await sql.query("delete from migrations where name = '9999-later'");
    expect(said).to.match(
      /ended with 2:[\s\S]*migrated by a newer version \(9999-later\); start that version, or restore a backup\./,
    );
  });

  it("refuses to run as a role that row-level security does not bind", async () => {
    const said = await refusal({ SERVICE_DATABASE_URL: database.superuser });
    expect(said).to.match(
      /ended with 2:[\s\S]*must own nothing, be no superuser and not bypass row-level security; name another one\./,
    );
  });

  it("names the commands that create the first organisation, until there is one", async () => {
    const advice = "There is no organisation yet: create one with `npm run cli -- org create <slug>`";
    const started = async (text: RegExp) => launchService(settings, [], { ready: text });
    const empty = await started(/There is no organisation yet.*\n/);
    await empty.stop();
    expect(empty.output()).to.contain(advice);
    await createOrganisation(sql, { slug: "first", name: "First" });
    const filled = await started(/is ready on port (\d+), for organisations at/);
    await filled.stop();
    expect(filled.output()).to.not.contain("no organisation yet");
  });
});
