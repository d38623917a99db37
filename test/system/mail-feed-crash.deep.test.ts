import { expect } from "chai";
import pg from "pg";
import { serveGmail } from "../simulators/google/gmail.ts";
import { GoogleSimulator } from "../simulators/google/google.ts";
import type { GooglePersonRecord } from "../simulators/google/grants.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { holdWorkspace, until } from "../support/jobs.ts";
import { requireNats, startNats } from "../support/nodes/nats.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { type Caller, makeTenant, type Tenant } from "../support/service.ts";
import { configureWorkspace, connected } from "../support/workspace.ts";

/** How often a node is killed in the middle of a poll; twenty times before a release. */
const ROUNDS = Number(process.env["MAIL_CRASH_ROUNDS"] ?? 2);
/** Messages of each round. */
const MESSAGES = 60;
const CLIENT = "carla@client.example";

describe("nodes that read mailboxes (workspace §2.5)", function () {
  this.timeout(600_000);
  const google = new GoogleSimulator();
  const gmail = serveGmail(google);
  let database: TestDatabase;
  let sql: pg.Client;
  let nats: Spawned;
  const nodes: Spawned[] = [];
  let turn = 0;
  let tenant: Tenant;
  let ann: Caller;
  let person: GooglePersonRecord;
  const launch = () => launchService({ ...nodeSettings(database, nats), ...google.environment, SERVICE_JOBS_POLL_MS: "500" });

  before(async function () {
    requireNats(this);
    await google.start();
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    await holdWorkspace(sql);
    nats = await startNats();
    nodes.push(...(await Promise.all([launch(), launch()])));
    tenant = await makeTenant(sql, () => nodes[turn++ % nodes.length]?.port as number, "mailboxes");
    await until(async () => (await tenant.owner.get("/companies")).status === 200);
    await configureWorkspace(google, tenant, { mail_approval_mode: "auto_approve" });
    const { id } = await tenant.company();
    await tenant.owner.post("/contacts", { first_name: "Carla", email: CLIENT, company_ids: [id] });
    ann = await tenant.member("member");
    person = google.state.person("ann@agency.example");
    await connected(google, ann, { query: "include_mail=true", person });
    expect((await refresh()).body.status).to.equal("polled");
  });
  afterEach(() => expect(google.complaints).to.deep.equal([]));
  after(async () => {
    gmail.onAnswer = null;
    await Promise.all(nodes.map((node) => node.stop()));
    await nats?.stop();
    await sql?.end();
    await database?.drop();
    await google.stop();
  });

  const refresh = async () => {
    await sql.query("update workspace_mailboxes set asked_at = null");
    return ann.post("/workspace/mail/refresh");
  };
  const histories = () => google.calls("gmail").filter((call) => call.includes("/history")).length;
  const rows = async () =>
    (await sql.query("select mail_message_id from interactions where organisation_id = $1", [tenant.organisation.id])).rows.map(
      ({ mail_message_id }) => mail_message_id as string,
    );

  it("read one mailbox once, for any number of polls requested at both", async () => {
    await sql.query("update workspace_mailboxes set asked_at = null");
    for (let n = 0; n < 20; n++) gmail.deliver(person, { from: CLIENT });
    google.received.length = 0;
    const answers = await Promise.all(Array.from({ length: 20 }, () => ann.post("/workspace/mail/refresh")));
    expect(answers.map(({ body }) => body.status).toSorted()).to.deep.equal([...Array(19).fill("cooldown"), "polled"]);
    expect(histories()).to.equal(1);
    expect(await rows()).to.have.length(20);
  });

  it("never run two polls of one mailbox at the same time, for any caller", async () => {
    google.received.length = 0;
    const { rows: connections } = await sql.query("select id from workspace_connections");
    const before = (await rows()).length;
    for (let n = 0; n < 10; n++) gmail.deliver(person, { from: CLIENT });
    await sql.query(
      `insert into outbox (id, organisation_id, job, payload, key, run_at)
       select gen_random_uuid(), $1, 'workspace.mail.poll', jsonb_build_object('connection_id', $2::text, 'number', null), $2::text, now()
         from generate_series(1, 10)`,
      [tenant.organisation.id, connections[0].id],
    );
    expect((await refresh()).body.status).to.equal("polled");
    await until(async () => (await rows()).length === before + 10);
    // The headers of each message were read by one poll alone: another at the same time would have read them as well.
    expect(google.calls("gmail").filter((call) => call.includes("/messages/"))).to.have.length(10);
  });

  it(`lose nothing and make nothing twice over ${ROUNDS} kills in the middle of a poll`, async () => {
    const before = new Set(await rows());
    const delivered: string[] = [];
    const ready = () => until(async () => (await tenant.owner.get("/companies")).status === 200);
    const came = async () => (await rows()).filter((id) => !before.has(id));
    for (let round = 0; round < ROUNDS; round++) {
      // Only the node that is killed may take the job up.
      await Promise.all(nodes.splice(0).map((node) => node.stop()));
      const node = await launch();
      nodes.push(node);
      await ready();
      for (let n = 0; n < MESSAGES; n++) delivered.push(gmail.deliver(person, { from: CLIENT }).id);
      let seen = 0;
      const at = 5 + Math.floor(Math.random() * (MESSAGES - 10));
      await new Promise<void>((resolve) => {
        gmail.onAnswer = ({ parts }) => {
          if (parts[2] !== "messages" || ++seen !== at) return;
          gmail.onAnswer = null;
          resolve(node.kill());
        };
        refresh().catch(() => {});
      });
      nodes.length = 0;
      nodes.push(...(await Promise.all([launch(), launch()])));
      await ready();
      // Another node takes up the dead node's job, without a request.
      await until(async () => (await came()).length >= delivered.length, 120_000);
    }
    expect((await refresh()).body).to.deep.include({ status: "polled", logged: 0 });
    expect((await came()).toSorted()).to.deep.equal(delivered.toSorted());
  });
});
