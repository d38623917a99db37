import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { type EmbeddedOptions, type EmbeddedServer, startEmbedded } from "../../../core/embedded/server.ts";
import { ended } from "../../support/effort.ts";
import { isGone, leaveBehind, makeDirectory, query, refusalOf, reportOf, startElsewhere, until } from "./support.ts";

describe("embedded PostgreSQL, at its corners", function () {
  this.timeout(120_000);
  let root: string;
  const started: EmbeddedServer[] = [];

  const start = async (dataDir: string, options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedServer> => {
    const server = await startEmbedded({ dataDir, durable: false, ...options });
    started.push(server);
    return server;
  };
  beforeEach(async () => {
    root = await makeDirectory();
  });
  afterEach(async () => {
    for (const server of started.splice(0)) await server.stop({ force: true });
    await rm(root, { recursive: true, force: true });
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
