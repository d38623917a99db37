import { expect } from "chai";
import { until } from "../../support/jobs.ts";
import type { Caller, Tenant, TestService } from "../../support/service.ts";
import { type Body, bodyOf, prefer } from "./inbox-records.ts";
import { on, sendingWorld } from "./sending-world.ts";

describe("the messages of each way (platform chapter §5.6–§5.8)", () => {
  const world = sendingWorld();
  const { provider, push, mailbox } = world;
  let service: TestService;
  let tenant: Tenant;
  let anna: Caller;
  beforeEach(() => {
    ({ service, tenant, anna } = world);
  });

  const browser = async (who = anna) => {
    const made = push.browser();
    bodyOf(await who.post("/notifications/push/subscriptions", made.subscription));
    return made;
  };
  const channel = async (who: Caller, kind: string, url: string): Promise<string> => {
    const { id } = bodyOf(await who.post("/notifications/channels", { kind, name: "Mine", url }));
    await prefer(who, { channels: [{ channel_config_id: id, events: on("task.assigned") }] });
    return id;
  };
  const ended = (rows: readonly Body[]) => rows.map(({ status, attempts, error }) => [status, attempts, error]);

  it("bundle everything due in one push that opens the inbox", async () => {
    const { messages } = await browser();
    for (const title of ["Letter one", "Letter two"]) await world.makeTask(title);
    expect(ended(await world.deliver())).to.deep.equal([
      ["sent", 1, null],
      ["sent", 1, null],
    ]);
    expect(messages).to.have.length(1);
    expect(messages[0]).to.deep.include({ count: 2, url: `http://${tenant.host}/notifications` });
    expect(messages[0]?.["body"]).to.match(/‘Letter one’\n.*‘Letter two’/);
  });

  it("count as sent if one browser accepted them, and are retried if none did", async () => {
    const [one, two] = [await browser(), await browser()];
    const heal = [one, two].map(({ endpoint }) =>
      push.failWhen(({ path }) => endpoint.endsWith(path), { kind: "reply", status: 500, body: "later" }),
    );
    await world.makeTask("Letter");
    expect(ended(await world.deliver())).to.deep.equal([["pending", 1, "HTTP 500: later"]]);
    heal[0]?.();
    await world.dueNow();
    expect(ended(await world.deliver())).to.deep.equal([["sent", 2, null]]);
    expect([one.messages.length, two.messages.length]).to.deep.equal([1, 0]);
  });

  it("go only to the person's own browsers", async () => {
    const ben = await tenant.member("member");
    const [hers, his] = [await browser(), await browser(ben)];
    await world.makeTask("For Anna");
    await world.makeTask("For Ben", ben);
    await world.deliver();
    expect([hers, his].map(({ messages }) => messages.map(({ body }) => /‘(.+)’/.exec(String(body))?.[1]))).to.deep.equal([
      ["For Anna"],
      ["For Ben"],
    ]);
  });

  it("fail without an attempt if no browser is left, and keep a browser whose keys cannot be unsealed", async () => {
    await browser();
    await world.makeTask("Letter");
    await service.sql.query("update notification_push_devices set auth = 'v1.00000000.x' where organisation_id = $1", [
      tenant.organisation.id,
    ]);
    expect(ended(await world.deliver())).to.deep.equal([["failed", 0, "errors.push_no_device"]]);
    expect(bodyOf(await anna.get("/notifications/push/subscriptions"))).to.have.length(1);
  });

  it("go to a person's own channel in the person's language, with only that person's events", async () => {
    const ben = await tenant.member("member");
    await service.sql.query("update accounts set locale = 'en' where id = $1", [anna.accountId]);
    await channel(anna, "webhook", `${provider.origin}/mine`);
    await world.makeTask("For Ben", ben);
    await world.makeTask("For Anna");
    expect(ended(await world.deliver())).to.deep.equal([["sent", 1, null]]);
    expect(provider.taken.map(({ path }) => path)).to.deep.equal(["/mine"]);
    expect(provider.taken[0]?.text).to.match(/assigned you the task ‘For Anna’/);
  });

  it("go to a mail channel as one mail that lists each event", async () => {
    await channel(anna, "mailto", "mailto:room@example.org?bcc=other@example.org");
    for (const title of ["Letter one", "Letter two"]) await world.makeTask(title);
    await world.deliver();
    expect(mailbox.delivered.map(({ to }) => to)).to.deep.equal([["room@example.org"]]);
    expect(mailbox.delivered[0]?.mail.text).to.match(/‘Letter one’[\s\S]*‘Letter two’/);
  });

  it("contain only the last event of a burst, once", async () => {
    const rule = { event_type: "task.commented", enabled: true, delay_minutes: 30 };
    await prefer(anna, { email_events: [rule] });
    const id = await world.makeTask("Letter");
    for (const body of ["First words", "Last words"]) bodyOf(await tenant.owner.post(`/tasks/${id}/comments`, { body }));
    expect(ended(await world.deliver())).to.deep.equal([["pending", 0, null]]);
    await world.dueNow();
    await world.deliver();
    expect(mailbox.delivered).to.have.length(1);
    expect(mailbox.delivered[0]?.mail.text)
      .to.match(/Last words/)
      .and.not.match(/First words/);
  });

  it("are one digest with all events until its time", async () => {
    await prefer(anna, { email_events: [{ event_type: "task.assigned", enabled: true, digest: "daily" }] });
    for (const title of ["One", "Two", "Three"]) await world.makeTask(title);
    const waiting = await world.deliver();
    expect(new Set(waiting.map(({ due_at }) => due_at)).size, "all at one time").to.equal(1);
    expect(mailbox.delivered).to.have.length(0);
    await world.dueNow();
    await world.deliver();
    expect(mailbox.delivered.map(({ mail }) => mail.subject)).to.satisfy(
      ([subject, ...more]: string[]) => more.length === 0 && /3 meldingen$/.test(subject as string),
    );
  });

  it("wait while the organisation is suspended", async () => {
    await world.room();
    await world.makeTask("Letter");
    const set = (status: string) =>
      service.sql.query("update organisations set status = $2 where id = $1", [tenant.organisation.id, status]);
    const other = await service.tenant();
    const ben = await other.member("member");
    await world.room("/other", other);
    await set("suspended");
    await world.makeTask("Brief", ben, other);
    await world.look();
    await until(() => provider.taken.length > 0);
    expect(provider.taken.map(({ path }) => path)).to.deep.equal(["/other"]);
    expect(ended(await world.rows())).to.deep.equal([["pending", 0, null]]);
    await set("active");
    expect(ended(await world.deliver())).to.deep.equal([["sent", 1, null]]);
  });

  it("fail if the channel was switched off meanwhile, and are retried if its address cannot be unsealed", async () => {
    const id = await world.room();
    await world.makeTask("Letter");
    bodyOf(await tenant.owner.patch(`/notifications/channels/${id}`, { enabled: false }));
    expect(ended(await world.deliver())).to.deep.equal([["failed", 0, "errors.notification_channel_gone"]]);
    await service.sql.query("update notification_channels set enabled = true, url = 'v1.00000000.x' where id = $1", [id]);
    await world.makeTask("Another");
    expect(ended(await world.deliver())[1]).to.deep.equal(["pending", 1, "errors.notification_channel_input"]);
    expect(provider.received).to.deep.equal([]);
  });

  it("have a link in a mail about several events that ends all mail", async () => {
    await prefer(anna, { email_events: on("task.assigned", "task.commented", "task.overdue") });
    const id = await world.makeTask("Letter");
    bodyOf(await tenant.owner.post(`/tasks/${id}/comments`, { body: "Words" }));
    await world.deliver();
    const value = mailbox.delivered[0]?.mail.headers.find(({ key }) => key === "list-unsubscribe")?.value ?? "";
    const { status } = await service.call("POST", `/${new URL(value.slice(1, -1)).pathname}`, { host: tenant.host });
    const { events } = bodyOf(await anna.get("/notifications/preferences"));
    expect([status, events.filter(({ email_enabled }: Body) => email_enabled)]).to.deep.equal([200, []]);
    expect(events.every(({ email_source }: Body) => email_source === "user")).to.equal(true);
  });
});
