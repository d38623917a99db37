import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { send } from "../support/http.ts";
import { until } from "../support/jobs.ts";
import { requireNats, startNats } from "../support/nodes/nats.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { makeTenant, type Tenant } from "../support/service.ts";
import { notify } from "../support/streams/inbox.ts";
import { provesStreams } from "../support/streams/proofs.ts";
import { openStream } from "../support/streams/stream.ts";

describe("streams whose gateway and actor are on two nodes", function () {
  this.timeout(120_000);
  /** Of the node that writes, which is killed and cannot take it away. */
  const folder = mkdtempSync(path.join(tmpdir(), "kantoor-"));
  let database: TestDatabase;
  let sql: pg.Client;
  let nats: Spawned;
  let gateway: Spawned;
  let writer: { child: ChildProcess; port: number };
  let tenant: Tenant;

  const startGateway = () => launchService(nodeSettings(database, nats), ["--actors", "api"]);
  const startWriter = async () => {
    const addresses = [database.application, database.owner, `nats://127.0.0.1:${nats.port}`];
    const child = fork(path.join(import.meta.dirname, "streams-node.ts"), [...addresses, folder], {
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    const [port] = await once(child, "message");
    await until(async () => (await tenant.owner.get("/proof/streams/state")).status === 200, 240_000);
    return { child, port: port as number };
  };
  const ticks = () =>
    openStream(gateway.port as number, "GET", "/proof/streams/ticks", { host: tenant.host, key: tenant.owner.key });
  const flood = (port = gateway.port as number) =>
    openStream(port, "GET", "/proof/streams/flood?events=10000", { host: tenant.host, key: tenant.owner.key });
  /** Streams that the writing node has open, by its own gateway. */
  const open = async () => {
    const { body } = await send(writer.port, "GET", "/proof/streams/state", { host: tenant.host, key: tenant.owner.key });
    return body.open as number;
  };

  before(async function () {
    requireNats(this);
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    nats = await startNats();
    gateway = await startGateway();
    tenant = await makeTenant(sql, () => gateway.port as number, "streams");
    writer = await startWriter();
  });
  after(async () => {
    await gateway?.stop();
    if (writer?.child.connected) {
      writer.child.send("stop");
      await once(writer.child, "exit");
    }
    await nats?.stop();
    await sql?.end();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  provesStreams(() => ({ port: gateway.port as number, sql, tenant }));

  it("of inboxes send the same at every node, and go on at another one than they began at", async () => {
    const { key, accountId } = await tenant.member("member");
    const follow = async (port: number, last?: string) => {
      const headers: Record<string, string> = last === undefined ? {} : { "Last-Event-ID": last };
      const stream = await openStream(port, "GET", "/notifications/stream", { host: tenant.host, key, headers });
      await stream.upTo(1);
      return stream;
    };
    const row = { organisationId: tenant.organisation.id, accountId };
    const both = [await follow(gateway.port as number), await follow(writer.port)];
    const [first] = await notify(sql, row);
    for (const stream of both) {
      await stream.upTo(3);
      expect(stream.events.map(({ event, data }) => [event, data.id ?? data.count])).to.deep.equal([
        ["unread", 0],
        ["notification", first],
        ["unread", 1],
      ]);
      stream.close();
    }
    const [second] = await notify(sql, row);
    const crossed = [
      await follow(writer.port, both[0]?.events.at(-1)?.id),
      await follow(gateway.port as number, both[1]?.events.at(-1)?.id),
    ];
    for (const stream of crossed) {
      await stream.upTo(2);
      expect(stream.events.map(({ event, data }) => [event, data.id ?? data.count])).to.deep.equal([
        ["notification", second],
        ["unread", 2],
      ]);
      stream.close();
    }
    await until(async () => (await open()) === 0);
  });

  it("report to their callers that they could not be finished when their writer's node stops, and when it is killed", async () => {
    for (const [signal, end] of [
      ["a stop", () => writer.child.send("stop")],
      ["a kill", () => writer.child.kill("SIGKILL")],
    ] as const) {
      const [endless, finite] = [await ticks(), await flood()];
      await Promise.all([endless.upTo(1), finite.upTo(1)]);
      finite.pause();
      const exited = once(writer.child, "exit");
      end();
      await exited;
      finite.resume();
      await Promise.all([endless.whole, finite.whole]);
      expect(finite.events.at(-1), signal).to.deep.equal({
        event: "error",
        data: { code: "unavailable", message: "errors.unavailable" },
      });
      expect(endless.events.at(-1)?.event, signal).to.equal("tick");
      writer = await startWriter();
    }
  });

  it("notify their writer when the requesting gateway is killed", async () => {
    const [one, other] = [await ticks(), await flood()];
    await one.upTo(1);
    other.pause();
    expect(await open()).to.equal(2);
    await gateway.kill();
    await until(async () => (await open()) === 0);
    gateway = await startGateway();
  });
});
