import { createHash, randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { systemRoles } from "../../core/declare/permissions.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { type Answer, type Call, send } from "../support/http.ts";
import { until } from "../support/jobs.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { type Replicated, startReplicated } from "../support/replicated.ts";

const HOST = "agency.kantoor.test";
const everything = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];

/** docs/replicas.md, on a real streaming replica. While its replay is paused, what it answers is old, and so recognised. */
describe("lists from a streaming replica", function () {
  this.timeout(300_000);
  let database: Replicated;
  let sql: pg.Client;
  let nodes: Spawned[] = [];
  let organisationId: string;
  let accountId: string;
  /** Two callers: one that writes, and another. */
  let writer: string;
  let reader: string;

  const newKey = (organisation = organisationId, account = accountId) =>
    createKey(sql, organisation, "kt", { name: "a key", scopes: everything, accountId: account });
  const call = (method: string, path: string, options: Call & { node?: number } = {}): Promise<Answer> => {
    const { node = 0, ...rest } = options;
    return send(nodes[node]?.port as number, method, path, { host: HOST, ...rest });
  };
  const names = async (options: Call & { node?: number }): Promise<string[]> => {
    const { status, text, body } = await call("GET", "/companies?limit=100", options);
    expect(status, text).to.equal(200);
    return body.items.map(({ name }: { name: string }) => name);
  };
  const create = async (name: string, options: Call = { key: writer }) => {
    const answer = await call("POST", "/companies", { ...options, body: { name } });
    expect(answer.status, answer.text).to.equal(201);
    return answer;
  };
  /** Waits until each node has logged last that its replica answers, or does not. */
  const logged = (event: string) =>
    until(() => nodes.every((node) => /database\.(replica_\w+)"(?!.*database\.replica_)/s.exec(node.output())?.[1] === event));
  const used = () => logged("replica_used");
  const notUsed = () => logged("replica_not_used");

  before(async () => {
    database = await startReplicated();
    sql = new pg.Client({ connectionString: database.primary.url("owner") });
    await sql.connect();
    ({ id: organisationId } = await createOrganisation(sql, { slug: "agency", name: "An agency" }));
    ({ accountId } = await createMember(sql, organisationId, { email: "owner@agency.test", fullName: "Owner", role: "owner" }));
    [{ value: writer }, { value: reader }] = [await newKey(), await newKey()];
    const settings = {
      ...nodeSettings({ application: database.primary.url("application") }),
      SERVICE_DATABASE_READ_URLS: database.replicaUrl,
      // A paused replica answers for the rest of a test, however busy the machine is.
      SERVICE_DATABASE_READ_LAG_MS: "600000",
      SERVICE_LOG_LEVEL: "info",
    };
    nodes = await Promise.all([launchService(settings), launchService(settings)]);
    await used();
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await sql?.end();
    await database?.stop();
  });
  beforeEach(async () => {
    await database.caughtUp();
    await used();
  });
  afterEach(() => database.replay("resume"));

  it("show a caller its own writes at once, and others those that the replica has", async () => {
    await names({ key: reader });
    await database.replay("pause");
    await create("Own write");
    expect(await names({ key: writer })).to.include("Own write");
    expect(await names({ key: reader })).to.not.include("Own write");
    const read = await call("GET", "/companies?q=own", { key: reader });
    expect(read.body.items).to.have.length(0);
    await database.replay("resume");
    await until(async () => (await names({ key: reader })).includes("Own write"));
  });

  it("show a write to every caller that sends its position, over any node", async () => {
    await database.replay("pause");
    const { headers } = await create("Passed on");
    const position = headers["write-position"] as string;
    expect(await names({ key: reader, node: 1 })).to.not.include("Passed on");
    expect(await names({ key: reader, node: 1, headers: { "Write-Position": position } })).to.include("Passed on");
    expect(await names({ key: reader, node: 1, headers: { "Write-Position": "made up" } })).to.include("Passed on");
    expect(position).to.not.match(/^[0-9A-F]+\/[0-9A-F]+$/);
  });

  it("show a session its own writes over any node, by a cookie", async () => {
    const token = randomBytes(32).toString("hex");
    await sql.query(
      "insert into sessions (organisation_id, account_id, token_hash, expires_at) values ($1, $2, $3, now() + interval '1 hour')",
      [organisationId, accountId, createHash("sha256").update(token).digest()],
    );
    const cookie = `kantoor_session=${token}`;
    await database.caughtUp();
    await database.replay("pause");
    const { headers } = await create("By a session", { cookie, headers: { Origin: `http://${HOST}` } });
    const [written = ""] = (headers["set-cookie"] ?? []).flatMap((one) => /^kantoor_written=[^;]+/.exec(one) ?? []);
    expect(await names({ cookie, node: 1 })).to.not.include("By a session");
    expect(await names({ cookie: `${cookie}; ${written}`, node: 1 })).to.include("By a session");
  });

  it("come from the primary for a caller that keeps a copy or walks", async () => {
    for (const name of ["Before the copy", "Also before it", "And before it"]) await create(name);
    await database.caughtUp();
    const limit = (await names({ key: reader })).length - 1;
    const first = await call("GET", `/companies?limit=${limit}&sort=created_at`, { key: reader });
    await database.replay("pause");
    await create("For the copy");
    expect(await names({ key: reader })).to.not.include("For the copy");
    const cursor = encodeURIComponent(first.body.next_cursor);
    for (const query of ["limit=100&updated_since=2020-01-01T00:00:00Z", `limit=${limit}&sort=created_at&cursor=${cursor}`]) {
      const { status, text, body } = await call("GET", `/companies?${query}`, { key: reader });
      expect(status, text).to.equal(200);
      expect(
        body.items.map(({ name }: { name: string }) => name),
        query,
      ).to.include("For the copy");
    }
  });

  it("refuse a revoked key on the very next request, and a key of another organisation sees nothing", async () => {
    const { id: other } = await createOrganisation(sql, { slug: "other", name: "Another agency" });
    const { accountId: stranger } = await createMember(sql, other, { email: "o@other.test", fullName: "Other", role: "owner" });
    const { value: foreign } = await newKey(other, stranger);
    const { id, value } = await newKey();
    await create("Of this agency");
    await database.caughtUp();
    expect(await names({ key: value })).to.include("Of this agency");
    expect(await names({ key: foreign, host: "other.kantoor.test" })).to.deep.equal([]);
    await database.replay("pause");
    await sql.query("update api_keys set revoked_at = now() where id = $1", [id]);
    for (const node of [0, 1]) expect((await call("GET", "/companies", { key: value, node })).status).to.equal(401);
  });

  it("come from the primary once the replica is further behind than it may be", async () => {
    const settings = { ...nodeSettings({ application: database.primary.url("application") }), SERVICE_LOG_LEVEL: "info" };
    const lag = { SERVICE_DATABASE_READ_URLS: database.replicaUrl, SERVICE_DATABASE_READ_LAG_MS: "1000" };
    const node = await launchService({ ...settings, ...lag });
    try {
      await until(() => node.output().includes("database.replica_used"));
      await database.replay("pause");
      await create("Far ahead");
      await until(() => node.output().includes("it is more than 1000 ms behind"));
      const { body } = await send(node.port as number, "GET", "/companies?limit=100", { host: HOST, key: reader });
      expect(body.items.map(({ name }: { name: string }) => name)).to.include("Far ahead");
      expect(await names({ key: reader })).to.not.include("Far ahead");
    } finally {
      await node.stop();
    }
  });

  it("go on when the replica is killed, and use it again once it is back", async () => {
    const statuses: number[] = [];
    let over = false;
    const loads = [0, 1, 0, 1].map(async (node) => {
      while (!over) {
        statuses.push((await call("GET", "/companies?limit=100", { key: reader, node })).status);
        await delay(10);
      }
    });
    await until(() => statuses.length > 20);
    await database.killReplica();
    await notUsed();
    const before = statuses.length;
    await until(() => statuses.length > before + 20);
    over = true;
    await Promise.all(loads);
    expect(statuses.filter((status) => status !== 200)).to.deep.equal([]);
    await create("While it was away");
    expect(await names({ key: reader })).to.include("While it was away");
    await database.startReplica();
    await used();
    await database.caughtUp();
    await database.replay("pause");
    await create("Once it is back");
    expect(await names({ key: reader })).to.not.include("Once it is back");
  });

  it("come from the primary while its address is that of no replica", async () => {
    const settings = { ...nodeSettings({ application: database.primary.url("application") }), SERVICE_LOG_LEVEL: "info" };
    const node = await launchService({ ...settings, SERVICE_DATABASE_READ_URLS: database.primary.url("application") });
    try {
      await until(() => node.output().includes("it is no replica"));
      const { status } = await send(node.port as number, "GET", "/companies", { host: HOST, key: reader });
      expect(status).to.equal(200);
    } finally {
      await node.stop();
    }
  });
});
