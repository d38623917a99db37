import { chmod, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { startEmbedded } from "../../core/embedded/server.ts";
import { cli, environmentOf, type Ran } from "../api/cli/cli-support.ts";
import { cloneDatabase } from "../support/database.ts";
import { type Answer, type Call, send } from "../support/http.ts";
import { launchService, type Spawned } from "../support/process.ts";

/** installation.test.ts has the way there: a backup while companies are made, and a start from it. */
describe("backup and restore of an installation with its own database", function () {
  this.timeout(180_000);
  let root: string;
  const services: Spawned[] = [];
  const at = (name: string) => path.join(root, name);
  const settingsOf = (folder: string) => ({
    SERVICE_DATA_DIR: at(folder),
    SERVICE_HTTP_PORT: "0",
    SERVICE_HTTP_ADDRESS: "127.0.0.1",
    SERVICE_RATE_LIMIT_PER_KEY: "0",
    SERVICE_LOG_LEVEL: "warn",
  });
  const start = async (folder: string, ready?: RegExp): Promise<Spawned> => {
    const service = await launchService({ ...settingsOf(folder), SERVICE_DEMO: "true" }, [], ready ? { ready } : {});
    services.push(service);
    return service;
  };
  /** A way to call as the holder of the first key of a data directory. */
  const callerOf = async ({ port = 0 }: Spawned, folder: string) => {
    const { api_key: key } = JSON.parse(await readFile(path.join(at(folder), "first-run.json"), "utf8"));
    return (method: string, target: string, call: Call = {}): Promise<Answer> =>
      send(port, method, target, { key, host: "localhost", ...call });
  };

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), "kantoor-moving-"));
    // PostgreSQL runs as another user where this process is root, and must get through.
    await chmod(root, 0o711);
  });
  after(async () => {
    for (const service of services) await service.stop();
    for (const folder of ["here", "there"])
      await startEmbedded({ dataDir: at(folder) }).then((server) => server.stop({ force: true }));
    await rm(root, { recursive: true, force: true });
  });

  it("takes one of the running service while companies are made, and carries it to another folder", async () => {
    const service = await start("here", /ready on http:\/\/localhost:(\d+)[\s\S]*Try: /);
    const call = await callerOf(service, "here");
    let finished = false;
    let acknowledged = 0;
    const before = (await call("GET", "/companies?limit=1")).body.total;
    const writer = async () => {
      for (let turn = 0; !finished; turn++) {
        const { status } = await call("POST", "/companies", { body: { name: `During ${turn}` } });
        expect(status).to.equal(201);
        acknowledged += 1;
      }
    };
    const writing = Promise.all([writer(), writer()]);
    const taken = await cli(settingsOf("here"), ["backup", at("moved"), "--json"]);
    finished = true;
    await writing;
    expect([taken.status, taken.err]).to.deep.equal([0, ""]);
    expect(taken.json.keys).to.deep.equal(["keys/secret", "keys/first-run.json"]);
    expect(acknowledged).to.be.greaterThan(2);
    expect(await service.stop()).to.equal(0);

    const brought = await cli(settingsOf("there"), ["restore", at("moved"), "--json"]);
    expect([brought.status, brought.err]).to.deep.equal([0, ""]);
    expect(brought.json.rows).to.equal(taken.json.rows);
    for (const name of ["secret", "first-run.json"]) {
      expect(await readFile(path.join(at("there"), name), "utf8")).to.equal(await readFile(path.join(at("here"), name), "utf8"));
      expect((await stat(path.join(at("there"), name))).mode & 0o777).to.equal(0o600);
    }
    const moved = await callerOf(await start("there"), "there");
    const total = (await moved("GET", "/companies?limit=1")).body.total;
    expect(total).to.be.within(before, before + acknowledged);
  });

  it("leads to a service on which the calls of the tour pass", async () => {
    const call = await callerOf(services.at(-1) as Spawned, "there");
    const newest = await call("GET", "/companies?limit=2&sort=-updated_at");
    expect([newest.status, newest.body.items.length]).to.deep.equal([200, 2]);
    const found = await call("GET", "/companies?q=bakkerij&status=lead,onboarding,active");
    expect(found.status).to.equal(200);
    expect(found.body.items.map(({ name }: { name: string }) => name.toLowerCase()).join()).to.contain("bakkerij");

    const body = { name: "Zeilmakerij Wind", phone: "030 231 2345", city: "Utrecht" };
    const made = await call("POST", "/companies", { body, headers: { "Idempotency-Key": "tour-1" } });
    const again = await call("POST", "/companies", { body, headers: { "Idempotency-Key": "tour-1" } });
    expect([made.status, again.status, again.body.id]).to.deep.equal([201, 201, made.body.id]);
    const { items } = (await call("GET", "/companies?q=zeilmakerij")).body;
    expect(items.map(({ id }: { id: string }) => id)).to.include(made.body.id);
    const one = `/companies/${made.body.id}`;
    expect((await call("GET", one)).headers.etag).to.equal('"1"');
    const first = await call("PATCH", one, { body: { status: "archived" }, headers: { "If-Match": '"1"' } });
    const second = await call("PATCH", one, { body: { status: "lead" }, headers: { "If-Match": '"1"' } });
    expect([first.status, second.status]).to.deep.equal([200, 412]);
    expect((await call("GET", "//api/openapi.json")).status).to.equal(200);
  });

  it("goes from an embedded database into an external one and back, unchanged", async () => {
    const database = await cloneDatabase("kantoor");
    try {
      const secret = (await readFile(path.join(at("moved"), "keys/secret"), "utf8")).trim();
      const external = environmentOf(database, { SERVICE_DATA_DIR: at("none"), SERVICE_SECRET: secret });
      const endOf = async (running: Promise<Ran>) => (({ status, err }) => [status, err])(await running);
      const tablesOf = async (folder: string) => {
        const { tables } = JSON.parse(await readFile(path.join(at(folder), "manifest.json"), "utf8"));
        return tables.map(({ table, rows, sha256 }: Record<string, unknown>) => ({ table, rows, sha256 }));
      };
      expect(await endOf(cli(external, ["restore", at("moved")]))).to.deep.equal([0, ""]);
      expect(await endOf(cli(external, ["backup", at("outside")]))).to.deep.equal([0, ""]);
      expect(await tablesOf("outside")).to.deep.equal(await tablesOf("moved"));
      const inside = { ...settingsOf("inside"), SERVICE_SECRET: secret };
      expect(await endOf(cli(inside, ["restore", at("outside")]))).to.deep.equal([0, ""]);
      expect(await endOf(cli(inside, ["backup", at("again")]))).to.deep.equal([0, ""]);
      expect(await tablesOf("again")).to.deep.equal(await tablesOf("moved"));
    } finally {
      await database.drop();
    }
  });

  it("refuses a second restore into the same folder", async () => {
    const ran = await cli(settingsOf("there"), ["restore", at("moved")]);
    expect(ran.status).to.equal(2);
    expect(ran.err).to.match(/^The target is not empty, it has organisations or accounts/);
  });

  it("refuses a data directory with a main secret of its own", async () => {
    const other = { ...settingsOf("third"), SERVICE_SECRET: "a main secret from somewhere else, 0123456789" };
    const ran = await cli(other, ["restore", at("moved")]);
    expect([ran.status, ran.out]).to.deep.equal([2, ""]);
    expect(ran.err).to.match(/^SERVICE_SECRET is not the one in .*moved\/keys\/secret; use that main secret/);
  });
});
