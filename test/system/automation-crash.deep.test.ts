import { expect } from "chai";
import pg from "pg";
import type { Organisation } from "../../core/declare/principal.ts";
import type { Run } from "../api/automation/automation-support.ts";
import { ok } from "../api/money/documents/invoicing.ts";
import { Listener } from "../simulators/listener.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { holdTimesOfDay, until } from "../support/jobs.ts";
import { Mailbox, relayOf } from "../support/mail/mailbox.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { makeTenant, type Tenant } from "../support/service.ts";
import { waitingAt } from "./advisory-lock.ts";

/** A lock that the test holds: the row to write waits for it. */
const LOCK = 50_073;
/** Longer than a dead node's job, and its locks, wait to be taken over. */
const LONG = 120_000;

/** What sets each rule off, by the title of the task that is made. */
const KINDS = ["record", "mail", "call"] as const;
type Kind = (typeof KINDS)[number];

describe("a node that is killed over a run of automation", function () {
  this.timeout(480_000);
  const listener = new Listener();
  const mailbox = new Mailbox();
  let database: TestDatabase;
  let sql: pg.Client;
  let holder: pg.Client;
  let organisation: Organisation;
  let tenant: Tenant;
  let node: Spawned;

  const launch = async () => {
    node = await launchService({
      ...relayOf(mailbox),
      SERVICE_DATABASE_URL: database.application,
      SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789",
      SERVICE_HTTP_PORT: "0",
      SERVICE_HTTP_ADDRESS: "127.0.0.1",
      SERVICE_PUBLIC_SCHEME: "http",
      SERVICE_BASE_DOMAIN: "kantoor.test",
      SERVICE_RATE_LIMIT_PER_KEY: "0",
      SERVICE_LOG_LEVEL: process.env["TEST_LOG"] ?? "error",
      SERVICE_JOBS_POLL_MS: "250",
      SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8",
    });
  };

  before(async () => {
    await Promise.all([listener.start(), mailbox.start()]);
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    holder = new pg.Client({ connectionString: database.owner });
    await Promise.all([sql.connect(), holder.connect()]);
    await holdTimesOfDay(sql);
    await sql.query(`create function wait_for_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(${LOCK}); return coalesce(new, old); end $$`);
    await launch();
    tenant = await makeTenant(sql, () => node.port as number, "agency");
    organisation = tenant.organisation;
    const assigned = { event_type: "task.assigned", enabled: true, digest: "immediate" };
    await ok(tenant.owner.put("/notifications/preferences", { email_events: [assigned] }));
    const actions: Record<Kind, object> = {
      record: { action_type: "task.create", config: { title: "Made" } },
      mail: { action_type: "task.assign", config: { user_id: tenant.owner.accountId } },
      call: { action_type: "webhook.post", config: { url: listener.origin, confirm: true } },
    };
    for (const kind of KINDS)
      await ok(
        tenant.owner.post("/automation/rules", {
          name: kind,
          trigger_event: "task.created",
          conditions: { field: "title", op: "eq", value: kind },
          // Actions after the interrupted one run as well.
          actions: [actions[kind], { action_type: "task.set_status", config: { status: "in_progress" } }],
        }),
      );
  });
  after(async () => {
    await node?.stop();
    await Promise.all([sql?.end(), holder?.end()]);
    await database?.drop();
    await Promise.all([listener.stop(), mailbox.kill()]);
  });
  afterEach(async () => {
    await holder.query("select pg_advisory_unlock_all()");
    expect([...listener.complaints]).to.deep.equal([]);
    await sql.query(`drop trigger if exists wait_for_test on tasks; drop trigger if exists wait_for_test on outbox;
      drop trigger if exists wait_for_test on automation_runs; drop trigger if exists wait_for_test on outside_acts`);
  });

  const hold = () => holder.query("select pg_advisory_lock($1)", [LOCK]);
  /** Kills the node while it waits, and releases its lock once PostgreSQL has noticed. */
  const kill = async () => {
    await node.kill();
    await until(async () => (await waitingAt(holder, LOCK)) === 0);
    await holder.query("select pg_advisory_unlock($1)", [LOCK]);
  };
  /** Releases a dead node's locks at once, as happens after half a minute. */
  const hurry = async () => {
    await sql.query("update jobs.agenda_jobs set locked_at = now() - interval '1 minute' where locked_at is not null");
    await sql.query("update idempotency_keys set held_until = now() where held_until is not null");
  };
  const set = async (...kinds: readonly Kind[]): Promise<Record<string, string>> =>
    Object.fromEntries(
      await Promise.all(
        kinds.map(async (title): Promise<[string, string]> => [title, (await ok(tenant.owner.post("/tasks", { title }))).id]),
      ),
    );
  /** Waits until the runs of these tasks have ended, and gives them by their rule. */
  const ended = async (tasks: Record<string, string>): Promise<Record<string, Run>> => {
    const found = async (): Promise<Run[]> => {
      const { items } = await ok(tenant.owner.get("/automation/runs?limit=200"));
      return items.filter(({ entity_id }: Run) => Object.values(tasks).includes(entity_id));
    };
    const isOver = ({ status }: Run) => !["pending", "running"].includes(status);
    await until(async () => {
      const runs = await found();
      return runs.length === Object.keys(tasks).length && runs.every(isOver);
    }, LONG);
    return Object.fromEntries((await found()).map((run) => [run.rule_name, run]));
  };
  const statusOf = async (id: string | undefined) => (await ok(tenant.owner.get(`/tasks/${id}`))).status;
  const done = async () => {
    const { rows } = await sql.query(
      `select (select count(*)::int from tasks where organisation_id = $1 and title = 'Made') as made,
        (select count(*)::int from outbox where organisation_id = $1 and event = 'task.assigned') as reported,
        (select count(*)::int from notifications t join notification_events v on v.organisation_id = t.organisation_id and v.id = t.event_id
          where t.organisation_id = $1 and v.event_type = 'task.assigned') as heard`,
      [organisation.id],
    );
    return rows[0];
  };
  const shown = ({ status, error, steps }: Run | undefined = {} as Run) => [
    status,
    error,
    steps?.map((step) => [step.action_type, step.status, step.error ?? null]),
  ];

  it("in the middle of their actions has each done once by the next, which sends a call again with the same id", async () => {
    const answer = Promise.withResolvers<void>();
    const heal = listener.failWhen(() => true, { kind: "wait", until: answer.promise });
    await sql.query(`create trigger wait_for_test before insert on tasks for each row
        when (new.title = 'Made') execute function wait_for_test();
      create trigger wait_for_test before insert on outbox for each row
        when (new.event = 'task.assigned') execute function wait_for_test()`);
    await hold();
    const tasks = await set(...KINDS);
    await until(async () => listener.received.length === 1 && (await waitingAt(holder, LOCK)) === 2);
    await kill();
    heal();
    answer.resolve();
    const before = await done();
    expect([before.made, before.reported]).to.deep.equal([0, 0]);
    await launch();
    const runs = await ended(tasks);
    for (const [kind, action] of [
      ["record", "task.create"],
      ["mail", "task.assign"],
      ["call", "webhook.post"],
    ] as const) {
      const steps = [
        [action, "succeeded", null],
        ["task.set_status", "succeeded", null],
      ];
      expect(shown(runs[kind]), kind).to.deep.equal(["succeeded", null, steps]);
      expect(await statusOf(tasks[kind])).to.equal("in_progress");
    }
    const ids = listener.received.map(({ headers }) => headers["webhook-id"]);
    expect([ids.length, new Set(ids).size], "sent twice under one id").to.deep.equal([2, 1]);
    expect((await done()).made).to.equal(1);
    await until(() => mailbox.delivered.length === 1);
  });

  it("after their actions, before the record, finds out the outcome and continues", async () => {
    const [calls, mails, before] = [listener.received.length, mailbox.delivered.length, await done()];
    await sql.query(`create trigger wait_for_test before update on automation_runs for each row
      when (new.steps <> old.steps) execute function wait_for_test()`);
    await hold();
    const tasks = await set(...KINDS);
    // The records of runs share transactions: the first waits, and the others wait for it in the node.
    await until(async () => {
      // Notifications, not events: the outbox deletes an event once its last subscriber has ended.
      const { made, heard } = await done();
      const { rowCount: acts } = await sql.query("select 1 from outside_acts");
      const hasActed = made === before.made + 1 && heard === before.heard + 1 && listener.received.length === calls + 1;
      return hasActed && acts === 0 && (await waitingAt(holder, LOCK)) > 0;
    });
    await kill();
    expect([listener.received.length, (await done()).made]).to.deep.equal([calls + 1, before.made + 1]);
    await hurry();
    await launch();
    const runs = await ended(tasks);
    for (const kind of KINDS) {
      expect([runs[kind]?.status, runs[kind]?.steps.length], JSON.stringify(runs[kind])).to.deep.equal(["succeeded", 2]);
      expect(await statusOf(tasks[kind]), kind).to.equal("in_progress");
    }
    expect(runs["call"]?.steps[0]?.result).to.deep.equal({ status_code: 200, confirmed: true });
    const { rows } = await sql.query("select id from tasks where organisation_id = $1 and title = 'Made' order by created_at", [
      organisation.id,
    ]);
    expect(runs["record"]?.steps[0]?.result).to.deep.equal({ task_ids: [rows.at(-1)?.id] });
    await until(() => mailbox.delivered.length === mails + 1);
    const after = await done();
    expect([listener.received.length, after.made, after.heard - before.heard]).to.deep.equal([calls + 1, before.made + 1, 1]);
    expect(mailbox.delivered).to.have.length(mails + 1);
  });

  it("between the answer to a call and its record takes that answer, and calls no second time", async () => {
    const calls = listener.received.length;
    await sql.query("create trigger wait_for_test before delete on outside_acts for each row execute function wait_for_test()");
    await hold();
    const tasks = await set("call");
    await until(async () => (await waitingAt(holder, LOCK)) === 1);
    await kill();
    expect(listener.received).to.have.length(calls + 1);
    await hurry();
    await launch();
    const { call } = await ended(tasks);
    expect([call?.status, call?.steps[0]?.result]).to.deep.equal(["succeeded", { status_code: 200, confirmed: true }]);
    expect(listener.received).to.have.length(calls + 1);
    expect((await sql.query("select 1 from outside_acts")).rowCount).to.equal(0);
  });

  it("continues the run with its original actions, after any change of its rule", async () => {
    const before = await done();
    await sql.query(`create trigger wait_for_test before update on automation_runs for each row
      when (new.steps <> old.steps) execute function wait_for_test()`);
    await hold();
    const tasks = await set("record");
    await until(async () => (await waitingAt(holder, LOCK)) === 1);
    await kill();
    await sql.query("update automation_rules set actions = '[]' where organisation_id = $1 and name = 'record'", [
      organisation.id,
    ]);
    await hurry();
    await launch();
    const { record } = await ended(tasks);
    expect(shown(record).slice(0, 2)).to.deep.equal(["succeeded", null]);
    expect(record?.steps.map(({ action_type }) => action_type)).to.deep.equal(["task.create", "task.set_status"]);
    expect((await done()).made).to.equal(before.made + 1);
  });
});
