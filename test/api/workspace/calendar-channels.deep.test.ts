import { expect } from "chai";
import { GoogleCalendar } from "../../simulators/google/calendar.ts";
import type { SimulatedChannel } from "../../simulators/google/calendar-state.ts";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import type { Received } from "../../simulators/simulator.ts";
import { fire, settled } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
import { type CalendarWorld, type Colleague, startCalendars } from "./calendar-world.ts";

const WEBHOOK = "/workspace/calendar/webhook";
const DAY = 86_400_000;
const isWatch = ({ path }: Received) => path.endsWith("/events/watch");
const isStop = ({ path }: Received) => path.endsWith("/channels/stop");

describe("Push channels (workspace §2.3)", () => {
  let world: CalendarWorld;
  let tenant: Tenant;
  before(async () => {
    // Google pushes to addresses with TLS alone.
    world = await startCalendars({ SERVICE_PUBLIC_SCHEME: "https" });
  });
  beforeEach(async () => {
    world.google.reset();
    // The schedules strike for every organisation: those of the other tests have nothing to renew.
    await world.service.sql.query("update workspace_connections set status = 'error'");
    ({ tenant } = await world.organisation({ timezone: "Europe/Amsterdam" }));
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const stored = async ({ caller }: Colleague) =>
    (
      await world.service.sql.query(
        `select h.id, h.status, h.resource_id, h.expires_at from workspace_calendar_channels h
         join workspace_connections c on c.id = h.connection_id where c.account_id = $1 order by h.created_at`,
        [caller.accountId],
      )
    ).rows as { id: string; status: string; resource_id: string | null; expires_at: string | null }[];
  const message = (headers: Record<string, string>, body?: unknown) =>
    world.service.call("POST", WEBHOOK, { headers, body, host: tenant.host });
  const push = (channel: SimulatedChannel, state?: string) => message(GoogleCalendar.message(channel, state));
  const only = ({ calendar }: Colleague): SimulatedChannel => {
    expect(calendar.channels).to.have.length(1);
    return calendar.channels[0] as SimulatedChannel;
  };
  const pulls = () => world.asked().filter((call) => call.startsWith("GET"));
  const roads = () =>
    world.google.received.filter(({ path }) => path.startsWith("/calendar/")).map(({ path }) => path.split("/").at(-1));
  const endsIn = (channel: SimulatedChannel, days: number) =>
    world.service.sql.query("update workspace_calendar_channels set expires_at = now() + $2 * interval '1 day' where id = $1", [
      channel.id,
      days,
    ]);
  const forget = () => (world.google.received.length = 0);

  it("is opened after the first pull, for this service's own address, and stored with its resource and end", async () => {
    const ann = await world.colleague(tenant);
    const channel = only(ann);
    expect(channel.address).to.match(
      new RegExp(`^https://${tenant.host.split(":")[0]}(:\\d+)?/api/v1/workspace/calendar/webhook$`),
    );
    expect(channel.token).to.match(/^[0-9a-f-]{36}\.[0-9a-f-]{36}\.[\w-]{43}$/);
    expect([channel.id.length <= 64, channel.token.length <= 256]).to.deep.equal([true, true]);
    const [row, ...more] = await stored(ann);
    expect(more).to.deep.equal([]);
    expect(row).to.deep.include({ id: channel.id, status: "active", resource_id: channel.resourceId });
    expect(Date.parse(row?.expires_at as string)).to.equal(channel.expiration);
  });

  describe("POST /workspace/calendar/webhook", () => {
    const altered: [what: string, change: (headers: Record<string, string>) => void][] = [
      ["without a token", (headers) => delete headers["X-Goog-Channel-Token"]],
      ["with a malformed token", (headers) => (headers["X-Goog-Channel-Token"] = "a.b.c")],
      [
        "with another secret",
        (headers) => (headers["X-Goog-Channel-Token"] = `${headers["X-Goog-Channel-Token"]?.slice(0, -1)}-`),
      ],
      [
        "of an organisation that is not there",
        (headers) => (headers["X-Goog-Channel-Token"] = `${crypto.randomUUID()}${headers["X-Goog-Channel-Token"]?.slice(36)}`),
      ],
      [
        "of a connection that is not there",
        (headers) =>
          (headers["X-Goog-Channel-Token"] =
            `${headers["X-Goog-Channel-Token"]?.slice(0, 37)}${crypto.randomUUID()}${headers["X-Goog-Channel-Token"]?.slice(73)}`),
      ],
      ["that names another channel", (headers) => (headers["X-Goog-Channel-ID"] = crypto.randomUUID())],
    ];
    for (const [what, change] of altered)
      it(`answers 404 with no body to a message ${what}, and reads nothing`, async () => {
        const ann = await world.colleague(tenant);
        const headers = GoogleCalendar.message(only(ann));
        change(headers);
        forget();
        const { status, text } = await message(headers);
        expect([status, text]).to.deep.equal([404, ""]);
        await world.settle();
        expect(pulls()).to.deep.equal([]);
      });

    it("answers 404 to a token of another channel (trap P5)", async () => {
      const [ann, bob] = [await world.colleague(tenant), await world.colleague(tenant)];
      const [one, other] = [only(ann), only(bob)];
      const [organisation, connection] = one.token.split(".");
      const mixed = { ...one, token: `${organisation}.${connection}.${other.token.split(".")[2]}` };
      expect((await push(mixed)).status).to.equal(404);
      expect((await push({ ...one, id: other.id })).status).to.equal(404);
    });

    it("answers 200 to the first message of a channel, and reads nothing", async () => {
      const ann = await world.colleague(tenant);
      forget();
      expect((await push(only(ann), "sync")).status).to.equal(200);
      await world.settle();
      expect(pulls()).to.deep.equal([]);
    });

    for (const state of ["exists", "not_exists", "anything else"])
      it(`reads the calendar once after '${state}' (trap P3)`, async () => {
        const ann = await world.colleague(tenant);
        ann.calendar.put({ id: "event0", summary: "New", start: { date: "2027-03-10" }, end: { date: "2027-03-11" } });
        forget();
        const { status, text } = await push(only(ann), state);
        expect([status, text]).to.deep.equal([200, ""]);
        await world.settle();
        expect(pulls()).to.have.length(1);
        expect((await world.feed(ann.caller, "2027-03-10", "2027-03-10")).map(({ title }) => title)).to.deep.equal(["New"]);
      });

    it("reads the calendar at most twice for fifty messages within a second (trap P5)", async () => {
      const ann = await world.colleague(tenant);
      const channel = only(ann);
      forget();
      const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => push(channel, n % 2 ? "exists" : "not_exists")));
      expect(answers.every(({ status }) => status === 200)).to.equal(true);
      await world.settle();
      expect(pulls().length).to.be.within(1, 2);
    });

    it("takes any body, and any host", async () => {
      const ann = await world.colleague(tenant);
      const headers = GoogleCalendar.message(only(ann));
      forget();
      const answers = [
        await message({ ...headers, "Content-Type": "application/json" }, "{ this is no JSON"),
        await world.service.call("POST", WEBHOOK, { headers, host: "elsewhere.example" }),
      ];
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
      await world.settle();
      expect(pulls()).to.have.length(1);
    });

    it("answers 200 also where the pull cannot be queued, and the clock reads the calendar", async () => {
      const ann = await world.colleague(tenant);
      const { sql } = world.service;
      await sql.query(
        "alter table outbox add constraint no_pulls check (job is distinct from 'workspace.calendar.pull') not valid",
      );
      const { status } = await push(only(ann));
      await sql.query("alter table outbox drop constraint no_pulls");
      await sql.query("update workspace_calendars set last_synced_at = now() - interval '31 minutes'");
      expect(status).to.equal(200);
      forget();
      await fire(world.service, "workspace.calendar.poll");
      expect(pulls()).to.have.length(1);
    });

    it("answers 404 once the connection is ended, which stops the channel first", async () => {
      const ann = await world.colleague(tenant);
      const channel = only(ann);
      forget();
      expect((await ann.caller.post("/workspace/connections/me/disconnect")).status).to.equal(204);
      expect(world.google.received.map(({ path }) => path)).to.deep.equal(["/calendar/v3/channels/stop", "/revoke"]);
      expect(ann.calendar.channels).to.deep.equal([]);
      expect((await push(channel)).status).to.equal(404);
    });

    it("lets a connection be ended although Google does not answer about its channel", async () => {
      const ann = await world.colleague(tenant);
      const end = world.google.failWhen(isStop, { kind: "drop" });
      expect((await ann.caller.post("/workspace/connections/me/disconnect")).status).to.equal(204);
      end();
      expect((await ann.caller.get("/workspace/connections/me")).body.connected).to.equal(false);
    });
  });

  describe("every hour", () => {
    it("renews a channel with less than a day left: the old one is stopped, then a new one opened", async () => {
      const ann = await world.colleague(tenant);
      const old = only(ann);
      await endsIn(old, 0.9);
      forget();
      await fire(world.service, "workspace.calendar.renew");
      const renewed = only(ann);
      expect(renewed.id).to.not.equal(old.id);
      // What changed while nothing was pushed is read.
      expect(roads()).to.deep.equal(["stop", "watch", "events"]);
      expect((await stored(ann)).map(({ id, status }) => [id, status])).to.deep.equal([[renewed.id, "active"]]);
      expect((await push(old)).status).to.equal(404);
      expect((await push(renewed)).status).to.equal(200);
      await world.settle();
    });

    it("leaves a channel with more than a day left alone", async () => {
      const ann = await world.colleague(tenant);
      await endsIn(only(ann), 1.1);
      forget();
      await fire(world.service, "workspace.calendar.renew");
      expect(roads()).to.deep.equal([]);
    });

    it("keeps the old record after a failed renewal, polls, and tries again in the next hour (trap P4)", async () => {
      const ann = await world.colleague(tenant);
      const old = only(ann);
      await endsIn(old, 0.5);
      const end = world.google.failWhen(isWatch, GoogleSimulator.refusing(403, "rateLimitExceeded"));
      await fire(world.service, "workspace.calendar.renew");
      expect((await stored(ann)).map(({ id, resource_id }) => [id, resource_id])).to.deep.equal([[old.id, old.resourceId]]);
      forget();
      await fire(world.service, "workspace.calendar.poll");
      expect(pulls()).to.have.length(1);
      await fire(world.service, "workspace.calendar.renew");
      expect((await stored(ann)).map(({ id }) => id)).to.deep.equal([old.id]);
      end();
      await fire(world.service, "workspace.calendar.renew");
      const renewed = only(ann);
      expect((await stored(ann)).map(({ id, status }) => [id, status])).to.deep.equal([[renewed.id, "active"]]);
      forget();
      await fire(world.service, "workspace.calendar.poll");
      expect(pulls(), "it is pushed again").to.deep.equal([]);
    });

    it("renews although Google no longer knows the old channel", async () => {
      const ann = await world.colleague(tenant);
      await endsIn(only(ann), 0.5);
      ann.calendar.channels.length = 0;
      await fire(world.service, "workspace.calendar.renew");
      expect((await stored(ann)).map(({ id }) => id)).to.deep.equal([only(ann).id]);
    });

    it("never stores a channel of which Google names no resource", async () => {
      const end = world.google.failWhen(isWatch, {
        kind: "reply",
        status: 200,
        headers: { "Content-Type": "application/json" },
        body: "{}",
      });
      const ann = await world.colleague(tenant);
      expect((await stored(ann)).filter(({ status }) => status === "active")).to.deep.equal([]);
      end();
    });
  });

  describe("an answer that was lost", () => {
    it("is found again by the first message of the channel", async () => {
      const end = world.google.failWhen(isWatch, { kind: "lose" });
      const ann = await world.colleague(tenant);
      end();
      const channel = only(ann);
      expect((await stored(ann)).map(({ status }) => status)).to.deep.equal(["opening"]);
      expect((await push(channel, "sync")).status).to.equal(200);
      const [row] = await stored(ann);
      expect(row).to.deep.include({ id: channel.id, status: "active", resource_id: channel.resourceId });
      expect(Math.abs(Date.parse(row?.expires_at as string) - channel.expiration)).to.be.below(1000);
      forget();
      await fire(world.service, "workspace.calendar.renew");
      expect(roads()).to.deep.equal([]);
    });

    it("leaves one channel at Google in the next hour, where no message came", async () => {
      const end = world.google.failWhen(isWatch, { kind: "lose" });
      const ann = await world.colleague(tenant);
      end();
      const lost = only(ann);
      await fire(world.service, "workspace.calendar.renew");
      const channel = only(ann);
      expect(channel.id).to.not.equal(lost.id);
      expect((await stored(ann)).map(({ id, status }) => [id, status])).to.deep.equal([[channel.id, "active"]]);
    });
  });

  it("that is lost in each of three hours leaves one channel at Google once there is an answer", async () => {
    const end = world.google.failWhen(isWatch, { kind: "lose" });
    const ann = await world.colleague(tenant);
    for (let hour = 0; hour < 2; hour++) await fire(world.service, "workspace.calendar.renew");
    expect((await stored(ann)).map(({ status }) => status)).to.deep.equal(["opening", "opening", "opening"]);
    expect(ann.calendar.channels).to.have.length(3);
    end();
    await fire(world.service, "workspace.calendar.renew");
    expect((await stored(ann)).map(({ id, status }) => [id, status])).to.deep.equal([[only(ann).id, "active"]]);
  });

  it("lasts as long as Google says, and a week at most is nothing to rely on", async () => {
    world.google.calendar.channelLifetime = 2 * DAY;
    const ann = await world.colleague(tenant);
    expect(Math.abs(Date.parse((await stored(ann))[0]?.expires_at as string) - Date.now() - 2 * DAY)).to.be.below(600_000);
    await settled(world.service);
  });
});
