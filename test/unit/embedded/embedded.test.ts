import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { type EmbeddedOptions, type EmbeddedServer, StartRefused, startEmbedded } from "../../../core/embedded/server.ts";
import { ended } from "../../support/effort.ts";

describe("embedded PostgreSQL", function () {
  this.timeout(120_000);
  let root: string;
  const started: EmbeddedServer[] = [];

  const start = async (dataDir: string, options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedServer> => {
    const server = await startEmbedded({ dataDir, durable: false, ...options });
    started.push(server);
    return server;
  };
  const refusalOf = async (dataDir: string): Promise<string> => {
    try {
      await start(dataDir);
    } catch (error) {
      expect(error).to.be.instanceOf(StartRefused);
      return (error as Error).message;
    }
    throw new Error("it started");
  };
  const query = async (url: string, text: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const isGone = async (pid: number): Promise<boolean> => {
    const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    return status === "" || status.includes(") Z ");
  };
  const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await condition())) await delay(10);
  };

  beforeEach(async () => {
    root = await makeDirectory();
  });
  afterEach(async () => {
    for (const server of started.splice(0)) await server.stop({ force: true });
    await rm(root, { recursive: true, force: true });
  });

  describe("on an empty data directory", () => {
    let place: string;
    let server: EmbeddedServer;

    before(async () => {
      place = await makeDirectory();
      server = await startEmbedded({ dataDir: path.join(place, "data"), durable: false, settings: { work_mem: "7MB" } });
    });
    after(async () => {
      await server.stop();
      await rm(place, { recursive: true, force: true });
    });

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
      const { mode } = await stat(path.join(place, "data", "postgres-roles.json"));
      expect(mode & 0o777).to.equal(0o600);
    });
  });

  describe("after a crash", () => {
    it("takes part in the server that a killed process left running", async () => {
      const dataDir = path.join(root, "data");
      const left = await leaveBehind(dataDir);
      const server = await start(dataDir);
      expect(server.started).to.equal(false);
      expect(server.pid).to.equal(left);
      await server.stop();
      await until(() => isGone(left));
    });

    it("recovers committed data when the server itself was killed, and notifies the process", async () => {
      const dataDir = path.join(root, "data");
      const reasons: string[] = [];
      const first = await start(dataDir, { settings: { synchronous_commit: "on" }, onExit: (reason) => reasons.push(reason) });
      await query(first.url("owner"), "create table things as select 1 as id");
      process.kill(first.pid, "SIGKILL");
      await until(() => reasons.length > 0);
      const second = await start(dataDir);
      expect(second.started).to.equal(true);
      expect(await query(second.url("owner"), "select id from things")).to.deep.equal([{ id: 1 }]);
    });

    it("continues when one connection of the server crashed", async () => {
      const reasons: string[] = [];
      const server = await start(path.join(root, "data"), { onExit: (reason) => reasons.push(reason) });
      const client = new pg.Client({ connectionString: server.url("application") });
      client.on("error", () => undefined);
      await client.connect();
      const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
      const ended = new Promise((resolve) => client.once("end", resolve));
      process.kill(rows[0]!.pid, "SIGKILL");
      await ended;
      await until(() =>
        query(server.url("application"), "select 1").then(
          () => true,
          () => false,
        ),
      );
      expect(reasons).to.deep.equal([]);
    });

    it("ends without delay on a signal while it recovers from that", async () => {
      const server = await start(path.join(root, "data"));
      const client = new pg.Client({ connectionString: server.url("application") });
      client.on("error", () => undefined);
      await client.connect();
      const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
      process.kill(rows[0]!.pid, "SIGKILL");
      await delay(20);
      // The test's own time bounds it: a server that waits for its clients would wait for ever.
      await server.stop();
      await until(() => isGone(server.pid));
    });

    it("is not held up by a lock file whose process id now belongs to another program", async () => {
      const dataDir = path.join(root, "data");
      await (await start(dataDir)).stop();
      const { uid, gid } = await stat(path.join(dataDir, "postgres"));
      const stranger = spawn("/bin/sleep", ["60"], { uid, gid, stdio: "ignore" });
      try {
        await writeFile(
          path.join(dataDir, "postgres", "postmaster.pid"),
          `${stranger.pid}\n${dataDir}/postgres\n1\n5432\n\n\n0 0\nready\n`,
        );
        expect((await start(dataDir)).started).to.equal(true);
      } finally {
        stranger.kill("SIGKILL");
      }
    });

    it("begins again when making the cluster was cut short", async () => {
      const dataDir = path.join(root, "data");
      const child = startElsewhere(dataDir);
      const exited = once(child, "exit");
      await until(async () => existsSync(dataDir) && (await readdir(dataDir)).some((name) => name.startsWith("postgres.new-")));
      await delay(100);
      child.kill("SIGKILL");
      await exited;
      const server = await start(dataDir);
      expect(await query(server.url("application"), "select 1 as one")).to.deep.equal([{ one: 1 }]);
      expect((await readdir(dataDir)).sort()).to.deep.equal(["postgres", "postgres-roles.json", "postgres.log"]);
    });
  });

  describe("with several processes", () => {
    it("gives processes that start together one server, which the last to leave ends", async () => {
      const dataDir = path.join(root, "data");
      const child = startElsewhere(dataDir);
      const [here, there] = await Promise.all([start(dataDir), reportOf(child)]);
      expect(here.pid).to.equal(there.pid);
      expect([here.started, there.started].sort()).to.deep.equal([false, true]);
      await here.stop();
      expect(await isGone(here.pid)).to.equal(false);
      const ended = once(child, "exit");
      child.stdin?.end();
      await ended;
      await until(() => isGone(here.pid));
    });

    it("keeps the server out of the process group a terminal interrupts", async () => {
      const server = await start(path.join(root, "data"));
      const [, , group, session] = (await readFile(`/proc/${server.pid}/stat`, "utf8")).split(") ")[1]!.split(" ");
      expect([Number(group), Number(session)]).to.deep.equal([server.pid, server.pid]);
    });
  });

  describe("refuses with a sentence that names the way out", () => {
    it("data of another major version", async () => {
      const dataDir = path.join(root, "data");
      await (await start(dataDir)).stop();
      await writeFile(path.join(dataDir, "postgres", "PG_VERSION"), "17\n");
      expect(await refusalOf(dataDir)).to.match(
        /PostgreSQL 17 created the database in .*, and this release runs 18: .*SERVICE_DATABASE_URL to a PostgreSQL 17 server/,
      );
    });

    it("a cluster whose passwords are lost", async () => {
      const dataDir = path.join(root, "data");
      await (await start(dataDir)).stop();
      await rm(path.join(dataDir, "postgres-roles.json"));
      expect(await refusalOf(dataDir)).to.match(/postgres-roles\.json has no password for .*: restore it from a backup/);
    });

    it("a place that holds other files", async () => {
      const dataDir = path.join(root, "data");
      await (await start(dataDir)).stop();
      await rm(path.join(dataDir, "postgres", "PG_VERSION"));
      expect(await refusalOf(dataDir)).to.match(/contains files but no database: move them away/);
    });

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

    it("a setting PostgreSQL does not take, with PostgreSQL's own words", async () => {
      const dataDir = path.join(root, "data");
      const outcome = await start(dataDir, { settings: { max_connections: "many" } }).catch((error: Error) => error.message);
      expect(outcome).to.match(/does not start \(.*max_connections.*\): see the details in .*postgres\.log/);
    });
  });

  it("works in a directory whose path is too long and too odd for a socket, and clears up", async () => {
    const dataDir = path.join(root, "a directory, 50% \"quoted\" 'thus'", "deep".repeat(25), "data");
    const server = await start(dataDir);
    expect(server.socketDirectory.length).to.be.lessThan(90);
    expect(await query(server.url("application"), "select 1 as one")).to.deep.equal([{ one: 1 }]);
    await server.stop();
    expect(existsSync(server.socketDirectory)).to.equal(false);
  });

  it("keeps the cluster in a data directory that is private to its owner, and others out of it", async () => {
    const dataDir = path.join(root, "data");
    await mkdir(dataDir, { mode: 0o700 });
    expect((await start(dataDir)).socketDirectory).to.equal(path.join(dataDir, "postgres"));
    expect((await stat(dataDir)).mode & 0o067).to.equal(0);
  });

  it("knows a data directory by any path to it", async () => {
    const first = await start(path.join(root, "data"));
    await symlink(path.join(root, "data"), path.join(root, "link"));
    const second = await start(path.join(root, "link"));
    expect(second.pid).to.equal(first.pid);
  });

  it("is ready when it was there before, long before one that is made at the same moment", async () => {
    const dataDir = path.join(root, "data");
    await (await start(dataDir)).stop();
    const [again, anew] = [start(dataDir), start(path.join(root, "new"))];
    const isMade = ended(anew);
    await again;
    expect(isMade()).to.equal(false);
    await anew;
  });
});

