import { expect } from "chai";
import { nudgeOutbox } from "../../../core/jobs/outbox.ts";
import { until } from "../../support/jobs.ts";
import type { Caller, Tenant, TestService } from "../../support/service.ts";
import { type Body, bodyOf, prefer } from "./inbox-records.ts";
import { on, sendingWorld } from "./sending-world.ts";

/** Channels that do not answer: more than an organisation's concurrent messages. */
const HANGING = 20;
/** Minutes from the last attempt to the next. */
const waited = ({ due_at, updated_at }: Body) => (Date.parse(due_at) - Date.parse(updated_at)) / 60_000;

describe("a delivery (platform chapter §5.8)", () => {
  const world = sendingWorld();
  const { provider, push, mailbox } = world;
  let service: TestService;
  let tenant: Tenant;
  let anna: Caller;
  beforeEach(() => {
    ({ service, tenant, anna } = world);
  });

  it("is one mail with everything due for a person, in the person's language, with an unsubscribe link", async () => {
    await service.sql.query("update accounts set locale = 'en' where id = $1", [anna.accountId]);
    await prefer(anna, { email_events: on("task.assigned") });
    const id = await world.makeTask("Letter one");
    const [first] = await world.deliver();
    expect([first.status, first.attempts, first.error]).to.deep.equal(["sent", 1, null]);
    expect(mailbox.delivered).to.have.length(1);
    const [single] = mailbox.delivered;
    expect(single?.to).to.deep.equal([anna.email]);
    expect(single?.mail.subject).to.match(/assigned you the task ‘Letter one’$/);
    expect(single?.mail.text).to.contain(`/tasks/${id}`);
    const header = (name: string) => single?.mail.headers.find(({ key }) => key === name)?.value;
    expect(header("list-unsubscribe")).to.match(/^<http:\/\/.+\/notifications\/unsubscribe\/[\w.-]+>$/);
    expect(header("list-unsubscribe-post")).to.equal("List-Unsubscribe=One-Click");
    await world.makeTask("Letter two");
    await world.makeTask("Letter three");
    await world.deliver();
    expect(mailbox.delivered).to.have.length(2);
    const both = mailbox.delivered[1]?.mail;
    expect(both?.subject).to.match(/2 notifications$/);
    expect(both?.text).to.match(/Letter two[\s\S]*Letter three[\s\S]*\/notifications\s/);
  });

  it("ends through the link in the mail: a GET changes nothing, one POST unsubscribes", async () => {
    await prefer(anna, { email_events: on("task.assigned", "task.unassigned") });
    await world.makeTask("Letter");
    await world.deliver();
    const value = mailbox.delivered[0]?.mail.headers.find(({ key }) => key === "list-unsubscribe")?.value ?? "";
    const path = new URL(value.slice(1, -1)).pathname;
    const mailed = async () => {
      const { events } = bodyOf(await anna.get("/notifications/preferences"));
      return events.filter((row: Body) => row.email_enabled).map((row: Body) => row.event_type);
    };
    const page = (method: string, at: string, more: object = {}) =>
      service.call(method, `/${at}`, { host: tenant.host, ...more });
    const looked = await page("GET", path);
    expect([looked.status, looked.text]).to.satisfy(([status, text]: [number, string]) => status === 200 && /<form/.test(text));
    expect(await mailed()).to.deep.equal(["task.assigned", "task.unassigned"]);
    const other = await service.tenant();
    const wrong = `${path.slice(0, -3)}${path.endsWith("AAA") ? "BBB" : "AAA"}`;
    expect((await page("POST", wrong)).status).to.equal(404);
    expect((await page("POST", path, { host: other.host })).status, "the link is of one organisation").to.equal(404);
    expect(await mailed()).to.deep.equal(["task.assigned", "task.unassigned"]);
    // Mail programs send these forms (RFC 8058 §3.2).
    const part = '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n';
    const asForm = { headers: { "Content-Type": "multipart/form-data; boundary=x" }, body: part };
    const asMailProgram = {
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: "List-Unsubscribe=One-Click",
    };
    expect((await page("POST", path, asMailProgram)).status).to.equal(200);
    expect((await page("POST", path, asForm)).status, "again").to.equal(200);
    expect(await mailed()).to.deep.equal(["task.unassigned"]);
    await world.makeTask("Another");
    expect((await world.deliver()).filter(({ way }) => way === "email")).to.have.length(1);
  });

  it("is one message per room and event, in the organisation's language", async () => {
    await world.room();
    const ben = await tenant.member("member");
    await tenant.owner.post("/tasks", {
      title: "Letter",
      assignees: [anna, ben].map(({ accountId }, n) => ({ user_id: accountId, is_primary: n === 0 })),
    });
    const [row] = await world.deliver();
    expect([row.status, row.account_id]).to.deep.equal(["sent", null]);
    expect(provider.taken).to.have.length(1);
    const [{ body, text } = { body: {}, text: "" }] = provider.taken;
    expect(text).to.match(/gaf je de taak ‘Letter’/);
    expect(body).to.have.all.keys("id", "title", "text", "link", "items");
  });

  it("is one push to each of a person's browsers, and sent if any accepted it; an expired browser costs no attempt", async () => {
    const [one, two] = [push.browser(), push.browser()];
    for (const { subscription } of [one, two]) bodyOf(await anna.post("/notifications/push/subscriptions", subscription));
    push.gone.set(new URL(two.endpoint).pathname, 410);
    const id = await world.makeTask("Letter");
    const [row] = await world.deliver();
    expect([row.way, row.status]).to.deep.equal(["push", "sent"]);
    expect(one.messages).to.have.length(1);
    expect(one.messages[0]?.["url"]).to.match(new RegExp(`/tasks/${id}$`));
    expect(bodyOf(await anna.get("/notifications/push/subscriptions"))).to.have.length(1);
    push.gone.set(new URL(one.endpoint).pathname, 404);
    await world.makeTask("Another");
    const last = (await world.deliver())[1];
    expect([last.status, last.attempts]).to.deep.equal(["failed", 0]);
  });

  it("has five attempts, after 1, 2, 4 and 8 minutes, and stores the provider's words", async () => {
    await world.room();
    const heal = provider.failWhen(() => true, { kind: "reply", status: 500, body: "out of order" });
    await world.makeTask("Letter");
    const waits: number[] = [];
    for (const attempt of [1, 2, 3, 4]) {
      const [row] = await world.deliver();
      expect([row.status, row.attempts, row.error]).to.deep.equal(["pending", attempt, "HTTP 500: out of order"]);
      waits.push(waited(row));
      await world.dueNow();
    }
    expect(waits).to.deep.equal([1, 2, 4, 8]);
    const [row] = await world.deliver();
    expect([row.status, row.attempts]).to.deep.equal(["failed", 5]);
    heal();
    await world.dueNow();
    expect((await world.deliver())[0].status).to.equal("failed");
    expect(provider.received).to.have.length(5);
  });

  it("waits as long as the provider asks", async () => {
    await world.room();
    provider.fail({ kind: "reply", status: 429, headers: { "Retry-After": "600" } });
    await world.makeTask("Letter");
    const [row] = await world.deliver();
    expect(waited(row)).to.equal(10);
  });

  it("fails if the channel or the recipient is gone", async () => {
    const id = await world.room();
    const url = `${provider.origin}/mine`;
    const mine = bodyOf(await anna.post("/notifications/channels", { kind: "webhook", name: "Mine", url }));
    const events = on("task.assigned");
    await prefer(anna, { email_events: events, channels: [{ channel_config_id: mine.id, events }] });
    await world.makeTask("Letter");
    await tenant.owner.delete(`/notifications/channels/${id}`);
    await service.sql.query("update memberships set deactivated_at = now() where id = $1", [anna.membershipId]);
    const ended = await world.deliver();
    expect(ended.map(({ way, status, attempts }) => [way, status, attempts])).to.have.deep.members([
      ["channel", "failed", 0],
      ["channel", "failed", 0],
      ["email", "failed", 0],
    ]);
    expect([provider.received.length, mailbox.delivered.length]).to.deep.equal([0, 0]);
  });

  it("is sent once, however many nodes poll at the same time", async () => {
    await world.room();
    await world.makeTask("Letter");
    await service.sql.query("select schedule_due_deliveries() from generate_series(1, 5)");
    nudgeOutbox();
    await world.deliver();
    expect(provider.taken).to.have.length(1);
  });

  it("is retried after a node died during it, and the lost attempt counts", async () => {
    await world.room();
    await world.makeTask("Letter");
    await service.sql.query(
      `update notification_deliveries set status = 'sending', bundle_id = gen_random_uuid(), claimed_at = now() - interval '6 minutes'
        where organisation_id = $1`,
      [tenant.organisation.id],
    );
    const [row] = await world.deliver();
    expect([row.status, row.attempts]).to.deep.equal(["sent", 2]);
  });

  it("repeats the same message if its answer was lost, and a message with more events is a new one", async () => {
    await world.room();
    await world.makeTask("Letter one");
    provider.fail({ kind: "lose" }, { kind: "lose" });
    for (const _attempt of [1, 2]) {
      expect((await world.deliver()).map(({ status }) => status)).to.deep.equal(["pending"]);
      await world.dueNow();
    }
    await world.makeTask("Letter two");
    expect((await world.deliver()).map(({ status, attempts }) => [status, attempts])).to.deep.equal([
      ["sent", 3],
      ["sent", 1],
    ]);
    const [first, second, third] = provider.taken.map(({ body }) => body as Body);
    expect(provider.taken).to.have.length(3);
    expect([second.id, second.items]).to.deep.equal([first.id, first.items]);
    expect(third.id).to.not.equal(first.id);
    expect(third.items).to.have.length(2);
  });

  it("has at most 200 events of a way, and the next delivery has the rest", async () => {
    const id = await world.room();
    await world.makeTask("Letter");
    await service.sql.query(
      `insert into notification_deliveries (organisation_id, way, channel_id, event_id, due_at)
       select organisation_id, way, channel_id, event_id, due_at from notification_deliveries, generate_series(1, 200) where channel_id = $1`,
      [id],
    );
    await world.deliver();
    expect(provider.taken.map(({ body }) => (body["items"] as unknown[]).length)).to.deep.equal([200, 1]);
  });

  it("reaches other recipients if one recipient's fails", async () => {
    const ben = await tenant.member("member");
    for (const who of [anna, ben]) await prefer(who, { email_events: on("task.assigned") });
    await world.room("/fails");
    provider.failWhen(({ path }) => path === "/fails", { kind: "garbage" });
    mailbox.fail({ at: "rcpt", code: 550, text: "No such user" });
    await world.makeTask("Letter");
    await world.makeTask("Brief", ben);
    const ended = await world.deliver();
    expect(mailbox.delivered).to.have.length(1);
    const [sent, waiting] = ["sent", "pending"].map((state) => ended.filter(({ status }) => status === state)) as [
      Body[],
      Body[],
    ];
    expect(sent.map(({ way }) => way)).to.deep.equal(["email"]);
    expect(waiting.map(({ way, attempts }) => [way, attempts])).to.have.deep.members([
      ["email", 1],
      ["channel", 1],
      ["channel", 1],
    ]);
    expect(waiting.find(({ way }) => way === "email").error).to.match(/No such user/);
  });

  it("does not wait for channels of another organisation, nor for other channels of its own", async () => {
    const other = await service.tenant();
    const ben = await other.member("member");
    await world.room("/other", other);
    const rooms = Array.from({ length: HANGING }, (_, n) => `/hangs/${n}`);
    const ids: string[] = [];
    for (const path of rooms) ids.push(await world.room(path));
    const channels = ids.map((channel_config_id) => ({ channel_config_id, events: on("task.assigned") }));
    await prefer(tenant.owner, { channels }, "/defaults");
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    provider.failWhen(({ path }) => path.startsWith("/hangs/"), { kind: "wait", until: released });
    await world.makeTask("Letter");
    // The mail is about a later event than the first messages to the channels.
    await prefer(anna, { email_events: on("task.commented") });
    await tenant.owner.post(`/tasks/${await world.makeTask("Last")}/comments`, { body: "Words" });
    await world.look();
    await until(() => provider.received.length > 0);
    await world.makeTask("Brief", ben, other);
    await world.look();
    await until(() => provider.taken.some(({ path }) => path === "/other"));
    await until(() => mailbox.delivered.length === 1);
    const channelRows = (await world.rows()).filter(({ way }) => way === "channel");
    expect(channelRows).to.have.length(2 * HANGING);
    expect(
      channelRows.map(({ status }) => status),
      "still waiting for answers",
    ).to.include("sending");
    release();
  });
});
