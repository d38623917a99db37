import { expect } from "chai";
import { type Context, type Middleware, ServiceBroker } from "moleculer";
import pg from "pg";
import { readConfig } from "../../core/config/config.ts";
import { systemRoles } from "../../core/declare/permissions.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { announcementMiddleware } from "../../operator/packets/announcements.ts";
import { packetMiddleware } from "../../operator/packets/packets.ts";
import { watchTransport } from "../../operator/transport.ts";
import { transporterOf } from "../../operator/transporter.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { type Answer, type Call, send } from "../support/http.ts";
import { until } from "../support/jobs.ts";
import { fileBody } from "../support/multipart.ts";
import { requireNats, startNats } from "../support/nodes/nats.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { freePort } from "../support/ports.ts";
import { launchService, type Spawned } from "../support/process.ts";

const SECRET = "the secret of nodes whose NATS goes away, 0123456789";
/** Seconds: no heartbeat is missed within a test, so that nothing but the connection itself says that it is gone. */
const NEVER = 3600;

type Client = { reconnect(): Promise<void> };

describe("two nodes whose NATS goes away", function () {
  this.timeout(120_000);
  let nats: Spawned;
  let brokers: ServiceBroker[] = [];
  /** The calls that the worker has begun, each ended by its function. */
  const begun: ((answer: string) => void)[] = [];

  const broker = (nodeID: string): ServiceBroker => {
    const config = readConfig({ TRANSPORTER: `nats://127.0.0.1:${nats.port}` });
    const made = new ServiceBroker({
      nodeID,
      logger: false,
      transporter: transporterOf(config) as never,
      heartbeatInterval: NEVER,
      heartbeatTimeout: NEVER,
      requestTimeout: 0,
      skipProcessEventRegistration: true,
      middlewares: [
        announcementMiddleware(),
        packetMiddleware(() => ({ secret: SECRET, others: [], unsigned: "refuse" })),
      ] as unknown as Middleware[],
    });
    watchTransport(made, config.transporter as URL[], { onEnd: () => {}, signal: new AbortController().signal });
    return made;
  };
  const gateway = () => brokers[0] as ServiceBroker;
  const client = (of: ServiceBroker) => (of.transit as unknown as { tx: { client: Client } }).tx.client;
  const isThere = () => gateway().registry.actions.isAvailable("slow.act");
  const call = () =>
    gateway()
      .call("slow.act")
      .catch((error: Error) => error.name);

  before(async function () {
    requireNats(this);
    nats = await startNats();
    brokers = ["gateway", "worker"].map(broker);
    brokers[1]?.createService({
      name: "slow",
      actions: { act: (_: Context) => new Promise((resolve) => begun.push(resolve)) },
    });
    for (const each of brokers) await each.start();
    await until(isThere);
  });
  beforeEach(() => {
    begun.length = 0;
  });
  after(async () => {
    for (const each of brokers) await each.stop();
    await nats?.stop();
  });

  it("reject the calls on their way at once, and new ones without a node, until it is back", async () => {
    const calls = [call(), call()];
    await until(() => begun.length === 2);
    const { port } = nats;
    await nats.kill();
    expect(await Promise.all(calls)).to.deep.equal(["RequestRejectedError", "RequestRejectedError"]);
    expect(await call()).to.equal("ServiceNotAvailableError");

    nats = await startNats(port);
    await until(isThere);
    const answered = call();
    await until(() => begun.length === 3);
    begun[2]?.("done");
    expect(await answered).to.equal("done");
  });

  it("reject the calls to a node whose own connection broke, as soon as it is back", async () => {
    const lost = call();
    await until(() => begun.length === 1);
    await client(brokers[1] as ServiceBroker).reconnect();
    expect(await lost).to.equal("RequestRejectedError");
    await until(isThere);
    const answered = call();
    await until(() => begun.length === 2);
    begun[1]?.("done");
    expect(await answered).to.equal("done");
  });
});

const HOST = "agency.kantoor.test";
const everything = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
/** Longest start of both nodes in milliseconds, on a busy machine. */
const LONGEST_START = 600_000;
const IS_READY = /is ready/;
const ID = "01920000-0000-7000-8000-000000000000";

const AWAITED = /NATS at 127\.0\.0\.1:\d+ cannot be reached \(.+?\): this node waits, unready, until it can\./g;

