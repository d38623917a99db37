import { rm, stat } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { type EmbeddedServer, startEmbedded } from "../../../core/embedded/server.ts";
import { isGone, makeDirectory, query, refusalOf, until } from "./support.ts";

// One cluster for all tests: making one costs more than all of them. The second tier has the corners.
describe("embedded PostgreSQL", function () {
  this.timeout(120_000);
  let place: string;
  let dataDir: string;
  let server: EmbeddedServer;

  before(async () => {
    place = await makeDirectory();
    dataDir = path.join(place, "data");
    server = await startEmbedded({ dataDir, durable: false, settings: { work_mem: "7MB" } });
  });
  after(async () => {
    await server.stop({ force: true });
    await rm(place, { recursive: true, force: true });
  });

  describe("on an empty data directory", () => {
    it("gives the service a role that owns nothing and is subject to row-level security", async () => {
      expect(server.started).to.equal(true);
      const [application] = await query(
        server.url("application"),
        `select current_user as name, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication,
           (select count(*)::int from pg_class where relowner = r.oid) + (select count(*)::int from pg_namespace where nspowner = r.oid)
           + (select count(*)::int from pg_database where datdba = r.oid) as owned,
           has_schema_privilege('public', 'create') as may_create, has_database_privilege(current_database(), 'create') as may_add
         from pg_roles r where rolname = current_user`,
      );
      expect(application).to.deep.equal({
        name: "kantoor_app",
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        owned: 0,
        may_create: false,
        may_add: false,
      });
    });

    it("gives migrations a role that owns the database and its public schema, and is not a superuser", async () => {
      const [owner] = await query(
        server.url("owner"),
        `select rolname, rolsuper, rolbypassrls, rolcreaterole,
           (select datdba = r.oid from pg_database where datname = 'kantoor') as database,
           (select nspowner = r.oid from pg_namespace where nspname = 'public') as schema
         from pg_roles r where rolname = current_user`,
      );
      expect(owner).to.deep.equal({
        rolname: "kantoor_owner",
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        database: true,
        schema: true,
      });
      await query(server.url("owner"), "create extension pg_trgm; create extension unaccent; create table things (name text)");
    });

    it("sorts by code point in UTF-8, counts in UTC and checks its pages", async () => {
      const [database] = await query(
        server.url("superuser"),
        `select pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datlocale as locale,
           current_setting('timezone') as timezone, current_setting('data_checksums') as checksums, current_setting('work_mem') as work_mem
         from pg_database where datname = current_database()`,
      );
      expect(database).to.deep.equal({
        encoding: "UTF8",
        provider: "b",
        locale: "C.UTF-8",
        timezone: "UTC",
        checksums: "on",
        work_mem: "7MB",
      });
    });

    it("is reached through its socket only, with a password, by roles that were granted the database", async () => {
      const [settings] = await query(server.url("superuser"), "select current_setting('listen_addresses') as addresses");
      expect(settings).to.deep.equal({ addresses: "" });
      const wrong = server.url("application").replace(/:[^:@]+@/, ":wrong@");
      expect(await query(wrong, "select 1").catch((error) => error.code)).to.equal("28P01");
      expect(await query(server.url("application", "postgres"), "select 1").catch((error) => error.code)).to.equal("42501");
      const { mode } = await stat(path.join(dataDir, "postgres-roles.json"));
      expect(mode & 0o777).to.equal(0o600);
    });
  });

  describe("after a crash", () => {
    it("recovers committed data when the server itself was killed, and notifies the process", async () => {
      await server.stop();
      await until(() => isGone(server.pid));
      const reasons: string[] = [];
      server = await startEmbedded({
        dataDir,
        durable: false,
        settings: { synchronous_commit: "on" },
        onExit: (reason) => reasons.push(reason),
      });
      expect(server.started).to.equal(true);
      await query(server.url("owner"), "create table kept as select 1 as id");
      process.kill(server.pid, "SIGKILL");
      await until(() => reasons.length > 0);
      server = await startEmbedded({ dataDir, durable: false });
      expect(server.started).to.equal(true);
      expect(await query(server.url("owner"), "select id from kept")).to.deep.equal([{ id: 1 }]);
    });

    it("is started again by its supervisor, at the same address, and says so", async () => {
      await server.stop();
      const [restarts, exits]: [string[], string[]] = [[], []];
      server = await startEmbedded({
        dataDir,
        durable: false,
        settings: { synchronous_commit: "on" },
        onRestart: (sentence) => restarts.push(sentence),
        onExit: (reason) => exits.push(reason),
      });
      const { pid } = server;
      const address = server.url("owner");
      await query(address, "create table supervised as select 1 as id");
      process.kill(pid, "SIGKILL");
      await until(() => restarts.length > 0);
      expect(server.pid).not.to.equal(pid);
      expect(await query(address, "select id from supervised")).to.deep.equal([{ id: 1 }]);
      expect(restarts).to.deep.equal([
        `PostgreSQL (process ${pid}) has ended (SIGKILL); it was started again as process ${server.pid}.`,
      ]);
      expect(exits).to.deep.equal([]);
    });
  });

  describe("refuses with a sentence that names the way out", () => {
    for (const [what, dataDir] of [
      ["on a file system that takes no folders", "/proc/kantoor"],
      ["two folders deep on such a one", "/proc/kantoor/data"],
      ["below a file", "/dev/null/kantoor"],
    ] as const)
      it(`a directory ${what}, at once`, async () => {
        expect(await refusalOf(dataDir)).to.match(
          /^The data directory \S+ cannot be made or used \([A-Z]+\): fix that, or set SERVICE_DATA_DIR to another directory\.$/,
        );
      });
  });
});
