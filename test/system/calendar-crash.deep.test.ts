import { expect } from "chai";
import pg from "pg";
import { addDays, dateIn } from "../../core/calendar/calendar.ts";
import { GoogleCalendar } from "../simulators/google/calendar.ts";
import type { PersonCalendar, SimulatedChannel } from "../simulators/google/calendar-state.ts";
import { GoogleSimulator } from "../simulators/google/google.ts";
import type { Received } from "../simulators/simulator.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { send } from "../support/http.ts";
import { holdWorkspace, settled, until } from "../support/jobs.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { type Caller, makeTenant, type Tenant } from "../support/service.ts";
import { configureWorkspace, connected } from "../support/workspace.ts";

const DAY = addDays(dateIn("Europe/Amsterdam", Date.now()), 7);
const isWrite =
  (method: string) =>
  (request: Received): boolean =>
    request.method === method && /\/events(\/[0-9a-v]+)?$/.test(request.path);
const isWatch = ({ path }: Received) => path.endsWith("/events/watch");

describe("nodes at Google Calendar", function () {
  this.timeout(600_000);
  const google = new GoogleSimulator();
  const nodes: Spawned[] = [];
  /** Everything that nodes wrote which are gone. */
  let written = "";
  let database: TestDatabase;
  let sql: pg.Client;
  let tenant: Tenant;
  let ann: Caller;
  let calendar: PersonCalendar;
  /** Of every requested channel, with the secret in it. */
  const tokens = new Set<string>();
  let taskId: string;
  let blockId: string;

  const launch = () =>
    launchService({
      SERVICE_DATABASE_URL: database.application,
      SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789",
      SERVICE_HTTP_PORT: "0",
      SERVICE_HTTP_ADDRESS: "127.0.0.1",
      // Google pushes to addresses with TLS alone.
      SERVICE_PUBLIC_SCHEME: "https",
      SERVICE_BASE_DOMAIN: "kantoor.test",
      SERVICE_RATE_LIMIT_PER_KEY: "0",
      SERVICE_JOBS_POLL_MS: "500",
      SERVICE_LOG_LEVEL: "debug",
      ...google.environment,
    });
  /** Has the jobs of a node that died run again now, and not when its locks end. */
  const unlock = () =>
    sql.query(
      "update jobs.agenda_jobs set locked_at = now() - interval '31 seconds' where locked_at is not null and name like 'workspace.%'",
    );
  const mirror = async () => (await sql.query("select status, presence, generation from workspace_calendar_mirrors")).rows;
  const channels = async () => (await sql.query("select id, status from workspace_calendar_channels order by created_at")).rows;

  /** Kills the only node when Google has done a request but not answered yet, and starts another one. */
  async function killedDuring(matches: (request: Received) => boolean, act: () => Promise<unknown>): Promise<void> {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const end = google.failWhen(matches, { kind: "wait", until: held });
    google.received.length = 0;
    await act();
    await until(() => google.received.some(matches));
    for (const { body } of google.received.filter(isWatch))
      for (const part of [JSON.parse(body).token, JSON.parse(body).token.split(".")[2]]) tokens.add(part);
    end();
    await (nodes[0] as Spawned).kill();
    written += nodes[0]?.output();
    release();
    nodes[0] = await launch();
    await unlock();
  }

  before(async () => {
    await google.start();
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    await holdWorkspace(sql);
    nodes.push(await launch());
    tenant = await makeTenant(sql, () => nodes[0]?.port as number, "agency");
    await configureWorkspace(google, tenant);
    ann = await tenant.member("member");
    taskId = (await tenant.owner.post("/tasks", { title: "Write the plan" })).body.id;
  });
  afterEach(() => expect(google.complaints).to.deep.equal([]));
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await sql?.end();
    await database?.drop();
    await google.stop();
  });

  it("have one channel after a kill between Google's yes to it and ours", async () => {
    const person = google.state.person("ann@example.com");
    calendar = google.calendar.of(person);
    await killedDuring(isWatch, () => connected(google, ann, { person }));
    await until(async () => (await channels()).some(({ status }) => status === "active") && (await channels()).length === 1);
    expect(calendar.channels.map(({ id }) => id)).to.deep.equal((await channels()).map(({ id }) => id));
  });

  it("write an event once after a kill between Google's yes to it and ours", async () => {
    const body = { task_id: taskId, user_id: ann.accountId, day: DAY, start_time: "10:00", duration_minutes: 60 };
    await killedDuring(isWrite("POST"), async () => (blockId = (await tenant.owner.post("/tasks/schedules", body)).body.id));
    await until(async () => (await mirror())[0]?.status === "done");
    expect([calendar.live().length, await mirror()]).to.deep.equal([1, [{ status: "done", presence: "there", generation: 0 }]]);
  });

  it("replace an event after a kill between Google's yes and ours", async () => {
    await killedDuring(isWrite("PUT"), () => tenant.owner.patch(`/tasks/schedules/${blockId}`, { day: addDays(DAY, 1) }));
    await until(async () => (await mirror())[0]?.status === "done");
    expect(calendar.live().map(({ start }) => dateIn("Europe/Amsterdam", start?.dateTime as string))).to.deep.equal([
      addDays(DAY, 1),
    ]);
  });

  it("delete an event after a kill between Google's yes and ours", async () => {
    await killedDuring(isWrite("DELETE"), () => tenant.owner.delete(`/tasks/schedules/${blockId}`));
    await until(async () => (await mirror())[0]?.status === "done");
    expect([calendar.live().length, await mirror()]).to.deep.equal([0, [{ status: "done", presence: "absent", generation: 1 }]]);
  });

  it("read a calendar once or twice, two nodes together, for fifty messages that come to both (trap P5)", async () => {
    await settled({ sql });
    nodes.push(await launch());
    const [channel] = calendar.channels as [SimulatedChannel];
    calendar.put({ id: "event0", summary: "New", start: { date: DAY }, end: { date: addDays(DAY, 1) } });
    google.received.length = 0;
    const headers = GoogleCalendar.message(channel);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        send(nodes[n % 2]?.port as number, "POST", "/workspace/calendar/webhook", { headers, host: tenant.host }),
      ),
    );
    expect(answers.every(({ status }) => status === 200)).to.equal(true);
    await until(async () => {
      const { body } = await ann.get(`/workspace/calendar/events?date_from=${DAY}&date_to=${DAY}`);
      return body.length === 1;
    });
    await settled({ sql });
    expect(google.calls("calendar").filter((call) => call.startsWith("GET")).length).to.be.within(1, 2);
  });

  it("leave no token, secret of a client or token of a channel in a log, job, event or trail", async () => {
    const secrets = [...google.state.secrets, ...tokens];
    expect(tokens.size).to.be.greaterThan(0);
    const kept: string[] = [];
    for (const table of [
      "outbox",
      "jobs.agenda_jobs",
      "jobs.ordered",
      "activity",
      "workspace_calendars",
      "workspace_calendar_channels",
    ])
      kept.push((await sql.query(`select coalesce(string_agg(t::text, ' '), '') as text from ${table} t`)).rows[0].text);
    const all = [written, ...nodes.map((node) => node.output()), ...kept].join("\n");
    expect(all.length, "debug says much").to.be.greaterThan(10_000);
    expect(secrets.filter((secret) => all.includes(secret))).to.deep.equal([]);
  });
});
