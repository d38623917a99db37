import { expect } from "chai";
import { startEmbedded } from "../../core/embedded/server.ts";
import { CrashDatabase } from "../crash/database.ts";
import { send } from "../support/http.ts";
import { until } from "../support/jobs.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { freePort } from "../support/ports.ts";
import { GATEWAY_READY, launchService, type Spawned } from "../support/process.ts";

const BOOTS = /The database lacks a step this version needs/;
const WAITS = /^The database went away while the service started \(.+\): this node waits, unready, until it is back\.$/m;

describe("a node whose PostgreSQL restarts while it boots", function () {
  this.timeout(480_000);
  const database = new CrashDatabase();
  let node: Spawned | undefined;

  before(() => database.open());
  after(async () => {
    await node?.stop();
    await database.close();
  });

  /** Starts a node that boots until the database has its last step. @returns the name of the step */
  const boot = async (port: number): Promise<string> => {
    const { rows } = await database.asOwner((sql) =>
      sql.query<{ name: string }>("delete from migrations where name = (select max(name) from migrations) returning name"),
    );
    const environment = {
      ...nodeSettings({ application: database.server.url("application") }),
      SERVICE_HTTP_PORT: String(port),
      SERVICE_LOG_LEVEL: "info",
    };
    node = await launchService(environment, [], { ready: BOOTS });
    return rows[0]?.name as string;
  };
  const bring = (step: string) => database.asOwner((sql) => sql.query("insert into migrations (name) values ($1)", [step]));

  it("waits, unready, and serves when it is back", async () => {
    const port = await freePort();
    const step = await boot(port);
    const said = () => (node as Spawned).output();
    await database.server.stop({ force: true });
    await until(async () => WAITS.test(said()));
    const probe = () => send(port, "GET", "/health/ready").catch(() => null);
    await until(async () => (await probe()) !== null);
    const away = await probe();
    expect([away?.status, away?.headers["retry-after"], GATEWAY_READY.test(said())]).to.deep.equal([503, "1", false]);
    expect(away?.body).to.deep.equal({ status: "degraded", missing: ["database"] });
    expect((await send(port, "GET", "//health/live")).status).to.equal(200);
    expect((await send(port, "GET", "/companies")).status).to.equal(503);

    database.server = await startEmbedded({ dataDir: database.dataDir });
    await bring(step);
    await until(async () => GATEWAY_READY.test(said()));
    expect((await send(port, "GET", "/health/ready")).status).to.equal(200);
    expect(said()).to.match(
      /is ready on port \d+, for organisations at http:\/\/<slug>\.kantoor\.test, after \d+ ms; the API reference is at http:\/\/<slug>\.kantoor\.test\/api\/reference\./,
    );
    expect(said()).not.to.match(/^ +at /m);
    expect(await node?.stop()).to.equal(0);
  });

  it("ends in order on a signal while it waits", async () => {
    const step = await boot(await freePort());
    await database.server.stop({ force: true });
    await until(async () => WAITS.test((node as Spawned).output()));
    expect(await node?.stop()).to.equal(0);
    database.server = await startEmbedded({ dataDir: database.dataDir });
    await bring(step);
  });
});
