import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { type EmbeddedOptions, type EmbeddedServer, startEmbedded } from "../../../core/embedded/server.ts";

describe("the supervisor of an embedded PostgreSQL", function () {
  this.timeout(120_000);
  let root: string;
  let dataDir: string;
  let server: EmbeddedServer | undefined;
  let restarts: string[];
  let exits: string[];

  const start = async (options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedServer> => {
    const reported = { onRestart: (sentence: string) => restarts.push(sentence), onExit: (reason: string) => exits.push(reason) };
    server = await startEmbedded({ dataDir, durable: false, ...reported, ...options });
    return server;
  };
  const query = async (text: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: (server as EmbeddedServer).url("owner") });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await condition())) await delay(10);
  };
  /** Ids of the processes that run on the data directory. */
  const servers = async (): Promise<number[]> => {
    const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
    const running = await Promise.all(
      ids.map(async (id) =>
        (await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")).split("\0").includes(`${dataDir}/postgres`),
      ),
    );
    return ids.filter((_, at) => running[at]);
  };

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), "kantoor-supervised-"));
    await chmod(root, 0o755);
    dataDir = path.join(root, "data");
    [restarts, exits] = [[], []];
  });
  afterEach(async () => {
    await server?.stop({ force: true });
    server = undefined;
    await rm(root, { recursive: true, force: true });
  });

  for (const signal of ["SIGKILL", "SIGQUIT", "SIGINT", "SIGTERM"] as const)
    it(`starts one again that was ended by ${signal}, at the same address, and says so`, async () => {
      const { pid } = await start({ settings: { synchronous_commit: "on" } });
      await query("create table things as select 1 as id");
      process.kill(pid, signal);
      await until(() => restarts.length > 0);
      expect((server as EmbeddedServer).pid).not.to.equal(pid);
      expect(await query("select id from things")).to.deep.equal([{ id: 1 }]);
      expect(restarts).to.have.length(1);
      expect(restarts[0]).to.match(
        new RegExp(
          `^PostgreSQL \\(process ${pid}\\) has ended \\(.+\\); it was started again as process ${(server as EmbeddedServer).pid}\\.$`,
        ),
      );
      expect(exits).to.deep.equal([]);
    });

  it("gives up after the third time in a minute and says why, once", async () => {
    await start();
    for (const time of [1, 2, 3]) {
      process.kill((server as EmbeddedServer).pid, "SIGKILL");
      await until(() => restarts.length + exits.length === time);
    }
    expect(restarts).to.have.length(2);
    expect(exits[0]).to.match(
      /^PostgreSQL \(process \d+\) has ended \(SIGKILL\), for the third time within a minute: see \S+postgres\.log\.$/,
    );
    await delay(300);
    expect([exits.length, await servers()]).to.deep.equal([1, []]);
  });

  it("gives up at once when it cannot be started any more", async () => {
    const { pid } = await start();
    await rm(path.join(dataDir, "postgres/global"), { recursive: true });
    process.kill(pid, "SIGKILL");
    await until(() => exits.length > 0);
    expect(exits[0]).to.match(
      /has ended \(SIGKILL\) and cannot be started again\. PostgreSQL does not start \(.+\): see the details in/,
    );
    expect(restarts).to.deep.equal([]);
  });

  it("leaves none behind when it is stopped in the moment the server ends", async () => {
    for (const pause of [0, 20, 100, 200]) {
      const { pid, stop } = await start();
      process.kill(pid, "SIGKILL");
      await delay(pause);
      await stop();
      await until(async () => (await servers()).length === 0);
    }
    expect(exits).to.deep.equal([]);
  });

  it("starts one server for several processes that share it", async () => {
    const first = await start();
    const other = spawn(process.execPath, ["--input-type=module", "-e", OTHER, MODULE, dataDir], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = linesOf(other);
    const { pid } = first;
    expect(Number(await lines())).to.equal(pid);
    process.kill(pid, "SIGKILL");
    const theirs = Number(await lines());
    await until(() => restarts.length > 0);
    expect(first.pid).to.equal(theirs);
    await first.stop();
    expect(await servers(), "the other one uses it").to.include(theirs);
    const ended = once(other, "exit");
    other.stdin?.end();
    await ended;
    await until(async () => (await servers()).length === 0);
  });

  it("calls a start off that is not wanted any more, and leaves nothing running", async () => {
    for (const pause of [0, 50, 200, 400, 600]) {
      const calling = new AbortController();
      const starting = start({ signal: calling.signal }).then(
        (started) => started.stop(),
        (error: Error) => expect(error.name).to.equal("AbortError"),
      );
      await delay(pause);
      calling.abort();
      await starting;
      await until(async () => (await servers()).length === 0);
    }
    expect((await start()).started).to.equal(true);
  });
});

const MODULE = new URL("../../../core/embedded/server.ts", import.meta.url).href;

/** Another process of the data directory: prints the id of the server, now and after each restart. */
const OTHER = `
  const { startEmbedded } = await import(process.argv[1]);
  const tell = () => process.stdout.write(server.pid + "\\n");
  const server = await startEmbedded({ dataDir: process.argv[2], durable: false, onRestart: tell });
  tell();
  process.stdin.resume().once("end", () => server.stop());
`;

/** Gives the lines of a process one by one. */
function linesOf(child: ChildProcess): () => Promise<string> {
  let said = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (said += text));
  return async () => {
    while (!said.includes("\n")) await delay(10);
    const [line = "", ...rest] = said.split("\n");
    said = rest.join("\n");
    return line;
  };
}
