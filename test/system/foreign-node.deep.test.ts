import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { ServiceBroker } from "moleculer";
import { connect, type NatsConnection } from "nats";
import pg from "pg";
import { systemRoles } from "../../core/declare/permissions.ts";
import { SYSTEM } from "../../core/request/system.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { packetMiddleware } from "../../operator/packets/packets.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { blocksOf } from "../support/documents.ts";
import { send } from "../support/http.ts";
import { until } from "../support/jobs.ts";
import { requireNats, startNats } from "../support/nodes/nats.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { launchService, type Spawned } from "../support/process.ts";

const HOST = "agency.kantoor.test";
const SECRET = nodeSettings({ application: "" })["SERVICE_SECRET"] as string;
const NODES = ["node-1", "gateway-1"];
const PREFIX = "MOL-kantoor";
const everything = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];

const PASSWORD = "a-password-for-nats";
const EAVESDROPPER = { user: "eavesdropper", pass: PASSWORD };

/** The configuration of `docs/nodes.md`, with one user more, who may do everything: the worst that a foreign broker can be. */
function configuration(): string {
  const [documented = ""] = blocksOf("## Between the nodes", "nats");
  const users = `users: [\n      { user: "eavesdropper", password: "${PASSWORD}" }`;
  return documented
    .replace("users: [", users)
    .replaceAll(/\$\w+_PASSWORD/g, `"${PASSWORD}"`)
    .replace("port: 4222\n", "");
}

/** A broker of the same namespace on the same NATS. @param secret the installation's, or another */
function brokerOf(nodeID: string, secret: string, nats: Spawned): ServiceBroker {
  return new ServiceBroker({
    namespace: "kantoor",
    nodeID,
    transporter: { type: "NATS", options: { servers: `127.0.0.1:${nats.port}`, ...EAVESDROPPER } },
    logger: false,
    requestTimeout: 60_000,
    heartbeatInterval: 1,
    heartbeatTimeout: 3,
    middlewares: [packetMiddleware(() => ({ secret, others: [], unsigned: "refuse" }))] as never[],
  });
}

