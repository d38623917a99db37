import { expect } from "chai";
import { addDays, dateIn } from "../../../core/calendar/calendar.ts";
import { schedule } from "../../../core/jobs/jobs.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { PULL_JOB } from "../../../integrations/workspace/calendar/pull-jobs.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import { fire, settled, strike, until } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
import type { Workspace } from "../../support/workspace.ts";
import { type CalendarWorld, type Colleague, startCalendars } from "./calendar-world.ts";

const TODAY = dateIn("Europe/Amsterdam", Date.now());
const day = (n: number) => addDays(TODAY, n);
const whole = (id: string, from = 1, days = 1, summary = id) => ({
  id,
  summary,
  start: { date: day(from) },
  end: { date: day(from + days) },
});
const FIRST = /^GET \?singleEvents=true&maxResults=250&timeMin=\d{4}-\d\d-\d\dT[\d:.]+Z$/;

describe("Pulling calendars (workspace §2.3)", () => {
  let world: CalendarWorld;
  let tenant: Tenant;
  let workspace: Workspace;
  before(async () => {
    world = await startCalendars();
  });
  beforeEach(async () => {
    world.google.reset();
    ({ tenant, workspace } = await world.organisation({ timezone: "Europe/Amsterdam" }));
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const connectionOf = async ({ caller }: Pick<Colleague, "caller">): Promise<string> =>
    (await world.service.sql.query("select id from workspace_connections where account_id = $1", [caller.accountId])).rows[0].id;
  const state = async (colleague: Colleague) => {
    const text =
      "select k.*, c.status, c.last_error as broken from workspace_connections c left join workspace_calendars k on k.connection_id = c.id where c.id = $1";
    return (await world.service.sql.query(text, [await connectionOf(colleague)])).rows[0];
  };
  /** Queues a pull as a message of Google does, due at once. */
  const queue = async (colleague: Pick<Colleague, "caller">) => {
    const connection_id = await connectionOf(colleague);
    await inTenancy(
      () => systemRequest("test", tenant.organisation, "write"),
      async () => void schedule(PULL_JOB, { connection_id }, { key: connection_id, dedupe: connection_id }),
    );
  };
  const pull = async (colleague: Pick<Colleague, "caller">) => {
    world.google.received.length = 0;
    await queue(colleague);
    await world.settle();
  };
  const ids = async ({ caller }: Colleague) => (await world.feed(caller, day(-60), "9999-12-31")).map(({ id }) => id);
  const cached = async (): Promise<number> =>
    (
      await world.service.sql.query("select count(*)::int as n from workspace_calendar_events where organisation_id = $1", [
        tenant.organisation.id,
      ])
    ).rows[0].n;
  const fails = (status: number, reason: string, matches: (query: URLSearchParams) => boolean = () => true) =>
    world.google.failWhen(
      ({ path, method, query }) => method === "GET" && path.startsWith("/calendar/") && matches(query),
      GoogleSimulator.refusing(status, reason),
    );

  it("asks the first time from thirty days back, and by the sync token from then on", async () => {
    const ann = await world.colleague(tenant, (calendar) => {
      // Two days off: a whole day's bounds are UTC at the provider, for any local hour.
      calendar.put(whole("old00", -32));
      calendar.put(whole("near0", -28));
      calendar.put(whole("event0", 3));
    });
    expect(world.asked()).to.have.length(1);
    expect(world.asked()[0]).to.match(FIRST);
    const from = Date.parse(new URLSearchParams(world.asked()[0]?.split("?")[1]).get("timeMin") as string);
    expect(Math.abs(Date.now() - 30 * 86_400_000 - from)).to.be.below(600_000);
    expect(await ids(ann)).to.deep.equal(["near0", "event0"]);

    ann.calendar.put(whole("event0", 5, 1, "Moved"));
    ann.calendar.put(whole("fresh0", 4));
    await pull(ann);
    expect(world.asked()).to.deep.equal(["GET ?singleEvents=true&maxResults=250&syncToken=0.3"]);
    expect(await ids(ann)).to.deep.equal(["near0", "fresh0", "event0"]);
    expect((await state(ann)).sync_token).to.equal("0.5");
  });

  it("never asks for deleted events, and takes them away by their tombstones", async () => {
    const ann = await world.colleague(tenant, (calendar) => {
      for (const id of ["stays", "goes0"]) calendar.put(whole(id));
    });
    ann.calendar.remove("goes0");
    await pull(ann);
    expect(await ids(ann)).to.deep.equal(["stays"]);
    expect(world.google.received.filter(({ query }) => query.has("showDeleted"))).to.deep.equal([]);
  });

  it("keeps a cancelled event that has a start, as cancelled", async () => {
    const ann = await world.colleague(tenant);
    const { start, end } = whole("x");
    ann.calendar.put({ id: "inst0", status: "cancelled", recurringEventId: "series", originalStartTime: start, start, end });
    await pull(ann);
    const [item] = await world.feed(ann.caller, day(0), day(5));
    expect([item?.id, item?.["cancelled"]]).to.deep.equal(["inst0", true]);
  });

  it("follows pages to the end: 2,000 events in eight calls, each stored by one statement", async () => {
    const { sql } = world.service;
    await sql.query(`create table counted_writes ();
      create function count_write() returns trigger language plpgsql security definer as $$ begin
        insert into counted_writes default values; return null; end $$;
      create trigger counted after insert on workspace_calendar_events for each statement execute function count_write()`);
    const ann = await world.colleague(tenant, (calendar) => {
      for (let n = 0; n < 2000; n++) calendar.put(whole(`event${n}`, n % 300));
    });
    const { rows } = await sql.query("select count(*)::int as n from counted_writes");
    await sql.query("drop trigger counted on workspace_calendar_events");
    expect(world.asked()).to.have.length(8);
    expect(
      world
        .asked()
        .slice(1)
        .every((call) => /pageToken=page/.test(call)),
    ).to.equal(true);
    expect([await cached(), (await ids(ann)).length, rows[0].n]).to.deep.equal([2000, 2000, 8]);
  });

  it("keeps at most 53 instances of a weekly series without end that is moved, and takes no page more than it needs (trap P1)", async () => {
    const ann = await world.colleague(tenant, (calendar) => {
      calendar.put({ ...whole("weekly", 0), recurrence: ["RRULE:FREQ=WEEKLY"] });
    });
    expect(await cached()).to.equal(53);
    ann.calendar.put({ ...whole("weekly", 1, 1, "Moved"), recurrence: ["RRULE:FREQ=WEEKLY"] });
    await pull(ann);
    expect(world.asked()).to.have.length(1);
    const moved = (await world.feed(ann.caller, day(0), "9999-12-31")).filter(({ title }) => title === "Moved");
    expect(moved).to.have.length(53);
    expect(moved.at(-1)?.["start"]).to.equal(day(365));
  });

  it("lets an instance go that moves beyond the horizon of 365 days, and keeps a single event there", async () => {
    const ann = await world.colleague(tenant, (calendar) => {
      calendar.put({ ...whole("inst0", 5), recurringEventId: "series" });
      calendar.put(whole("single", 5));
    });
    ann.calendar.put({ ...whole("inst0", 366), recurringEventId: "series" });
    ann.calendar.put(whole("single", 800));
    await pull(ann);
    expect(await ids(ann)).to.deep.equal(["single"]);
  });

  it("reads everything once more after 410, while the old events still count, so that a deleted event is gone (trap P2)", async () => {
    const ann = await world.colleague(tenant, (calendar) => {
      for (const id of ["stays", "goes0"]) calendar.put(whole(id));
    });
    ann.calendar.events.delete("goes0");
    ann.calendar.put(whole("fresh0"));
    world.google.calendar.expireSyncTokens();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const end = world.google.failWhen(({ query }) => query.has("timeMin"), { kind: "wait", until: held });
    const before = (await state(ann)).last_synced_at;
    world.google.received.length = 0;
    await queue(ann);
    await until(() => world.google.received.length === 2);
    // While the refill runs, the old rows count, and the run has reported no success.
    expect(await ids(ann)).to.deep.equal(["goes0", "stays"]);
    expect((await state(ann)).last_synced_at).to.deep.equal(before);
    end();
    release();
    await world.settle();
    expect(await ids(ann)).to.deep.equal(["fresh0", "stays"]);
    expect(world.asked()[0]).to.match(/syncToken/);
    expect(world.asked()[1]).to.match(FIRST);
    expect(await cached()).to.equal(2);
    expect((await state(ann)).last_synced_at > before).to.equal(true);
  });

  it("fails if 410 comes in the refill too, keeps the old events, and refills at the next attempt", async () => {
    const ann = await world.colleague(tenant, (calendar) => {
      for (let n = 0; n < 300; n++) calendar.put(whole(`event${n}`));
    });
    ann.calendar.events.delete("event7");
    world.google.calendar.expireSyncTokens();
    const before = (await state(ann)).last_synced_at;
    // The second page of the refill is gone; the first one was stored.
    const end = fails(410, "fullSyncRequired", (query) => query.has("pageToken"));
    world.google.received.length = 0;
    await queue(ann);
    await until(async () => (await state(ann)).last_error !== null);
    expect((await state(ann)).last_synced_at).to.deep.equal(before);
    expect(await ids(ann)).to.have.length(300);
    end();
    await world.settle();
    expect(await ids(ann)).to.have.length(299);
    expect(await cached()).to.equal(299);
    const tokens = world.google.received.filter(({ query }) => query.has("syncToken"));
    expect(tokens, "the dead token is asked about once").to.have.length(1);
    expect((await state(ann)).last_error).to.equal(null);
  });

  it("reads everything again after thirty days, so that instances come within the horizon", async () => {
    const ann = await world.colleague(tenant, (calendar) => void calendar.put(whole("event0")));
    await world.service.sql.query(
      "update workspace_calendars set filled_at = now() - interval '31 days' where organisation_id = $1",
      [tenant.organisation.id],
    );
    await pull(ann);
    expect(world.asked()).to.have.length(1);
    expect(world.asked()[0]).to.match(FIRST);
    await pull(ann);
    expect(world.asked()[0]).to.match(/syncToken/);
  });

  it("stops quietly if the grant is revoked in the middle, marks the connection once, and notifies its owner once (trap P9)", async () => {
    const ann = await world.colleague(tenant, (calendar) => void calendar.put(whole("event0")));
    for (let n = 0; n < 300; n++) ann.calendar.put(whole(`event${n}`));
    const end = world.google.failWhen(
      ({ query }) => {
        if (query.has("pageToken")) world.google.revoke(ann.person);
        return false;
      },
      { kind: "drop" },
    );
    await pull(ann);
    end();
    expect(await state(ann)).to.deep.include({ status: "error" });
    await pull(ann);
    expect(world.asked()).to.deep.equal([]);
    const { rows } = await world.service.sql.query(
      "select count(*)::int as n from notifications where organisation_id = $1 and account_id = $2",
      [tenant.organisation.id, ann.caller.accountId],
    );
    expect(rows[0].n).to.equal(1);
    expect(await ids(ann)).to.include("event0");
  });

  const lasting: [status: number, reason: string][] = [
    [403, "insufficientPermissions"],
    [403, "accessNotConfigured"],
    [403, "forbidden"],
  ];
  for (const [status, reason] of lasting)
    it(`asks once and says why after ${status} ${reason}, which does not break the connection`, async () => {
      const ann = await world.colleague(tenant);
      const end = fails(status, reason);
      await pull(ann);
      end();
      expect(world.asked()).to.have.length(1);
      expect(await state(ann)).to.deep.include({ status: "active", broken: null });
      expect((await state(ann)).last_error).to.include(reason);
    });

  it("tries again after a limit of Google, without breaking the connection", async () => {
    const ann = await world.colleague(tenant, (calendar) => void calendar.put(whole("event0")));
    ann.calendar.put(whole("event1"));
    world.google.fail(GoogleSimulator.refusing(403, "rateLimitExceeded"));
    await pull(ann);
    expect(await ids(ann)).to.deep.equal(["event0", "event1"]);
    expect((await state(ann)).status).to.equal("active");
  });

  it("reads no calendar without the scope, or with calendars switched off", async () => {
    const ann = await world.colleague(tenant);
    const set = (scopes: string[]) =>
      world.service.sql.query("update workspace_connections set scopes = $2 where organisation_id = $1", [
        tenant.organisation.id,
        scopes,
      ]);
    await set(["openid"]);
    await pull(ann);
    expect(world.asked()).to.deep.equal([]);
    // The broader scope includes the requested one, and an empty list proves nothing (trap S10).
    await set(["https://www.googleapis.com/auth/calendar"]);
    await pull(ann);
    await set([]);
    await queue(ann);
    await world.settle();
    expect(world.asked()).to.have.length(2);
    await workspace.configure({ calendar_enabled: false });
    await pull(ann);
    expect(world.asked()).to.deep.equal([]);
  });

  describe("by the clock", () => {
    // The schedule strikes for every organisation: those of the other tests have nothing to poll.
    beforeEach(() => world.service.sql.query("update workspace_connections set status = 'error'"));
    const jobs = async (): Promise<{ run_at: string | null }[]> =>
      (
        await world.service.sql.query(
          "select payload ->> 'connection_id' as id, run_at from outbox where job = $1 and organisation_id = $2",
          [PULL_JOB, tenant.organisation.id],
        )
      ).rows;

    it("polls connections whose channel is not active, and those that were not read for half an hour", async () => {
      const colleagues = [await world.colleague(tenant), await world.colleague(tenant), await world.colleague(tenant)];
      const [pushed, silent] = [await connectionOf(colleagues[0] as Colleague), await connectionOf(colleagues[1] as Colleague)];
      for (const id of [pushed, silent])
        await world.service.sql.query(
          `insert into workspace_calendar_channels (id, organisation_id, connection_id, status, secret_hash, resource_id, expires_at)
           values (gen_random_uuid(), $1, $2, 'active', 'x', 'r', now() + interval '2 days')`,
          [tenant.organisation.id, id],
        );
      await world.service.sql.query(
        "update workspace_calendars set last_synced_at = now() - interval '31 minutes' where connection_id = $1",
        [silent],
      );
      world.google.received.length = 0;
      await fire(world.service, "workspace.calendar.poll");
      expect(world.asked()).to.have.length(2);
      world.google.received.length = 0;
      await fire(world.service, "workspace.calendar.poll");
      expect(world.asked(), "the one without a channel alone").to.have.length(1);
    });

    it("spreads 500 connections that are due at once over four minutes", async () => {
      const ann = await world.colleague(tenant);
      const { organisation } = tenant;
      // Queued jobs do not run now: the rows stay queued.
      await world.service.sql.query(`create function keeps_pulls() returns trigger language plpgsql as $$ begin
        new.relayed_at := now(); return new; end $$`);
      await world.service.sql.query(
        `create trigger keeps_pulls before insert on outbox for each row when (new.job = '${PULL_JOB}') execute function keeps_pulls()`,
      );
      await world.service.sql.query(
        `with people as (insert into accounts (email) select 'many' || n || '@' || $1::text || '.test' from generate_series(1, 499) n returning id),
          members as (insert into memberships (organisation_id, account_id) select $1::uuid, id from people returning account_id)
        insert into workspace_connections (id, organisation_id, account_id, subject, client_id, email, scopes, refresh_token)
        select gen_random_uuid(), $1::uuid, m.account_id, m.account_id::text, 'c', 'x@y.test', '{https://www.googleapis.com/auth/calendar.events}',
          (select refresh_token from workspace_connections where account_id = $2) from members m`,
        [organisation.id, ann.caller.accountId],
      );
      await strike(world.service, "workspace.calendar.poll");
      const rows = await until(async () => {
        const found = await jobs();
        return found.length >= 500 ? found : null;
      });
      await world.service.sql.query("drop trigger keeps_pulls on outbox");
      const moments = rows.map(({ run_at }) => (run_at === null ? 0 : Date.parse(run_at))).sort((one, other) => one - other);
      expect(rows).to.have.length(500);
      expect(new Set(moments).size, "no two at once").to.equal(500);
      expect((moments.at(-1) as number) - (moments[1] as number)).to.equal(498 * 500);
      await world.service.sql.query("delete from workspace_connections where organisation_id = $1", [organisation.id]);
    });
  });

  it("goes with the connection: nothing is cached any more, and a pull that is queued ends", async () => {
    const ann = await world.colleague(tenant, (calendar) => void calendar.put(whole("event0")));
    expect((await ann.caller.post("/workspace/connections/me/disconnect")).status).to.equal(204);
    await settled(world.service);
    expect(await cached()).to.equal(0);
    expect(await world.feed(ann.caller, day(0), day(9))).to.deep.equal([]);
  });
});
