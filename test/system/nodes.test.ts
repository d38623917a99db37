import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { systemRoles } from "../../core/declare/permissions.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { type Answer, type Call, send } from "../support/http.ts";
import { until } from "../support/jobs.ts";
import { requireNats, startNats } from "../support/nodes/nats.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { signIn } from "../support/sign-in.ts";

/** How often a key is revoked; nodes.deep.test.ts does it a hundred times. */
const TRIALS = 5;
const HOST = "agency.kantoor.test";
const PASSWORD = "correct horse battery";
const everything = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];

/** The main path of several nodes; nodes.deep.test.ts has them under load. */
describe("a gateway and a whole node over NATS", function () {
  this.timeout(180_000);
  let database: TestDatabase;
  let sql: pg.Client;
  let nats: Spawned;
  /** A gateway alone, and a node with a gateway and all actors. */
  let nodes: [gateway: Spawned, whole: Spawned];
  let organisationId: string;
  let accountId: string;
  let key: string;

  const start = (...words: string[]) => launchService(nodeSettings(database, nats), words);
  const newKey = () => createKey(sql, organisationId, "kt", { name: "a key", scopes: everything, accountId });
  const call = (node: 0 | 1, method: string, target: string, options: Call = {}): Promise<Answer> =>
    send(nodes[node].port as number, method, target, { host: HOST, key, ...options });
  /** Waits until the gateway knows of the actors: on a busy machine it takes half a minute to read what the other node reports. */
  const known = () => until(async () => (await call(0, "GET", "/companies?limit=1")).status === 200, 240_000);

  before(async function () {
    requireNats(this);
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    ({ id: organisationId } = await createOrganisation(sql, { slug: "agency", name: "An agency" }));
    ({ accountId } = await createMember(sql, organisationId, { email: "owner@agency.test", fullName: "Owner", role: "owner" }));
    ({ value: key } = await newKey());
    nats = await startNats();
    nodes = await Promise.all([start("--actors", "api"), start()]);
    await known();
  });
  after(async () => {
    await Promise.all((nodes ?? []).map((node) => node.stop()));
    await nats?.stop();
    await sql?.end();
    await database?.drop();
  });

  it("answers over two nodes as over one", async () => {
    const made = await call(0, "POST", "/companies", { body: { name: "Over the wire" } });
    expect(made.status, made.text).to.equal(201);
    const read = await call(1, "GET", `/companies/${made.body.id}`);
    expect(read.body).to.deep.equal(made.body);
    expect(read.headers["etag"]).to.equal(made.headers["etag"]);
    const refused = await call(0, "PATCH", `/companies/${made.body.id}`, { body: { invoice_email: "nobody" } });
    expect([refused.status, refused.body.error.code]).to.deep.equal([422, "validation"]);
    expect(refused.body.error.fields).to.have.property("invoice_email");
    const stale = await call(0, "PATCH", `/companies/${made.body.id}`, {
      body: { city: "Delft" },
      headers: { "If-Match": '"99"' },
    });
    expect(stale.status).to.equal(412);
    expect((await call(0, "DELETE", `/companies/${made.body.id}`)).status).to.equal(204);
    expect((await call(1, "GET", `/companies/${made.body.id}`)).status).to.equal(404);
  });

  it("refuses a revoked key on the very next request, at both gateways", async () => {
    for (let trial = 0; trial < TRIALS; trial++) {
      const { id, value } = await newKey();
      const statuses = async () =>
        (await Promise.all(([0, 1] as const).map((node) => call(node, "GET", "/companies?limit=1", { key: value })))).map(
          ({ status }) => status,
        );
      expect(await statuses()).to.deep.equal([200, 200]);
      await sql.query("update api_keys set revoked_at = now() where id = $1", [id]);
      expect(await statuses(), `trial ${trial}`).to.deep.equal([401, 401]);
    }
  });

  it("has the figures of both nodes at either gateway, for an instance administrator", async () => {
    await createMember(sql, organisationId, {
      email: "operator@agency.test",
      role: "owner",
      password: PASSWORD,
      superuser: true,
    });
    const cookie = await signIn(nodes[0].port as number, HOST, "operator@agency.test", PASSWORD);
    for (const node of [0, 1] as const) await call(node, "GET", "/companies?limit=1");
    const figuresAt = (node: 0 | 1) => send(nodes[node].port as number, "GET", "//ops/figures", { host: HOST, cookie });
    type Actor = { name: string; nodes: unknown[] };
    // What actors another node has arrives with its next heartbeat.
    const readBoth = async (node: 0 | 1) => {
      const figures = await figuresAt(node);
      return figures.body.actors.find(({ name }: Actor) => name === "api").nodes.length === 2 ? figures : null;
    };
    const read = await Promise.all(([0, 1] as const).map((node) => until(() => readBoth(node))));
    for (const { status, body } of read) {
      expect([status, body.nodes.map(({ state }: { state: string }) => state)]).to.deep.equal([200, ["serving", "serving"]]);
      const listed = body.actions.find(({ action }: { action: string }) => action === "companies.list");
      expect(listed.requests, "of both gateways").to.be.at.least(2);
    }
    expect(read[0]?.body.node).not.to.equal(read[1]?.body.node);
  });

  it("answers 503 with Retry-After for actors that are away, and keeps them in the OpenAPI document", async () => {
    const paths = async () => {
      const { status, text, body } = await call(0, "GET", "//api/openapi.json");
      expect(status, `${text}\n${nodes[0].output()}`).to.equal(200);
      return Object.keys(body.paths);
    };
    const before = await paths();
    await nodes[1].kill();
    for (const round of ["not noticed yet", "known to be away"]) {
      const { status, headers, body } = await call(0, "GET", "/companies");
      expect([round, status, body.error?.code]).to.deep.equal([round, 503, "unavailable"]);
      expect(Number(headers["retry-after"])).to.be.greaterThan(0);
    }
    expect(before).to.include("/companies");
    expect(await paths()).to.deep.equal(before);
  });

  it("serves them again once they are back", async () => {
    nodes[1] = await start();
    await known();
  });

  it("stops in order after NATS was killed", async () => {
    const said = nodes.map((node) => node.output().length);
    await nats.kill();
    await delay(500);
    expect(await Promise.all(nodes.map((node) => node.stop()))).to.deep.equal([0, 0]);
    for (const [at, node] of nodes.entries()) expect(node.output().slice(said[at])).to.not.contain('"stack"');
  });
});