/** Makes a temporary directory other users can enter: as root, PostgreSQL runs as one of them. */
async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "kantoor-embedded-"));
  await chmod(directory, 0o755);
  return directory;
}

const ELSEWHERE = `
  const { startEmbedded } = await import(process.argv[1]);
  const server = await startEmbedded({ dataDir: process.argv[2], durable: false });
  process.stdout.write(JSON.stringify({ pid: server.pid, started: server.started }) + "\\n");
  process.stdin.resume().once("end", () => server.stop());
`;

/** Starts the server from another Node process, which stops it when its standard input ends. */
function startElsewhere(dataDir: string): ChildProcess {
  const module = new URL("../../../core/embedded/server.ts", import.meta.url).href;
  return spawn(process.execPath, ["--input-type=module", "-e", ELSEWHERE, module, dataDir], {
    stdio: ["pipe", "pipe", "inherit"],
  });
}

async function reportOf(child: ChildProcess): Promise<{ pid: number; started: boolean }> {
  const [line] = await once(child.stdout!, "data");
  return JSON.parse(String(line));
}

/** Kills a process that has started the server and gives the server's process id. */
async function leaveBehind(dataDir: string): Promise<number> {
  const child = startElsewhere(dataDir);
  const { pid } = await reportOf(child);
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  return pid;
}
