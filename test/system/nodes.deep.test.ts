import { createHash, randomBytes, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { systemRoles } from "../../core/declare/permissions.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { type Answer, type Call, send } from "../support/http.ts";
import { until } from "../support/jobs.ts";
import { fileBody } from "../support/multipart.ts";
import { requireNats, startNats } from "../support/nodes/nats.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { follow } from "../support/poller.ts";
import { launch, launchService, type Spawned } from "../support/process.ts";

/** How often a key is revoked and a session ended; a thousand times before a release. */
const TRIALS = Number(process.env["NODES_TRIALS"] ?? 100);
const HOST = "agency.kantoor.test";
const everything = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];

/** All actors but the gateway. */
const WORKER = ["!api"];

/** nodes.test.ts has the main path: calls over the wire, actors that are away, and an end without NATS. */
describe("several nodes over NATS, under load", function () {
  this.timeout(180_000);
  let database: TestDatabase;
  let sql: pg.Client;
  let nats: Spawned;
  let gateways: Spawned[] = [];
  let working: Spawned[] = [];
  let organisationId: string;
  let accountId: string;
  let key: string;

  const environment = () => nodeSettings(database, nats);
  const start = (words: string[]) => launchService(environment(), ["--actors", ...words]);
  const newKey = () => createKey(sql, organisationId, "kt", { name: "a key", scopes: everything, accountId });
  const call = (gateway: number, method: string, target: string, options: Call = {}): Promise<Answer> =>
    send(gateways[gateway]?.port as number, method, target, {
      host: HOST,
      ...(options.cookie === undefined && { key }),
      ...options,
    });
  /**
   * The call of a client that repeats it after 503: a node that does not come to a heartbeat for three seconds, as on a busy machine, counts
   * as away.
   */
  const insist = async (gateway: number, method: string, target: string, options: Call = {}): Promise<Answer> => {
    const headers = { ...(method === "POST" && { "Idempotency-Key": randomUUID() }), ...options.headers };
    for (;;) {
      const answer = await call(gateway, method, target, { ...options, headers });
      const isTwin = answer.status === 409 && answer.body?.error?.code === "idempotency_in_progress";
      if (answer.status !== 503 && !isTwin) return answer;
      if (answer.status === 503) expect(Number(answer.headers["retry-after"])).to.be.greaterThan(0);
      await delay(200);
    }
  };
  /** Waits until the gateways know of the actors: on a busy machine one takes half a minute to read what the workers report. */
  const known = async () => {
    for (const gateway of [0, 1])
      await until(async () => (await call(gateway, "GET", "/companies?limit=1")).status === 200, 240_000);
  };

  before(async function () {
    requireNats(this);
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    ({ id: organisationId } = await createOrganisation(sql, { slug: "agency", name: "An agency" }));
    ({ accountId } = await createMember(sql, organisationId, { email: "owner@agency.test", fullName: "Owner", role: "owner" }));
    ({ value: key } = await newKey());
    nats = await startNats();
    [gateways, working] = await Promise.all([
      Promise.all([start(["api"]), start(["api"])]),
      Promise.all([start(WORKER), start(WORKER)]),
    ]);
    await known();
  });

  after(async () => {
    await Promise.all([...gateways, ...working].map((node) => node.stop()));
    await nats?.stop();
    await sql?.end();
    await database?.drop();
  });

  it("carries an answer larger than a message of NATS", async () => {
    await sql.query(
      `insert into companies (id, organisation_id, name, notes)
       select gen_random_uuid(), $1, 'Large ' || n, (select string_agg(md5(random()::text || n || k), '') from generate_series(1, 3000) k)
       from generate_series(1, 40) n`,
      [organisationId],
    );
    const { status, text, body } = await insist(0, "GET", "/companies?q=large&limit=100");
    expect(status).to.equal(200);
    expect(body.items).to.have.length(40);
    const longest = (await sql.query("select id from companies where name = 'Large 1'")).rows[0].id;
    expect((await insist(1, "GET", `/companies/${longest}`)).body.notes).to.have.length(96_000);
    expect(text.length).to.be.greaterThan(3 * 1024 * 1024);
    await sql.query("delete from companies where name like 'Large %'");
  });

  it("loses a poller at either gateway nothing that both nodes import and write meanwhile", async () => {
    const rows = Array.from({ length: 2000 }, (_, n) => `Imported,Over nodes ${n},nodes${n}@example.com`);
    const { body, headers } = fileBody(["first_name,last_name,email", ...rows].join("\n"), "text/csv", "contacts.csv");
    let [imported, isOver, turn] = [false, false, 0];
    const made: string[] = [];
    const importing = insist(0, "POST", "/impex/contact?dry_run=false", { body, headers }).then((answer) => {
      imported = true;
      return answer;
    });
    const byHand = [0, 1].map(async (gateway) => {
      while (!imported) {
        const answer = await insist(gateway, "POST", "/contacts", { body: { first_name: "By hand" } });
        expect(answer.status, answer.text).to.equal(201);
        made.push(answer.body.id);
      }
    });
    const writing = Promise.all([importing, ...byHand]).finally(() => (isOver = true));
    const seen = await follow(
      (path) => insist(turn++ % 2, "GET", path),
      "/contacts",
      () => isOver,
    );
    expect((await writing)[0].body.created).to.equal(2000);
    expect(made).to.not.have.length(0);
    const { rows: all } = await sql.query("select id from contacts where organisation_id = $1", [organisationId]);
    expect(all.filter(({ id }) => !seen.has(id))).to.deep.equal([]);
    expect(all).to.have.length(2000 + made.length);
  });

  it("refuses a revoked key on the very next request, at both gateways", async () => {
    const late: string[] = [];
    for (let trial = 0; trial < TRIALS; trial++) {
      const { id, value } = await newKey();
      const asked = () => Promise.all([0, 1].map((gateway) => insist(gateway, "GET", "/companies?limit=1", { key: value })));
      for (const { status, text } of await asked()) expect(status, text).to.equal(200);
      await sql.query("update api_keys set revoked_at = now() where id = $1", [id]);
      const answers = await asked();
      for (const [gateway, { status }] of answers.entries())
        if (status !== 401) late.push(`trial ${trial}, gateway ${gateway}: ${status}`);
    }
    expect(late.slice(0, 5), `${late.length} late answers`).to.deep.equal([]);
    process.stdout.write(`    ${TRIALS} keys revoked, none answered afterwards\n`);
  });

  it("refuses an ended session on the very next request, at both gateways", async () => {
    const late: string[] = [];
    for (let trial = 0; trial < TRIALS; trial++) {
      const token = randomBytes(32).toString("hex");
      const { rows } = await sql.query(
        "insert into sessions (organisation_id, account_id, token_hash, expires_at) values ($1, $2, $3, now() + interval '1 hour') returning id",
        [organisationId, accountId, createHash("sha256").update(token).digest()],
      );
      const cookie = `kantoor_session=${token}`;
      const asked = () => Promise.all([0, 1].map((gateway) => insist(gateway, "GET", "/companies?limit=1", { cookie })));
      for (const { status, text } of await asked()) expect(status, text).to.equal(200);
      await sql.query("update sessions set ended_at = now() where id = $1", [rows[0].id]);
      const answers = await asked();
      for (const [gateway, { status }] of answers.entries())
        if (status !== 401) late.push(`trial ${trial}, gateway ${gateway}: ${status}`);
    }
    expect(late.slice(0, 5), `${late.length} late answers`).to.deep.equal([]);
    process.stdout.write(`    ${TRIALS} sessions ended, none answered afterwards\n`);
  });

  it("reports in a sentence that NATS refuses its credentials, and ends in order on a signal", async () => {
    const guarded = await startNats(-1, "--user", "kantoor", "--pass", "right");
    try {
      const refused = await launch([process.execPath, "--disable-warning=ExperimentalWarning", "main.ts", "--actors", "api"], {
        environment: { ...environment(), TRANSPORTER: `nats://kantoor:wrong@127.0.0.1:${guarded.port}` },
        ready: /refuses the credentials/,
      });
      expect(await refused.stop()).to.equal(0);
      expect(refused.output()).to.contain(
        `NATS at 127.0.0.1:${guarded.port} refuses the credentials of this node ('Authorization Violation'); this node ends unless they count within a minute.`,
      );
      expect(refused.output()).to.not.match(/wrong@|"stack"|^ +at /m);
    } finally {
      await guarded.stop();
    }
  });

  it("loses no request when a worker is killed under load", async () => {
    const { id } = (await call(0, "POST", "/companies", { body: { name: "Before the load" } })).body;
    const failures: string[] = [];
    const acknowledged = new Set<string>();
    let [over, answered, slowest] = [false, 0, 0];
    const converse = async (connection: number) => {
      const gateway = connection % 2;
      for (let turn = 0; !over; turn++) {
        const began = performance.now();
        const options = { body: { name: `Load ${connection}-${turn}` }, headers: { "Idempotency-Key": `${connection}-${turn}` } };
        const writes = turn % 3 === 2;
        const answer = await (writes
          ? call(gateway, "POST", "/companies", options)
          : call(gateway, "GET", turn % 3 === 1 ? `/companies/${id}` : "/companies?limit=10")
        ).catch((error: Error) => ({ status: 0, text: error.message, body: undefined }));
        answered += 1;
        slowest = Math.max(slowest, performance.now() - began);
        if (answer.status < 200 || answer.status > 299) failures.push(`${answer.status} ${answer.text}`);
        else if (writes) acknowledged.add(answer.body.id);
        // A worker without a free moment would miss its heartbeats, and count as away itself.
        await delay(10);
      }
    };
    const load = Promise.all(Array.from({ length: 32 }, (_, connection) => converse(connection)));
    await until(() => answered > 100);
    const before = answered;
    await working.pop()?.kill();
    await delay(8000);
    await until(() => answered - before > 32);
    const after = answered - before;
    over = true;
    await load;
    process.stdout.write(
      `    ${answered} requests, ${before} before and ${after} after the kill, ${acknowledged.size} of them writes; the slowest took ${Math.round(slowest)} ms\n`,
    );
    expect(failures.slice(0, 5), `${failures.length} of ${answered} requests lost`).to.deep.equal([]);
    expect(before).to.be.greaterThan(32);
    expect(after).to.be.greaterThan(32);
    const { rows } = await sql.query("select id from companies where name like 'Load %'");
    expect(new Set(rows.map((row) => row.id))).to.deep.equal(acknowledged);
    expect(rows.length).to.equal(acknowledged.size);
  });
});
