import { expect } from "chai";
import { addDays, dateIn } from "../../../core/calendar/calendar.ts";
import { PULL_JOB } from "../../../integrations/workspace/calendar/pull-jobs.ts";
import { strike, until } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
import type { Workspace } from "../../support/workspace.ts";
import { type CalendarWorld, type Colleague, startCalendars } from "./calendar-world.ts";

const ZONE = "Europe/Amsterdam";
const day = (n: number) => addDays(dateIn(ZONE, Date.now()), n);
const whole = (id: string, from = 1) => ({ id, summary: id, start: { date: day(from) }, end: { date: day(from + 1) } });

describe("Calendars whose module may not be written, or is switched off (workspace §2.3, trap S8)", () => {
  let world: CalendarWorld;
  let tenant: Tenant;
  let workspace: Workspace;
  let ann: Colleague;
  before(async () => {
    world = await startCalendars();
  });
  beforeEach(async () => {
    world.google.reset();
    // The schedules strike for every organisation: those of the other tests have nothing to poll.
    await world.service.sql.query("update workspace_connections set status = 'error'");
    ({ tenant, workspace } = await world.organisation({ timezone: ZONE }));
    ann = await world.colleague(tenant, (calendar) => {
      for (const id of ["stays", "goes0", "moves"]) calendar.put(whole(id));
    });
    world.google.received.length = 0;
  });
  afterEach(async () => {
    await world.service.sql.query("delete from product_licences where module = 'workspace'");
    expect(world.google.complaints).to.deep.equal([]);
  });
  after(() => world.stop());

  const licence = (until: string) =>
    world.service.sql.query(
      `insert into product_licences (module, expires_at) values ('workspace', now() + $1::interval)
       on conflict (module) do update set expires_at = excluded.expires_at`,
      [until],
    );
  const number = async (text: string, values: unknown[] = []): Promise<number> =>
    (await world.service.sql.query(`select count(*)::int as n from (${text}) found`, values)).rows[0].n;
  /** Pulls that were postponed: a message alone delays its pull by less. */
  const waiting = () =>
    number("select from jobs.agenda_jobs where name = $1 and next_run_at > now() + interval '5 seconds'", [PULL_JOB]);
  const dead = () => number("select from jobs.agenda_jobs where name = $1 and failed_at is not null", [PULL_JOB]);
  /** Gives the calendar an active channel. @returns sends a message of a change through it */
  const channel = async () => {
    const { sql } = world.service;
    const { rows } = await sql.query("select id from workspace_connections where account_id = $1", [ann.caller.accountId]);
    const secret = "s".repeat(43);
    await sql.query(
      `insert into workspace_calendar_channels (id, organisation_id, connection_id, status, secret_hash, resource_id, expires_at)
       values (gen_random_uuid(), $1, $2, 'active', sha256($3::bytea), 'r', now() + interval '2 days')`,
      [tenant.organisation.id, rows[0].id, secret],
    );
    const headers = {
      "X-Goog-Channel-Token": `${tenant.organisation.id}.${rows[0].id}.${secret}`,
      "X-Goog-Resource-State": "exists",
    };
    return () => world.service.call("POST", "/workspace/calendar/webhook", { headers });
  };
  const change = () => {
    ann.calendar.put(whole("fresh", 2));
    ann.calendar.put(whole("moves", 3));
    ann.calendar.remove("goes0");
  };
  const feed = async () => (await world.feed(ann.caller, day(0), day(9))).map(({ id, start }) => `${id} ${start}`);
  const BEFORE = ["goes0", "moves", "stays"].map((id) => `${id} ${day(1)}`);
  const AFTER = [`stays ${day(1)}`, `fresh ${day(2)}`, `moves ${day(3)}`];
  const dueNow = (name: string) =>
    world.service.sql.query(
      "update jobs.agenda_jobs set next_run_at = now() where type = 'normal' and name = $1 and locked_at is null",
      [name],
    );

  it("pull nothing while the licence has lapsed, by message or by the clock, and lose nothing by it", async () => {
    const message = await channel();
    await licence("-1 minute");
    change();
    expect((await message()).status).to.equal(200);
    expect((await message()).status).to.equal(200);
    await until(async () => (await waiting()) === 1);
    await strike(world.service, "workspace.calendar.poll");
    expect(world.asked()).to.deep.equal([]);
    expect(await feed(), "what was read stays readable").to.deep.equal(BEFORE);

    await licence("1 year");
    await dueNow(PULL_JOB);
    await world.settle();
    expect(world.asked()).to.have.length(1);
    expect(world.asked()[0], "it goes on from where it was").to.match(/syncToken/);
    expect(await feed()).to.deep.equal(AFTER);
  });

  it("give up a pull that has waited for a licence for seven days, and are pulled by the clock once there is one", async () => {
    const message = await channel();
    await licence("-1 minute");
    change();
    await message();
    await until(async () => (await waiting()) === 1);
    await world.service.sql.query(
      "update jobs.agenda_jobs set data = jsonb_set(data, '{due}', to_jsonb((now() - interval '8 days')::text)) where name = $1",
      [PULL_JOB],
    );
    await dueNow(PULL_JOB);
    await until(async () => (await dead()) === 1);
    expect(world.asked()).to.deep.equal([]);

    await licence("1 year");
    await world.service.sql.query(
      "update workspace_calendars set last_synced_at = now() - interval '8 days' where organisation_id = $1",
      [tenant.organisation.id],
    );
    await strike(world.service, "workspace.calendar.poll");
    await until(async () => world.asked().length > 0);
    await world.settle();
    expect(await feed()).to.deep.equal(AFTER);
    expect(world.asked()).to.have.length(1);
  });

  it("pull nothing while the organisation has calendars switched off, and read the missed changes once they are on", async () => {
    const message = await channel();
    expect((await workspace.configure({ calendar_enabled: false })).status).to.equal(200);
    change();
    expect((await message()).status).to.equal(200);
    await world.settle();
    await strike(world.service, "workspace.calendar.poll");
    await world.settle();
    expect(world.asked()).to.deep.equal([]);
    expect(await feed()).to.deep.equal(BEFORE);

    expect((await workspace.configure()).status).to.equal(200);
    await world.service.sql.query(
      "update workspace_calendars set last_synced_at = now() - interval '1 hour' where organisation_id = $1",
      [tenant.organisation.id],
    );
    await strike(world.service, "workspace.calendar.poll");
    await until(async () => world.asked().length > 0);
    await world.settle();
    expect(await feed()).to.deep.equal(AFTER);
  });
});
