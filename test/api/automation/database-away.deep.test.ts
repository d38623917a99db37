import { expect } from "chai";
import pg from "pg";
import { Listener } from "../../simulators/listener.ts";
import { until } from "../../support/jobs.ts";
import { startService, type TestService } from "../../support/service.ts";
import { addRule, addTask, finished } from "./automation-support.ts";

const WAITER = "select pid from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))";

describe("a rule's action", function () {
  this.timeout(120_000);
  const listener = new Listener();
  let service: TestService;
  let admin: pg.Client;
  before(async () => {
    await listener.start();
    service = await startService({ SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8" });
    admin = new pg.Client({ connectionString: service.database.superuser });
    await admin.connect();
  });
  after(async () => {
    await admin.end();
    await service.stop();
    await listener.stop();
  });

  it("runs again once the database is back, if its connection broke before it stored anything", async () => {
    const tenant = await service.tenant();
    const reported = Promise.withResolvers<void>();
    listener.fail({ kind: "wait", until: reported.promise });
    const actions = [
      { action_type: "webhook.post", config: { url: listener.origin } },
      { action_type: "task.set_status", config: { status: "in_progress" } },
    ];
    await addRule(tenant, { trigger_event: "task.created", actions });
    const { id } = await addTask(tenant);
    // The second action waits for the lock of its task, and PostgreSQL ends its connection meanwhile.
    await until(() => listener.received.length === 1);
    await admin.query("begin");
    await admin.query("select from tasks where id = $1 for update", [id]);
    reported.resolve();
    const waiting = await until<number>(async () => (await admin.query(WAITER)).rows[0]?.pid);
    await admin.query("select pg_terminate_backend($1)", [waiting]);
    await admin.query("commit");

    const [run] = await finished(service, tenant);
    expect(run).to.include({ status: "succeeded", error: null });
    expect(run?.steps.map(({ status }) => status)).to.deep.equal(["succeeded", "succeeded"]);
    expect(listener.received).to.have.length(1);
    expect((await tenant.owner.get(`/tasks/${id}`)).body.status).to.equal("in_progress");
  });

  it("does not take a member for missing because the database broke off the question about it", async () => {
    const tenant = await service.tenant();
    const bea = await tenant.member("member");
    listener.received.length = 0;
    const reported = Promise.withResolvers<void>();
    listener.fail({ kind: "wait", until: reported.promise });
    const actions = [
      { action_type: "webhook.post", config: { url: listener.origin } },
      { action_type: "task.assign", config: { user_id: bea.accountId } },
    ];
    await addRule(tenant, { trigger_event: "task.created", actions });
    const { id } = await addTask(tenant);
    await until(() => listener.received.length === 1);
    await admin.query("begin");
    await admin.query("lock table memberships in access exclusive mode");
    reported.resolve();
    const waiting = await until<number>(async () => {
      await admin.query("select pg_stat_clear_snapshot()");
      return (await admin.query(`${WAITER} and query like '%not m.is_client%'`)).rows[0]?.pid;
    });
    await admin.query("select pg_terminate_backend($1)", [waiting]);
    await admin.query("commit");

    const [run] = await finished(service, tenant);
    expect(run).to.include({ status: "succeeded", error: null });
    expect((await tenant.owner.get(`/tasks/${id}`)).body.assignee_user_id).to.equal(bea.accountId);
  });
});
