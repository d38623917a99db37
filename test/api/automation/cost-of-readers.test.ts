import { expect } from "chai";
import { WebhookReceiver } from "../../simulators/webhook-receiver.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { settled, until } from "../../support/jobs.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";
import { statementsDuring } from "../../support/statement-log.ts";
import { addRule } from "./automation-support.ts";

oneProcess("counts the process's statements");

/** Tasks created at once. */
const TASKS = 40;

describe("what a write with readers costs: a task with a recipient, a rule and two webhooks", function () {
  this.timeout(300_000);
  const receiver = new WebhookReceiver();
  let service: TestService;
  let tenant: Tenant;
  let colleague: Caller;
  /** The statements of one task, and those of many at once, each until everything has happened. */
  let [one, many]: [string[], string[]] = [[], []];

  const add = async (title: string) => {
    const { status, text } = await tenant.owner.post("/tasks", { title, assignee_user_id: colleague.accountId });
    expect(status, text).to.equal(201);
  };
  const atOnce = async (title: string) => {
    await Promise.all(Array.from({ length: TASKS }, () => add(title)));
    await settled(service);
  };
  const alone = async () => {
    await add("Task alone");
    await settled(service);
  };

  before(async () => {
    await receiver.start();
    service = await startService({ SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8" });
    tenant = await service.tenant();
    colleague = await tenant.member("member");
    await addRule(tenant, {
      trigger_event: "task.created",
      conditions: { field: "title", op: "contains", value: "Task" },
      actions: [{ action_type: "task.set_status", config: { status: "in_progress" } }],
    });
    for (const path of ["/ledger", "/chat"]) {
      const sent = { name: path, url: receiver.url(path), events: ["task.created"] };
      const { status, body } = await tenant.owner.post("/webhooks/endpoints", sent);
      expect(status).to.equal(201);
      receiver.trust(path, body.secret);
    }
    // Statements are prepared, and what a node keeps of the organisation is read.
    await atOnce("Task before");
    one = await statementsDuring(service.sql, alone);
    many = await statementsDuring(service.sql, () => atOnce("Task"));
  });
  after(async () => {
    await service.stop();
    await receiver.stop();
  });

  const counted = (sent: readonly string[], part: string) => sent.filter((text) => text.includes(part)).length;

  it("has all of its effects, once", async () => {
    const { rows } = await service.sql.query(
      `select (select count(*)::int from tasks where status = 'in_progress') as moved,
        (select count(*)::int from notifications) as notices,
        (select count(*)::int from automation_runs where status = 'succeeded') as ran,
        (select count(*)::int from webhook_deliveries where status = 'delivered' and attempts = 1) as sent,
        (select count(*)::int from outbox) + (select count(*)::int from jobs.ordered) as left`,
    );
    const made = 2 * TASKS + 1;
    expect(rows[0]).to.deep.equal({ moved: made, notices: 2 * made, ran: made, sent: 2 * made, left: 0 });
    expect(receiver.messages.length).to.equal(2 * made);
    expect(receiver.complaints).to.deep.equal([]);
  });

  it("is at most 50 statements a task where many are created", () => {
    const byText = [...Map.groupBy(many, (text) => text.slice(0, 100))].map(([text, those]) => `${those.length} ${text}`);
    expect(many.length / TASKS, byText.sort().join("\n")).to.be.at.most(50);
  });

  it("begins and ends jobs of many tasks together", () => {
    for (const part of ["jobs.organisations(w.id)", "jobs.begin(b.id)", "jobs.finish_all"])
      expect(counted(many, part), part).to.be.within(1, (TASKS * 3) / 4);
  });

  it("claims jobs of many tasks together", () => {
    expect(counted(many, "with expired as")).to.be.within(1, 2 * TASKS);
  });

  it("stores what rules did together", () => {
    for (const part of [
      "update automation_runs r set status = 'running'",
      "update automation_runs r set steps",
      "'automation runs '",
    ])
      expect(counted(many, part), part).to.be.within(1, (TASKS * 3) / 4);
  });

  it("stores together the outcomes of messages that end together", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const heal = receiver.failWhen(() => true, { kind: "wait", until: promise });
    await Promise.all(Array.from({ length: 8 }, () => add("Other")));
    const due = "select from webhook_deliveries where status = 'pending'";
    await until(async () => (await service.sql.query(due)).rowCount === 16);
    heal();
    const sent = await statementsDuring(service.sql, async () => {
      resolve();
      await settled(service);
    });
    expect(counted(sent, "update webhook_deliveries")).to.be.within(1, 12);
  });

  it("reads rules, chosen events and statuses once, also in jobs", () => {
    for (const part of [
      "from automation_rules where",
      "from webhook_endpoints e where e.organisation_id = $1 and e.enabled",
      "from task_statuses where",
    ])
      expect(
        counted(
          many.filter((text) => text.startsWith("select")),
          part,
        ),
        part,
      ).to.equal(0);
  });

  it("waits for no other new task, and asks for no position before it adds one", () => {
    expect(counted([...one, ...many], "pg_advisory_xact_lock(hashtextextended('task positions '")).to.equal(0);
    expect(counted(one, "select max(position)")).to.equal(0);
  });

  it("writes the events and the jobs of a transaction in one statement", () => {
    const first = one.slice(0, one.indexOf("commit"));
    expect(counted(first, "insert into outbox (id, organisation_id, event")).to.equal(1);
  });

  it("finds the recipients of a transaction and queues their deliveries in one statement", () => {
    const first = one.slice(0, one.indexOf("commit")).filter((text) => /notification_(deliveries|events)/.test(text));
    expect(first.length).to.equal(1);
    expect(first[0]).to.include("heard as").and.include("insert into notification_deliveries");
  });

  it("stores the outcomes of messages and reads their endpoint in one statement", () => {
    const stored = one.flatMap((text, index) => (text.includes("update webhook_deliveries") ? [index] : []));
    expect(stored.length).to.be.within(1, 2);
    for (const index of stored) expect(one[index - 1], "only the binding precedes it").to.include("set_config");
    expect(one.filter((text) => text.startsWith("update webhook_endpoints"))).to.deep.equal([]);
  });

  it("opens no tables of other kinds of records to find an audience", () => {
    const audience = one.filter((text) => text.includes("heard as"));
    expect(audience.length).to.be.at.least(1);
    for (const text of audience) expect(text).not.to.include("from invoices");
  });
});