/** Conventions §2, "Between nodes", over a real NATS. */
describe("a foreign broker on the NATS of an installation", function () {
  this.timeout(300_000);
  let database: TestDatabase;
  let sql: pg.Client;
  let folder: string;
  let nats: Spawned;
  let nodes: Spawned[] = [];
  let wire: NatsConnection;
  let friend: ServiceBroker;
  let key: string;
  let meta: Record<string, unknown>;
  /** Everything that NATS has carried to a node with a name. */
  const carried: { subject: string; data: Uint8Array }[] = [];

  const list = () => send(nodes[1]?.port as number, "GET", "/companies", { host: HOST, key });
  const countOf = async (table: string) => Number((await sql.query(`select count(*) from ${table}`)).rows[0].count);
  const publish = (command: string, target: string | null, payload: object | Uint8Array) =>
    wire.publish(
      [PREFIX, command, ...(target ? [target] : [])].join("."),
      payload instanceof Uint8Array ? payload : JSON.stringify({ ver: "5", sender: "foreign", ...payload }),
    );
  const request = (action: string, params: object = {}) => ({
    ...{ id: randomUUID(), action, params, meta, level: 1, tracing: null, stream: false, parentID: null, caller: null },
    requestID: randomUUID(),
  });
  const answersTo = (name: string) => carried.filter(({ subject }) => subject.endsWith(`.${name}`));
  const nodesOf = (nodeID: string): Promise<{ id: string; available: boolean }[]> => friend.call("$node.list", {}, { nodeID });
  /** Waits until the nodes have read everything that was published before. */
  async function settled(): Promise<void> {
    await wire.flush();
    for (const nodeID of NODES) await friend.call("$node.health", {}, { nodeID });
    await wire.flush();
  }

  before(async function () {
    requireNats(this);
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    const organisation = await createOrganisation(sql, { slug: "agency", name: "An agency" });
    const { accountId } = await createMember(sql, organisation.id, {
      email: "owner@agency.test",
      fullName: "Owner",
      role: "owner",
    });
    ({ value: key } = await createKey(sql, organisation.id, "kt", { name: "a key", scopes: everything, accountId }));
    folder = mkdtempSync(path.join(tmpdir(), "kantoor-nats-"));
    const file = path.join(folder, "nats.conf");
    writeFileSync(file, configuration());
    nats = await startNats(-1, "-c", file);
    const settings = { ...nodeSettings(database), SERVICE_LOG_LEVEL: "warn" };
    const start = (name: string, ...words: string[]) =>
      launchService(
        { ...settings, SERVICE_NODE_ID: name, TRANSPORTER: `nats://${name}:${PASSWORD}@127.0.0.1:${nats.port}` },
        words,
      );
    nodes = await Promise.all([start("node-1"), start("gateway-1", "--actors", "api")]);
    wire = await connect({ servers: `127.0.0.1:${nats.port}`, ...EAVESDROPPER });
    wire.subscribe(`${PREFIX}.>`, { callback: (_error, { subject, data }) => carried.push({ subject, data }) });
    friend = brokerOf("friend", SECRET, nats);
    await friend.start();
    await friend.waitForServices(["companies", "$streams"], 120_000);
    await until(async () => (await list()).status === 200, 240_000);
    await until(async () => (await nodesOf("gateway-1")).length === 3);
    meta = {
      organisation: {
        ...organisation,
        status: "active",
        locale: "nl",
        timezone: "Europe/Amsterdam",
        currency: "EUR",
        country: "NL",
      },
      principal: SYSTEM,
      requestId: randomUUID(),
      host: HOST,
      address: "127.0.0.1",
      userAgent: null,
      origin: `http://${HOST}`,
    };
    Object.assign(meta["organisation"] as object, { enabledModules: [], enforcesSso: false, revision: "1" });
  });
  after(async () => {
    await friend?.stop();
    await wire?.close();
    await Promise.all(nodes.map((node) => node.stop()));
    await nats?.stop();
    await sql?.end();
    await database?.drop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  it("is answered if it has the secret", async () => {
    const { id } = (await friend.call("companies.create", { body: { name: "By the system" } }, { meta })) as { id: string };
    expect((await list()).body.items.map((row: { id: string }) => row.id)).to.deep.equal([id]);
  });

  it("gets nothing from any action of the registry, and changes nothing", async () => {
    const actions = friend.registry.getActionList({}).map(({ name }: { name: string }) => name);
    expect(actions.length).to.be.greaterThan(700);
    const before = [await countOf("companies"), await countOf("api_keys"), await countOf("memberships")];
    for (const node of NODES) {
      for (const action of actions) publish("REQ", node, request(action, { body: { name: "Foreign" }, id: randomUUID() }));
      publish("REQ", node, request("members.invite", { body: { email: "stranger@foreign.test", role: "owner" } }));
    }
    await settled();
    expect(answersTo("foreign").map(({ subject }) => subject)).to.deep.equal([]);
    expect([await countOf("companies"), await countOf("api_keys"), await countOf("memberships")]).to.deep.equal(before);
    for (const node of nodes) expect(node.output()).to.contain('"reason":"unsealed"');
    process.stdout.write(`    ${actions.length} actions of ${NODES.length} nodes called, none answered\n`);
  });

  it("is not discovered, is not called, and cannot take a node away", async () => {
    const services = [
      { name: "companies", actions: { "companies.list": { name: "companies.list", rawName: "list" } }, events: {} },
    ];
    const info = { services, config: {}, instanceID: "x", ipList: [], hostname: "foreign", client: {}, seq: 1, metadata: {} };
    for (const target of [null, ...NODES]) {
      publish("INFO", target, info);
      publish("DISCOVER", target, {});
      publish("PING", target, { id: "1", time: 1 });
    }
    publish("HEARTBEAT", null, { cpu: 0 });
    publish("DISCONNECT", null, { sender: "node-1" });
    for (const event of ["$services.changed", "$node.disconnected", "cache.clean"])
      for (const node of NODES)
        publish("EVENT", node, {
          id: "1",
          event,
          data: { node: { id: "gateway-1" } },
          groups: ["api", "$streams"],
          broadcast: false,
        });
    await settled();
    for (let call = 0; call < 20; call++) expect((await list()).status).to.equal(200);
    expect(answersTo("foreign").filter(({ subject }) => !/\.(INFO|DISCOVER|PING)$/.test(subject))).to.deep.equal([]);
    expect((await nodesOf("gateway-1")).map(({ id, available }) => `${id} ${available}`).toSorted()).to.deep.equal([
      "friend true",
      "gateway-1 true",
      "node-1 true",
    ]);
  });

  it("cannot repeat a recorded packet, to its node or to another", async () => {
    const start = carried.length;
    await friend.call("companies.create", { body: { name: "Once" } }, { meta });
    const recorded = carried.slice(start).filter(({ subject }) => subject === `${PREFIX}.REQ.node-1`);
    expect(recorded.length).to.be.greaterThan(0);
    expect(recorded.some(({ data }) => Buffer.from(data).includes("companies"))).to.equal(false);
    for (const { data } of recorded) for (const node of [...NODES, "node-1"]) publish("REQ", node, data);
    await settled();
    const { body } = await list();
    expect(body.items.filter(({ name }: { name: string }) => name === "Once")).to.have.length(1);
    expect(
      [nodes[0]?.output(), nodes[1]?.output()].map((text) => /"reason":"(repeated|other_receiver)"/.exec(text ?? "")?.[1]),
    ).to.deep.equal(["repeated", "other_receiver"]);
  });

  it("with another secret is no node, and hears no answer", async () => {
    const stranger = brokerOf("stranger", "another secret, that belongs to somebody else", nats);
    await stranger.start();
    await settled();
    expect(stranger.registry.getNodeList({}).map(({ id }: { id: string }) => id)).to.deep.equal(["stranger"]);
    await stranger.stop();
  });

  it("cannot keep a node busy with packets that inflate", async () => {
    // 300 members of a mebibyte each, which inflate as one.
    const member = gzipSync(Buffer.alloc(1024 * 1024));
    const bomb = Buffer.concat(Array.from({ length: 300 }, () => member));
    expect(bomb.length).to.be.lessThan(1024 * 1024);
    for (const node of NODES) for (let n = 0; n < 3; n++) publish("REQ", node, bomb);
    await settled();
    expect((await list()).status).to.equal(200);
  });
});
