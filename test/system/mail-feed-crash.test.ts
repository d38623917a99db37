import { expect } from "chai";
import pg from "pg";
import { type GmailState, serveGmail } from "../simulators/google/gmail.ts";
import { type GoogleRequest, GoogleSimulator } from "../simulators/google/google.ts";
import type { GooglePersonRecord } from "../simulators/google/grants.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { strike, until } from "../support/jobs.ts";
import { requireNats, startNats } from "../support/nodes/nats.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { png } from "../support/pictures.ts";
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
  let gmail: GmailState;
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
    gmail = serveGmail(google);
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
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

  const ready = () => until(async () => (await tenant.owner.get("/companies")).status === 200);
  /**
   * Has the only node that is there killed as Google is about to answer, and starts two others.
   * @param matches the request that is answered to nobody
   * @param begin what leads to it
   */
  const killedAt = async (matches: (request: GoogleRequest) => boolean, begin: () => Promise<unknown>): Promise<void> => {
    // Only the node that is killed may take the job up.
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
    const node = await launch();
    nodes.push(node);
    await ready();
    await new Promise<void>((resolve, reject) => {
      gmail.onAnswer = (request) => {
        if (!matches(request)) return;
        gmail.onAnswer = null;
        resolve(node.kill());
      };
      begin().catch(reject);
    });
    nodes.length = 0;
    nodes.push(...(await Promise.all([launch(), launch()])));
    await ready();
  };
  /** Sweeps of bodies that are to come or run. */
  const left = async (): Promise<number> =>
    (
      await sql.query(
        `select (select count(*) from outbox where job = 'workspace.mail.bodies' and relayed_at is null)::int
          + (select count(*) from jobs.agenda_jobs where name = 'workspace.mail.bodies' and type = 'normal' and failed_at is null)::int as n`,
      )
    ).rows[0].n;
  const mailbox = async () => (await sql.query("select * from workspace_mailboxes")).rows[0];
  const gaps = async () =>
    (await ann.get("/notifications")).body.items.filter(
      ({ event_type }: { event_type: string }) => event_type === "workspace.mail_gap",
    );

  it("read one mailbox once, however many polls are asked for at both", async () => {
    await sql.query("update workspace_mailboxes set asked_at = null");
    for (let n = 0; n < 20; n++) gmail.deliver(person, { from: CLIENT });
    google.received.length = 0;
    const answers = await Promise.all(Array.from({ length: 20 }, () => ann.post("/workspace/mail/refresh")));
    expect(answers.map(({ body }) => body.status).toSorted()).to.deep.equal([...Array(19).fill("cooldown"), "polled"]);
    expect(histories()).to.equal(1);
    expect(await rows()).to.have.length(20);
  });

  it("never run two polls of one mailbox at the same time, whoever asks", async () => {
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
    const came = async () => (await rows()).filter((id) => !before.has(id));
    for (let round = 0; round < ROUNDS; round++) {
      let seen = 0;
      const at = 5 + Math.floor(Math.random() * (MESSAGES - 10));
      await killedAt(
        ({ parts }) => parts[2] === "messages" && ++seen === at,
        async () => {
          for (let n = 0; n < MESSAGES; n++) delivered.push(gmail.deliver(person, { from: CLIENT }).id);
          refresh().catch(() => {});
        },
      );
      // The job of the dead node is taken up by another one, without anybody asking.
      await until(async () => (await came()).length >= delivered.length, 120_000);
    }
    expect((await refresh()).body).to.deep.include({ status: "polled", logged: 0 });
    expect((await came()).toSorted()).to.deep.equal(delivered.toSorted());
  });

  it("begin anew once and tell of one gap, where a node is killed between the lost history and what is read from now on", async () => {
    const before = await mailbox();
    await killedAt(
      ({ parts }) => parts[2] === "profile",
      async () => {
        gmail.forgetHistory(person);
        refresh().catch(() => {});
      },
    );
    // Nothing of the new beginning was stored: the next attempt meets the lost history again.
    await until(async () => (await mailbox()).history_id !== before.history_id, 120_000);
    const { gap_since, history_id } = await mailbox();
    expect(gap_since).to.deep.equal(before.polled_at);
    await until(async () => (await gaps()).length > 0);
    const { id } = gmail.deliver(person, { from: CLIENT });
    google.received.length = 0;
    expect((await refresh()).body).to.deep.include({ status: "polled", logged: 1 });
    expect(google.calls("gmail")[0]).to.include(`startHistoryId=${history_id}`);
    expect(google.calls("gmail").some((call) => call.includes("/profile"))).to.equal(false);
    expect(await rows()).to.include(id);
    expect(await gaps()).to.have.length(1);
  });

  it("store a body and its files once, where a node is killed after Google gave them", async () => {
    const bytes = await png(8, 8);
    // No sweep of the clock may be sooner than the one that is cut off.
    await sql.query("update jobs.agenda_jobs set disabled = true where name = 'workspace.mail.bodies' and type = 'single'");
    const { id } = gmail.deliver(person, {
      from: CLIENT,
      text: "The body that was lost once.",
      files: [{ name: "plan.png", type: "image/png", bytes }],
    });
    expect((await refresh()).body).to.deep.include({ status: "polled", logged: 1 });
    const moment = async () =>
      (await sql.query("select id, body_text from interactions where mail_message_id = $1", [id])).rows[0];
    await killedAt(
      ({ parts }) => parts[2] === "messages" && parts[3] === id && parts[4] === "attachments",
      () => strike({ sql }, "workspace.mail.bodies", 120_000),
    );
    expect((await moment()).body_text, "nothing of it was stored").to.equal(null);
    const found = await until(async () => {
      const row = await moment();
      return row.body_text === null ? undefined : row;
    }, 120_000);
    expect(found.body_text).to.equal("The body that was lost once.");
    const files = async () => (await tenant.owner.get(`/files?entity_type=interaction&entity_id=${found.id}`)).body;
    expect((await files()).map(({ filename, size }: { filename: string; size: number }) => [filename, size])).to.deep.equal([
      ["plan.png", bytes.length],
    ]);
    google.received.length = 0;
    await strike({ sql }, "workspace.mail.bodies", 120_000);
    await until(async () => (await left()) === 0, 60_000);
    expect(
      google.calls("gmail").filter((call) => call.includes(id)),
      "it is read no more",
    ).to.deep.equal([]);
    expect(await files()).to.have.length(1);
  });
});
