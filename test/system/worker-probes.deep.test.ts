import { expect } from "chai";
import pg from "pg";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { send } from "../support/http.ts";
import { until } from "../support/jobs.ts";
import { requireNats, startNats } from "../support/nodes/nats.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { freePort } from "../support/ports.ts";
import { launchService, type Spawned } from "../support/process.ts";

const AWAITS_SCHEMA = /The database lacks a step this version needs/;

describe("the probes of a node without the gateway", function () {
  this.timeout(480_000);
  let database: TestDatabase;
  let owner: pg.Client;
  let nats: Spawned;
  let worker: Spawned | undefined;
  let port: number;

  before(async function () {
    requireNats(this);
    database = await cloneDatabase();
    owner = new pg.Client({ connectionString: database.owner });
    await owner.connect();
    nats = await startNats();
    port = await freePort();
  });
  after(async () => {
    await worker?.stop();
    await nats?.stop();
    await owner?.end();
    await database?.drop();
  });

  const probe = async (path: string) => {
    const { status, body } = await send(port, "GET", path);
    return [status, body];
  };
  const lacks = (...missing: string[]) => [503, { status: "degraded", missing }];
  const alive = [200, { status: "ok" }];

  it("answer while it waits for the schema, while it serves, and while NATS is away", async () => {
    const { rows } = await owner.query("delete from migrations where name = (select max(name) from migrations) returning name");
    const settings = { ...nodeSettings(database, nats), SERVICE_HEALTH_PORT: String(port), SERVICE_LOG_LEVEL: "info" };
    worker = await launchService(settings, ["--actors", "!api"], { ready: AWAITS_SCHEMA });
    expect(await probe("//health/live")).to.deep.equal(alive);
    expect(await probe("//health/ready")).to.deep.equal(lacks("schema", "transport"));

    await owner.query("insert into migrations (name) values ($1)", [rows[0].name]);
    await until(async () => (await probe("//health/ready"))[0] === 200, 240_000);
    expect((await send(port, "GET", "/companies")).status).to.equal(404);

    const { port: natsPort } = nats;
    await nats.kill();
    await until(async () => (await probe("//health/ready"))[0] === 503);
    expect(await probe("//health/ready")).to.deep.equal(lacks("transport"));
    expect(await probe("//health/live")).to.deep.equal(alive);
    nats = await startNats(natsPort);
    await until(async () => (await probe("//health/ready"))[0] === 200);
  });

  it("refuse a start on a port that is in use, by the setting's name", async () => {
    const settings = { ...nodeSettings(database, nats), SERVICE_HEALTH_PORT: String(port) };
    const refused = await launchService(settings, ["--actors", "!api"]).then(
      () => "started",
      (error: Error) => error.message,
    );
    expect(refused).to.contain(`Port ${port} on 127.0.0.1 cannot be used (EADDRINUSE); set SERVICE_HEALTH_PORT to a free one.`);
  });
});
