import { execFile, execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { startEmbedded } from "../../core/embedded/server.ts";
import { cli } from "../api/cli/cli-support.ts";
import { linesOf, SHELL } from "../support/documents.ts";
import { type Answer, type Call, send } from "../support/http.ts";
import { cleanEnvironment, launchService, type Spawned } from "../support/process.ts";

const REPL = path.join(import.meta.dirname, "../../cli/repl.ts");

/**
 * The life of one installation: its first start, the README's lines, its console, a backup, a stop under load, and a start from the backup.
 * The corners of each are in start, repl, backup and tour `.deep.test.ts`.
 */
describe("an installation with its own database", function () {
  this.timeout(300_000);
  let root: string;
  const services: Spawned[] = [];
  const dataOf = (folder: string) => path.join(root, folder, "data");
  const settingsOf = (folder: string) => ({
    SERVICE_DATA_DIR: dataOf(folder),
    SERVICE_HTTP_PORT: "0",
    SERVICE_HTTP_ADDRESS: "127.0.0.1",
    SERVICE_RATE_LIMIT_PER_KEY: "0",
  });
  const start = async (folder: string, more: Record<string, string>, ready?: RegExp): Promise<Spawned> => {
    const service = await launchService({ ...settingsOf(folder), ...more }, [], ready ? { ready } : {});
    services.push(service);
    return service;
  };
  /** A way to call as the holder of the first key of a data directory. */
  const callerOf = async ({ port = 0 }: Spawned, folder: string) => {
    const { api_key: key } = JSON.parse(await readFile(path.join(dataOf(folder), "first-run.json"), "utf8"));
    return (method: string, target: string, call: Call = {}): Promise<Answer> =>
      send(port, method, target, { key, host: "localhost", ...call });
  };
  let service: Spawned;
  let call: Awaited<ReturnType<typeof callerOf>>;
  /** Companies when the backup began, and those made until it ended. */
  let [initial, acknowledged] = [0, 0];

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), "kantoor-installation-"));
    // PostgreSQL runs as another user where this process is root, and must get through.
    await chmod(root, 0o711);
    for (const folder of ["here", "there"]) await mkdir(path.join(root, folder), { mode: 0o755 });
    // The first start prints the key after it reports ready.
    service = await start("here", { SERVICE_LOG_LEVEL: "debug" }, /ready on http:\/\/localhost:(\d+)[\s\S]*Try: /);
    call = await callerOf(service, "here");
  });
  after(async () => {
    for (const one of services) await one.stop();
    for (const folder of ["here", "there"])
      await startEmbedded({ dataDir: dataOf(folder) }).then((server) => server.stop({ force: true }));
    await rm(root, { recursive: true, force: true });
  });

  it("answers the README's first lines", () => {
    const [lines = ""] = linesOf("## Try it");
    // Each answer on a line of its own.
    const typed = lines.replaceAll(/^(?=curl)/gm, "echo; ").replaceAll("localhost:3000", `localhost:${service.port}`);
    const options = { cwd: path.join(root, "here"), encoding: "utf8", env: cleanEnvironment() } as const;
    const printed = execFileSync(SHELL, ["-euc", typed], options).split("\n");
    const [found, summary, refused] = printed.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
    expect([found.items.length, summary.open_count > 0]).to.deep.equal([1, true]);
    expect(
      printed.filter((line) => line.startsWith("[")),
      "the groups of the dashboard",
    ).to.have.length(1);
    expect(refused.error).to.deep.equal({
      code: "validation",
      message: "errors.validation",
      fields: { country: "errors.validation" },
    });
  });

  it("has a console for the owner of its data directory", async () => {
    const type = (...lines: string[]): Promise<string> =>
      new Promise((resolve, reject) => {
        const env = { ...cleanEnvironment(), ...settingsOf("here") };
        const words = ["--disable-warning=ExperimentalWarning", REPL];
        const child = execFile(process.execPath, words, { env }, (error, out) => (error ? reject(error) : resolve(out)));
        child.stdin?.end(lines.map((line) => `${line}\n`).join(""));
      });
    expect((await stat(path.join(dataOf("here"), "repl.sock"))).mode & 0o777).to.equal(0o600);
    const [, slug] = /^(\S+) +[0-9a-f-]{36} +active/m.exec(await type("orgs")) ?? [];
    const create = 'call companies.create {"body": {"name": "By console"}}';
    const said = await type(create, `as ${slug}`, create, "explain get /companies");
    expect(said).to.contain("Enter `as <organisation>` first").and.to.contain("name: 'By console'");
    expect(said).to.match(/^statements +\d+ in its last call on this node$/m);
    expect((await call("GET", "/companies?q=By%20console")).body.total).to.equal(1);
  });

  it("is backed up while companies are made", async () => {
    let finished = false;
    initial = (await call("GET", "/companies?limit=1")).body.total;
    const writer = async () => {
      for (let turn = 0; !finished; turn++) {
        const { status } = await call("POST", "/companies", { body: { name: `During ${turn}` } });
        expect(status).to.equal(201);
        acknowledged += 1;
      }
    };
    const writing = Promise.all([writer(), writer()]);
    const taken = await cli(settingsOf("here"), ["backup", path.join(root, "moved"), "--json"]).finally(() => (finished = true));
    await writing;
    expect([taken.status, taken.err]).to.deep.equal([0, ""]);
    expect(taken.json.keys).to.deep.equal(["keys/secret", "keys/first-run.json"]);
    expect(acknowledged).to.be.greaterThan(2);
  });

  /** One POST on a connection of its own: the status, or the error's code. */
  function post(name: string, key: string): Promise<number | string> {
    const body = JSON.stringify({ name });
    const headers = { Host: "localhost", "X-API-Key": key, "Content-Type": "application/json", "X-Request-Id": name };
    return new Promise((resolve) => {
      const options = { port: service.port, host: "127.0.0.1", method: "POST", path: "/api/v1/companies", headers, agent: false };
      const request = http.request(options, (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode ?? 0));
      });
      request.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "error"));
      request.end(body);
    });
  }

  it("on SIGTERM lets running requests finish, accepts no new ones, and loses none it answered", async () => {
    const { api_key: key } = JSON.parse(await readFile(path.join(dataOf("here"), "first-run.json"), "utf8"));
    const answers: (number | string)[] = [];
    let stopped = false;
    const callers = Array.from({ length: 16 }, async (_, caller) => {
      for (let turn = 0; !stopped; turn++) {
        const answer = await post(`drain-${caller}-${turn}`, key);
        answers.push(answer);
        if (answer === "ECONNREFUSED") return;
      }
    });
    while (answers.length < 40) await delay(20);
    const status = await service.stop();
    stopped = true;
    await Promise.all(callers);
    expect(status).to.equal(0);
    // A reset is a connection the kernel had queued and no process accepted: the count below shows that none of them did anything.
    const others = answers.filter((answer) => answer !== 201 && answer !== "ECONNREFUSED" && answer !== "ECONNRESET");
    expect(others, "answers that are neither done nor refused at the door").to.deep.equal([]);
    const done = answers.filter((answer) => answer === 201).length;
    const server = await startEmbedded({ dataDir: dataOf("here") });
    const sql = new pg.Client({ connectionString: server.url("owner") });
    await sql.connect();
    const { rows } = await sql.query("select count(*)::int as count from companies where name like 'drain-%'");
    await sql.end();
    await server.stop({ force: true });
    expect(done).to.be.greaterThan(20);
    expect(rows[0].count).to.equal(done);
  });

  it("has left a line per request at level debug, with request id and organisation and without the key", async () => {
    const { api_key: key } = JSON.parse(await readFile(path.join(dataOf("here"), "first-run.json"), "utf8"));
    // The first start itself prints the key, for people.
    const logged = service.output().match(/^\{.*$/gm) ?? [];
    const line = JSON.parse(logged.find((one) => one.includes('"drain-') && one.includes("POST /api/v1/companies")) as string);
    expect(line).to.include({ status: 201, msg: "POST /api/v1/companies" });
    expect(line.organisation).to.match(/^[a-z-]+$/);
    expect(line.requestId).to.match(/^drain-/);
    expect(logged.filter((one) => one.includes(key.split("_")[2]))).to.deep.equal([]);
  });

  it("goes on in another folder, from the backup", async () => {
    const brought = await cli(settingsOf("there"), ["restore", path.join(root, "moved"), "--json"]);
    expect([brought.status, brought.err]).to.deep.equal([0, ""]);
    for (const name of ["secret", "first-run.json"]) {
      const [here, there] = [path.join(dataOf("here"), name), path.join(dataOf("there"), name)];
      expect(await readFile(there, "utf8")).to.equal(await readFile(here, "utf8"));
      expect((await stat(there)).mode & 0o777).to.equal(0o600);
    }
    const moved = await callerOf(await start("there", { SERVICE_LOG_LEVEL: "warn" }), "there");
    expect((await moved("GET", "/companies?limit=1")).body.total).to.be.within(initial, initial + acknowledged);
    const body = { name: "Zeilmakerij Wind", city: "Utrecht" };
    const made = await moved("POST", "/companies", { body, headers: { "Idempotency-Key": "tour-1" } });
    const again = await moved("POST", "/companies", { body, headers: { "Idempotency-Key": "tour-1" } });
    expect([made.status, again.status, again.body.id]).to.deep.equal([201, 201, made.body.id]);
    expect(await services.at(-1)?.stop()).to.equal(0);
  });
});
