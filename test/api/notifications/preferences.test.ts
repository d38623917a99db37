import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { abreast } from "../../support/waiting.ts";
import { type Body, bodyOf, channel, prefer } from "./inbox-records.ts";

const IMMEDIATE = [
  "task.assigned",
  "task.replied",
  "task.mentioned",
  "task.overdue",
  "task.scheduled",
  "project.assigned",
  "company.assigned",
  "leave.requested",
  "leave.approved",
  "leave.rejected",
  "interactions.email_pending",
  "interactions.mentioned",
];
const EVENTS = [
  ..."assigned unassigned status_changed commented replied mentioned due_soon overdue scheduled"
    .split(" ")
    .map((name) => `task.${name}`),
  ..."assigned status_changed budget_threshold".split(" ").map((name) => `project.${name}`),
  ..."created status_changed assigned".split(" ").map((name) => `company.${name}`),
  ..."requested approved rejected".split(" ").map((name) => `leave.${name}`),
  "time.entry_approved",
  "time.timesheet_reminder",
  "interactions.email_pending",
  "interactions.mentioned",
];

describe("preferences (platform chapter §5.4)", () => {
  let service: TestService;
  let tenant: Tenant;
  let anna: Caller;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    anna = await tenant.member("member", { name: "Anna" });
  });
  after(() => service.stop());

  const matrix = async (who: Caller = anna, scope = ""): Promise<Body> =>
    bodyOf(await who.get(`/notifications/preferences${scope}`));
  const rowOf = ({ events }: Body, event: string): Body => events.find(({ event_type }: Body) => event_type === event);

  it("have built-in defaults: the inbox on, e-mail off, push for immediate events", async () => {
    const shown = await matrix();
    expect(shown.events).to.deep.equal(
      EVENTS.map((event_type) => {
        const immediate = IMMEDIATE.includes(event_type);
        return {
          event_type,
          enabled: true,
          delay_minutes: 0,
          digest: immediate ? "immediate" : "daily",
          digest_time: null,
          digest_weekday: null,
          source: "default",
          email_enabled: false,
          email_delay_minutes: 0,
          email_digest: "daily",
          email_source: "default",
          push_enabled: immediate,
          push_delay_minutes: 0,
          push_digest: "immediate",
          push_source: "default",
        };
      }),
    );
    const none = { digest_time: null, digest_weekday: null, source: "default" };
    expect({ ...shown, events: [] }).to.deep.equal({
      events: [],
      general: { due_soon_days: 3, quiet_hours_start: null, quiet_hours_end: null, source: "default" },
      email: none,
      push: none,
      channels: [],
    });
  });

  it("resolve as the worked example of §10 does", async () => {
    await prefer(
      tenant.owner,
      {
        events: [{ event_type: "task.commented", digest: "hourly", delay_minutes: 0 }],
        general: { quiet_hours_start: "22:00", quiet_hours_end: "06:00", due_soon_days: 5 },
      },
      "/defaults",
    );
    const chosen = await prefer(anna, {
      email_events: [{ event_type: "task.commented", enabled: true, digest: "immediate" }],
      general: { due_soon_days: 1 },
    });
    expect(rowOf(chosen, "task.commented")).to.deep.include({
      enabled: true,
      digest: "hourly",
      source: "org",
      email_enabled: true,
      email_digest: "immediate",
      email_source: "user",
      push_enabled: false,
      push_source: "default",
    });
    expect(chosen.general).to.deep.equal({ due_soon_days: 1, quiet_hours_start: null, quiet_hours_end: null, source: "user" });
    expect(await matrix()).to.deep.equal(chosen);
    const emptied = await prefer(anna, {});
    expect(rowOf(emptied, "task.commented")).to.deep.include({ email_enabled: false, email_source: "default" });
    expect(emptied.general).to.deep.equal({
      due_soon_days: 5,
      quiet_hours_start: "22:00",
      quiet_hours_end: "06:00",
      source: "org",
    });
  });

  it("apply whole rows, each way on its own", async () => {
    await prefer(
      tenant.owner,
      {
        events: [{ event_type: "task.commented", digest: "weekly", digest_time: "09:30", digest_weekday: 4 }],
        push_events: [{ event_type: "task.commented", enabled: true, delay_minutes: 10 }],
        email: { digest_time: "07:15" },
        push: { digest_time: "07:45", digest_weekday: 2 },
      },
      "/defaults",
    );
    const own = await prefer(anna, { events: [{ event_type: "task.commented" }], push: { digest_weekday: 6 } });
    expect(rowOf(own, "task.commented")).to.deep.include({
      digest: "immediate",
      digest_time: null,
      digest_weekday: null,
      source: "user",
      push_enabled: true,
      push_delay_minutes: 10,
      push_source: "org",
    });
    expect(own.email).to.deep.equal({ digest_time: "07:15", digest_weekday: null, source: "org" });
    expect(own.push).to.deep.equal({ digest_time: null, digest_weekday: 6, source: "user" });
  });

  it("have quiet hours with both ends, or none", async () => {
    const put = (general: object) => anna.put("/notifications/preferences", { general });
    for (const [general, missing] of [
      [{ quiet_hours_start: "22:00" }, "quiet_hours_end"],
      [{ quiet_hours_start: "22:00", quiet_hours_end: null }, "quiet_hours_end"],
      [{ quiet_hours_end: "06:00" }, "quiet_hours_start"],
    ] as const) {
      const { status, body } = await put(general);
      expect([status, body.error?.fields]).to.deep.equal([422, { [missing]: "errors.required" }]);
    }
    expect((await put({ quiet_hours_start: null, quiet_hours_end: null })).status).to.equal(200);
  });

  it("use three days if the effective row names none", async () => {
    await prefer(tenant.owner, { general: { due_soon_days: 7 } }, "/defaults");
    expect((await prefer(anna, { general: { quiet_hours_start: "20:00", quiet_hours_end: "07:00" } })).general).to.deep.equal({
      due_soon_days: 3,
      quiet_hours_start: "20:00",
      quiet_hours_end: "07:00",
      source: "user",
    });
  });

  it("of the organisation never include a person's", async () => {
    await prefer(tenant.owner, { events: [{ event_type: "task.assigned", enabled: false }], general: { due_soon_days: 9 } });
    const defaults = await matrix(tenant.owner, "/defaults");
    expect(rowOf(defaults, "task.assigned")).to.deep.include({ enabled: true, source: "default" });
    expect(defaults.general.source).to.equal("default");
    expect((await prefer(tenant.owner, { general: { due_soon_days: 9 } }, "/defaults")).general.source).to.equal("org");
    expect((await anna.get("/notifications/preferences/defaults")).status).to.equal(403);
    expect((await anna.put("/notifications/preferences/defaults", {})).status).to.equal(403);
  });

  const unfit: [what: string, body: object, field: string][] = [
    ["an unknown event", { events: [{ event_type: "task.eaten" }] }, "event_type"],
    ["an event outside the matrix", { push_events: [{ event_type: "automation.notify" }] }, "event_type"],
    ["an event twice", { email_events: [{ event_type: "task.overdue" }, { event_type: "task.overdue" }] }, "event_type"],
    ["an unknown cadence", { events: [{ event_type: "task.overdue", digest: "yearly" }] }, "digest"],
    ["a delay above a day", { events: [{ event_type: "task.overdue", delay_minutes: 1441 }] }, "delay_minutes"],
    ["a negative delay", { events: [{ event_type: "task.overdue", delay_minutes: -1 }] }, "delay_minutes"],
    ["an eighth weekday", { email: { digest_weekday: 7 } }, "digest_weekday"],
    ["too many days", { general: { due_soon_days: 91 } }, "due_soon_days"],
    ["no time of day", { general: { quiet_hours_start: "25:00" } }, "quiet_hours_start"],
  ];
  for (const [what, body, field] of unfit)
    it(`are refused as a whole for ${what}`, async () => {
      const before = await prefer(anna, { general: { due_soon_days: 2 } });
      const answer = await anna.put("/notifications/preferences", { general: { due_soon_days: 4 }, ...body });
      expect([answer.status, Object.keys(answer.body.error.fields)]).to.deep.equal([422, [field]]);
      expect(await matrix()).to.deep.equal(before);
    });

  it("route a person's channels in the person's scope; an unrouted channel is silent", async () => {
    const mine = await channel(service, tenant, anna.accountId, "Mine", { digest_time: "10:15" });
    const [shown] = (await matrix()).channels;
    expect({ ...shown, events: shown.events.slice(0, 1) }).to.deep.equal({
      id: mine,
      name: "Mine",
      kind: "slack",
      digest_time: "10:15",
      digest_weekday: null,
      events: [{ event_type: "task.assigned", enabled: false, delay_minutes: 0, digest: "immediate" }],
    });
    expect(shown.events.map(({ event_type }: Body) => event_type)).to.deep.equal(EVENTS);
    const route = { event_type: "task.overdue", enabled: true, delay_minutes: 5, digest: "daily" };
    const routed = await prefer(anna, { channels: [{ channel_config_id: mine, events: [route] }] });
    expect(rowOf(routed.channels[0], "task.overdue")).to.deep.equal(route);
    expect((await matrix(tenant.owner)).channels).to.deep.equal([]);
    expect(rowOf((await prefer(anna, {})).channels[0], "task.overdue").enabled).to.equal(false);
  });

  it("refuse a channel outside their scope, and write nothing", async () => {
    const [theirs, room] = [
      await channel(service, tenant, tenant.owner.accountId, "Theirs"),
      await channel(service, tenant, null, "Room"),
    ];
    const before = await matrix();
    for (const id of [theirs, room, "7b0e0b1c-0000-4000-8000-000000000000"]) {
      const body = { general: { due_soon_days: 1 }, channels: [{ channel_config_id: id, events: [] }] };
      expect((await anna.put("/notifications/preferences", body)).status).to.equal(404);
    }
    expect(await matrix()).to.deep.equal(before);
    expect((await matrix(tenant.owner, "/defaults")).channels.map(({ id }: Body) => id)).to.deep.equal([room]);
    const twice = [1, 2].map(() => ({ channel_config_id: room, events: [] }));
    expect((await tenant.owner.put("/notifications/preferences/defaults", { channels: twice })).status).to.equal(422);
  });

  it("refuse a channel that is deleted during the write, and write nothing", async () => {
    const mine = await channel(service, tenant, anna.accountId, "Mine");
    const before = { ...(await matrix()), channels: [] };
    const events = [{ event_type: "task.overdue", enabled: true }];
    const body = { general: { due_soon_days: 1 }, channels: [{ channel_config_id: mine, events }] };
    const [answer] = await abreast(
      service.database.superuser,
      ["delete from notification_channels where id = $1", [mine]],
      [() => anna.put("/notifications/preferences", body)],
    );
    expect((await answer)?.status).to.equal(404);
    expect(await matrix()).to.deep.equal(before);
  });

  it("keep the routing of rooms if the caller may not see them", async () => {
    const room = await channel(service, tenant, null, "Room");
    const events = [{ event_type: "task.overdue", enabled: true }];
    await prefer(tenant.owner, { channels: [{ channel_config_id: room, events }] }, "/defaults");
    const half = await tenant.member("member", {
      grants: ["notifications.notification.read", "notifications.defaults.manage", "notifications.channels.manage_own"],
    });
    expect((await prefer(half, {}, "/defaults")).channels).to.deep.equal([]);
    expect((await half.put("/notifications/preferences/defaults", { channels: [{ channel_config_id: room }] })).status).to.equal(
      404,
    );
    expect(rowOf((await matrix(tenant.owner, "/defaults")).channels[0], "task.overdue").enabled).to.equal(true);
  });

  it("keep the routing of a person's own channels while the person may not see them", async () => {
    const half = await tenant.member("member", {
      grants: ["notifications.notification.read", "notifications.notification.write"],
    });
    const theirs = await channel(service, tenant, half.accountId, "Theirs");
    await service.sql.query(
      "insert into notification_channel_routes (organisation_id, channel_id, event_type, enabled) values ($1, $2, 'task.overdue', true)",
      [tenant.organisation.id, theirs],
    );
    expect((await half.get("/notifications/channels")).status).to.equal(403);
    expect((await matrix(half)).channels).to.deep.equal([]);
    expect((await prefer(half, {})).channels).to.deep.equal([]);
    expect((await half.put("/notifications/preferences", { channels: [{ channel_config_id: theirs }] })).status).to.equal(404);
    const { rows } = await service.sql.query("select event_type from notification_channel_routes where channel_id = $1", [
      theirs,
    ]);
    expect(rows).to.deep.equal([{ event_type: "task.overdue" }]);
  });

  it("belong to people: a service account may read the effective ones and change nothing", async () => {
    const robot = await tenant.serviceAccount(["notifications.notification.read", "notifications.notification.write"]);
    expect((await matrix(robot)).general.source).to.equal("default");
    expect((await robot.put("/notifications/preferences", {})).status).to.equal(403);
    const watch = { entity_type: "task", entity_id: "7b0e0b1c-0000-4000-8000-000000000000", watching: true };
    expect((await robot.put("/notifications/watch", watch)).status).to.equal(403);
  });
});
