import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { atOnce, type Body, bodyOf, channel, heard, prefer, rowsAbout, sendingAbout, unread, watch } from "./inbox-records.ts";

const MINUTE = 60_000;

describe("a notification's time and ways (platform chapter §5.2, §5.4, §5.5)", () => {
  let service: TestService;
  let tenant: Tenant;
  let anna: Caller;
  let ben: Caller;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    [anna, ben] = [await tenant.member("member", { name: "Anna" }), await tenant.member("member", { name: "Ben" })];
  });
  after(() => service.stop());

  const makeTask = async (...people: Caller[]): Promise<string> =>
    bodyOf(
      await tenant.owner.post("/tasks", {
        title: "Letter",
        assignees: people.map(({ accountId }, n) => ({ user_id: accountId, is_primary: n === 0 })),
      }),
    ).id;
  const move = async (id: string, status: string) => bodyOf(await tenant.owner.patch(`/tasks/${id}`, { status }));
  const say = async (id: string, body: string) => bodyOf(await tenant.owner.post(`/tasks/${id}/comments`, { body }));
  const moments = ({ visible_at, created_at }: Body) => [Date.parse(visible_at), Date.parse(created_at)] as [number, number];

  it("is a digest by default: nothing shows the row before its time", async () => {
    const id = await makeTask(anna);
    await move(id, "in_progress");
    const waiting = (await rowsAbout(service, id)).find(({ event_type }: Body) => event_type === "task.status_changed");
    const [visible, created] = moments(waiting);
    expect(visible - created).to.be.within(1, 1440 * MINUTE + 120 * MINUTE);
    expect(new Date(visible).toLocaleTimeString("nl", { timeZone: "Europe/Amsterdam" })).to.equal("08:00:00");
    expect([await heard(anna), await unread(anna)]).to.deep.equal([["task.assigned"], 1]);
    expect((await anna.patch(`/notifications/${waiting.id}`, { read: true })).status).to.equal(404);
    expect(bodyOf(await anna.post("/notifications/mark-all-read")).updated).to.equal(1);
    expect((await rowsAbout(service, id)).find(({ id: one }: Body) => one === waiting.id).read_at).to.equal(null);
  });

  it("has the delay of its rule", async () => {
    await prefer(anna, { events: [{ event_type: "task.assigned", delay_minutes: 30 }] });
    const [row] = await rowsAbout(service, await makeTask(anna));
    const [visible, created] = moments(row);
    expect(visible - created).to.equal(30 * MINUTE);
  });

  it("has no way at all if its event is off in the inbox", async () => {
    const mine = await channel(service, tenant, anna.accountId, "Mine");
    const on = { event_type: "task.assigned", enabled: true };
    await prefer(anna, {
      events: [{ event_type: "task.assigned", enabled: false }],
      email_events: [on],
      push_events: [on],
      channels: [{ channel_config_id: mine, events: [on] }],
    });
    const id = await makeTask(anna, ben);
    expect((await rowsAbout(service, id)).map(({ account_id }: Body) => account_id)).to.deep.equal([ben.accountId]);
    expect((await sendingAbout(service, id)).filter(({ account_id }: Body) => account_id === anna.accountId)).to.deep.equal([]);
  });

  describe("bursts", () => {
    it("replace a row that is not visible yet, keep its time and send nothing again", async () => {
      await prefer(anna, { email_events: [{ event_type: "task.commented", enabled: true }] });
      const id = await makeTask(anna);
      await say(id, "First");
      const commented = async () =>
        (await rowsAbout(service, id)).filter(({ event_type }: Body) => event_type === "task.commented");
      const [before] = await commented();
      await say(id, "Second");
      const after = await commented();
      expect(after).to.have.length(1);
      expect(after[0].payload.excerpt).to.equal("Second");
      expect(after[0]).to.deep.include({ id: before.id, visible_at: before.visible_at, created_at: before.created_at });
      expect((await sendingAbout(service, id)).map(({ way, event_type }: Body) => [way, event_type])).to.deep.equal([
        ["email", "task.commented"],
      ]);
      expect(
        bodyOf(await anna.get(`/notifications/activity?entity_type=task&entity_id=${id}`)).map(
          ({ event_type }: Body) => event_type,
        ),
      ).to.deep.equal(["task.commented", "task.commented", "task.assigned"]);
    });

    it("combine one event of one record for one person, and no row that is visible already", async () => {
      await atOnce(tenant.owner, "task.commented");
      const [one, other] = [await makeTask(anna), await makeTask(anna)];
      await say(one, "First");
      await say(one, "Second");
      expect(await heard(anna, "&unread=true")).to.deep.equal([
        "task.commented",
        "task.commented",
        "task.assigned",
        "task.assigned",
      ]);
      await prefer(tenant.owner, {}, "/defaults");
      await say(one, "Third");
      await say(other, "Fourth");
      await move(one, "in_progress");
      const waiting = async () =>
        [...(await rowsAbout(service, one)), ...(await rowsAbout(service, other))].filter(
          ({ visible_at }: Body) => Date.parse(visible_at) > Date.now(),
        ).length;
      expect(await waiting()).to.equal(3);
      await service.sql.query("update notifications set read_at = now() where entity_id = $1", [one]);
      await say(one, "Fifth");
      expect(await waiting()).to.equal(4);
    });
  });

  describe("ways", () => {
    const device = (who: Caller) =>
      service.sql.query(
        `insert into notification_push_devices (id, organisation_id, account_id, endpoint_hash, endpoint, p256dh, auth)
         values (gen_random_uuid(), $1, $2, sha256(random()::text::bytea), 'v1.00000000.x', 'v1.00000000.x', 'v1.00000000.x')`,
        [tenant.organisation.id, who.accountId],
      );
    const ways = async (id: string) =>
      (await sendingAbout(service, id)).map(({ way, account_id, channel_id }: Body) => [way, account_id, channel_id]);

    it("include push for immediate events, once for all devices, and never without a device", async () => {
      for (const who of [anna, anna]) await device(who);
      const id = await makeTask(anna, ben);
      expect(await ways(id)).to.deep.equal([["push", anna.accountId, null]]);
      await move(id, "in_progress");
      expect(await ways(id)).to.have.length(1);
    });

    it("include the person's e-mail, push and enabled channels by the rules of each", async () => {
      await device(anna);
      const [mine, off, silent] = [
        await channel(service, tenant, anna.accountId, "Mine"),
        await channel(service, tenant, anna.accountId, "Off", { enabled: false }),
        await channel(service, tenant, anna.accountId, "Silent"),
      ];
      const on = [{ event_type: "task.assigned", enabled: true }];
      await prefer(anna, {
        email_events: on,
        channels: [mine, off].map((channel_config_id) => ({ channel_config_id, events: on })),
      });
      const id = await makeTask(anna, ben);
      expect(silent).to.be.a("string");
      expect(await ways(id)).to.deep.equal([
        ["channel", anna.accountId, mine],
        ["email", anna.accountId, null],
        ["push", anna.accountId, null],
      ]);
    });

    it("include a shared room once per event, if the event has an audience", async () => {
      const room = await channel(service, tenant, null, "Room");
      const events = [{ event_type: "task.assigned", enabled: true }];
      await prefer(tenant.owner, { channels: [{ channel_config_id: room, events }] }, "/defaults");
      expect(await ways(await makeTask(anna, ben))).to.deep.equal([["channel", null, room]]);
      expect(await ways(await makeTask(tenant.owner))).to.deep.equal([]);
    });

    it("wait for the end of the person's quiet hours, or the organisation's for a room; the inbox does not wait", async () => {
      const now = new Date();
      const clock = (minutes: number) =>
        new Date(now.getTime() + minutes * MINUTE).toLocaleTimeString("nl", {
          timeZone: "Europe/Amsterdam",
          hour: "2-digit",
          minute: "2-digit",
        });
      const quiet = (minutes: number) => ({ quiet_hours_start: clock(-60), quiet_hours_end: clock(minutes) });
      const [room, mine] = [await channel(service, tenant, null, "Room"), await channel(service, tenant, anna.accountId, "Mine")];
      const on = [{ event_type: "task.assigned", enabled: true }];
      await prefer(tenant.owner, { general: quiet(120), channels: [{ channel_config_id: room, events: on }] }, "/defaults");
      await prefer(anna, {
        general: quiet(180),
        email_events: on,
        channels: [{ channel_config_id: mine, events: on }],
      });
      const id = await makeTask(anna);
      const due = (await sendingAbout(service, id)).map(({ way, account_id, due_at }: Body) => [
        way,
        account_id,
        new Date(due_at).toLocaleTimeString("nl", { timeZone: "Europe/Amsterdam", hour: "2-digit", minute: "2-digit" }),
      ]);
      expect(due).to.have.deep.members([
        ["channel", null, clock(120)],
        ["channel", anna.accountId, clock(180)],
        ["email", anna.accountId, clock(180)],
      ]);
      const [row] = await rowsAbout(service, id);
      expect(moments(row)[0]).to.equal(moments(row)[1]);
    });

    it("send digests at the times of their own scope", async () => {
      const mine = await channel(service, tenant, anna.accountId, "Mine", { digest_time: "10:15" });
      const rule = [{ event_type: "task.assigned", enabled: true, digest: "daily" }];
      await device(anna);
      await prefer(anna, {
        events: [{ event_type: "task.assigned", digest: "daily", digest_time: "05:05" }],
        email_events: rule,
        push_events: rule,
        email: { digest_time: "07:10" },
        channels: [{ channel_config_id: mine, events: rule }],
      });
      const id = await makeTask(anna);
      const at = (instant: string) => new Date(instant).toLocaleTimeString("nl", { timeZone: "Europe/Amsterdam" }).slice(0, 5);
      expect((await sendingAbout(service, id)).map(({ way, due_at }: Body) => [way, at(due_at)])).to.deep.equal([
        ["channel", "10:15"],
        ["email", "07:10"],
        ["push", "08:00"],
      ]);
      expect((await rowsAbout(service, id)).map(({ visible_at }: Body) => at(visible_at))).to.deep.equal(["05:05"]);
    });
  });

  it("follows the rules of each follower", async () => {
    const id = await makeTask();
    await watch(anna, "task", id);
    await watch(ben, "task", id);
    await prefer(anna, { events: [{ event_type: "task.status_changed", digest: "immediate" }] });
    await prefer(ben, { events: [{ event_type: "task.status_changed", enabled: false }] });
    await move(id, "in_progress");
    expect([await heard(anna), await rowsAbout(service, id)]).to.satisfy(
      ([events, rows]: [string[], Body[]]) => events.length === 1 && rows.length === 1,
    );
  });
});