describe("a gateway without actors whose NATS goes away", function () {
  this.timeout(2 * LONGEST_START);
  let database: TestDatabase;
  let sql: pg.Client;
  let nats: Spawned;
  let nodes: Spawned[] = [];
  let key: string;

  const ask = (method: string, path: string, call: Call = {}): Promise<Answer> =>
    send(nodes[0]?.port as number, method, path, { host: HOST, key, ...call });

  before(async function () {
    requireNats(this);
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    const { id } = await createOrganisation(sql, { slug: "agency", name: "An agency" });
    const { accountId } = await createMember(sql, id, { email: "owner@agency.test", fullName: "Owner", role: "owner" });
    ({ value: key } = await createKey(sql, id, "kt", { name: "a key", scopes: everything, accountId }));
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await nats?.stop();
    await sql?.end();
    await database?.drop();
  });

  it("waits for NATS when it starts, unready, and then serves", async () => {
    const [port, natsPort] = [await freePort(), await freePort()];
    const settings = {
      ...nodeSettings(database),
      TRANSPORTER: `nats://127.0.0.1:${natsPort}`,
      SERVICE_HTTP_PORT: String(port),
      SERVICE_LOG_LEVEL: "warn",
    };
    const start = (words: string) =>
      launchService(settings, ["--actors", words], { ready: new RegExp(AWAITED.source, "s"), within: LONGEST_START });
    nodes = await Promise.all(["api", "!api"].map(start));
    const probe = () => send(port, "GET", "//health/ready").catch(() => null);
    const away = await until(probe);
    expect([away.status, away.body, away.headers["retry-after"]]).to.deep.equal([
      503,
      { status: "degraded", missing: ["transport"] },
      "1",
    ]);
    expect((await send(port, "GET", "//health/live")).status).to.equal(200);
    expect((await send(port, "GET", "/companies", { host: HOST, key })).status).to.equal(503);
    nats = await startNats(natsPort);
    await until(async () => nodes.every((node) => IS_READY.test(node.output())), LONGEST_START);
    nodes = nodes.map((node) => ({ ...node, port }));
    await until(async () => (await ask("GET", "/companies?limit=1")).status === 200);
    expect(nodes.map((node) => node.output().match(AWAITED)?.length)).to.deep.equal([1, 1]);
  });

  it("answers 503 to every kind of call before NATS is back, also to those that a worker had begun", async () => {
    // The worker waits for this lock, so that its answers cannot arrive before NATS is gone.
    await sql.query("begin; lock table companies in access exclusive mode");
    const waiting = async () =>
      (await sql.query("select count(*)::int as n from pg_locks where not granted and relation = 'companies'::regclass")).rows[0]
        .n;
    const csv = fileBody("name\nOne\n", "text/csv", "a.csv");
    const picture = fileBody("A text", "text/plain", "a.txt");
    const kinds: readonly (readonly [kind: string, () => Promise<Answer>])[] = [
      ["a list", () => ask("GET", "/companies?limit=2")],
      ["a record", () => ask("GET", `/companies/${ID}`)],
      ["a write", () => ask("POST", "/companies", { body: { name: "One" } })],
      ["a write with a key", () => ask("POST", "/companies", { body: { name: "Two" }, headers: { "Idempotency-Key": "two" } })],
      ["a change", () => ask("PATCH", `/companies/${ID}`, { body: { name: "Three" } })],
      ["a deletion", () => ask("DELETE", `/companies/${ID}`)],
      ["an import", () => ask("POST", "/impex/company?dry_run=false", csv)],
      ["an export", () => ask("GET", "/impex/company")],
    ];
    const others: typeof kinds = [
      ["an upload", () => ask("POST", `/files?entity_type=company&entity_id=${ID}`, picture)],
      ["a sign-in", () => ask("POST", "/auth/login", { body: { email: "owner@agency.test", password: "some password" } })],
      ["a bulk edit", () => ask("POST", "/bulk/company/update", { body: { ids: [ID], values: { name: "Four" } } })],
      ["the inbox", () => ask("GET", "/notifications")],
    ];
    const named = async ([kind, call]: (typeof kinds)[number]) => {
      const began = performance.now();
      const { status, headers } = await call();
      return { kind, status, retry: headers["retry-after"], ms: performance.now() - began };
    };
    const begun = kinds.map(named);
    await until(async () => (await waiting()) >= 5);
    const { port } = nats;
    await nats.kill();
    const gone = performance.now();
    const first = await Promise.all(begun);
    const took = Math.round(performance.now() - gone);
    const later = await Promise.all([...kinds, ...others].map(named));
    const slowest = Math.round(Math.max(...later.map(({ ms }) => ms)));
    process.stdout.write(`    those begun before: 503 after at most ${took} ms; those begun later: ${slowest} ms\n`);
    const wrong = [...first, ...later].filter(({ status, retry }) => status !== 503 || !/^\d+$/.test(String(retry)));
    expect(wrong).to.deep.equal([]);
    expect((await send(nodes[0]?.port as number, "GET", "//health/live")).status).to.equal(200);
    expect((await send(nodes[0]?.port as number, "GET", "//health/ready")).body.missing).to.deep.equal(["transport"]);

    await sql.query("rollback");
    nats = await startNats(port);
    await until(async () => (await ask("GET", "/companies?limit=1")).status === 200);
  });
});
