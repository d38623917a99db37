import { expect } from "chai";
import pg from "pg";
import { addDays, eachDay } from "../../core/calendar/calendar.ts";
import { type AnalyticsState, type SimulatedProperty, serveAnalytics } from "../simulators/google/analytics.ts";
import { GoogleSimulator } from "../simulators/google/google.ts";
import type { Fault, Received } from "../simulators/simulator.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { holdTimesOfDay, strike, until } from "../support/jobs.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { heapOf, launchService, MEASURABLE, type Spawned, watchHeap } from "../support/process.ts";
import { makeTenant, type Tenant } from "../support/service.ts";
import { configureWorkspace, connected, withoutCalendars } from "../support/workspace.ts";
import { todayWithTime } from "./midnight.ts";

const CHUNKS = 27;
/** In how many of the chunks of a backfill its node is killed; in every one before a release. */
const KILLS = Number(process.env["MARKETING_CRASH_KILLS"] ?? 3);
/**
 * Links of the nightly run whose memory is measured, a thousand before a release, and the MiB of objects and buffers that it may hold over
 * idle.
 */
const [LINKS, MIB] = [Number(process.env["MARKETING_LINKS"] ?? 100), 30];
let today = "";
const day = (n: number) => addDays(today, n);
const KEYED =
  "insert into outbox (id, organisation_id, job, payload, run_at) select gen_random_uuid(), $1, $2, $3, now() from generate_series(1, $4)";

describe("nodes that read metric sources (marketing-ads §2.10)", function () {
  this.timeout(900_000);
  const google = new GoogleSimulator();
  const nodes: Spawned[] = [];
  let analytics: AnalyticsState;
  let property: SimulatedProperty;
  let database: TestDatabase;
  let sql: pg.Client;
  let tenant: Tenant;
  let company: string;
  let turn = 0;

  const launch = async (): Promise<Spawned> => {
    const settings = { ...nodeSettings(database), ...google.environment, SERVICE_JOBS_POLL_MS: "250" };
    const node = await launchService(settings, [], { flags: MEASURABLE });
    nodes.push(node);
    await until(async () => (await tenant.owner.get("/companies")).status === 200);
    return node;
  };
  const killAll = async () => {
    await Promise.all(nodes.splice(0).map((node) => node.kill()));
  };

  before(async () => {
    today = await todayWithTime();
    await google.start();
    analytics = serveAnalytics(google);
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    await holdTimesOfDay(sql);
    await withoutCalendars(sql);
    tenant = await makeTenant(sql, () => nodes[turn++ % nodes.length]?.port as number, "metrics");
    await launch();
    await configureWorkspace(google, tenant);
    const person = await connected(google, tenant.owner, { query: "include_analytics=true" });
    property = analytics.property("Shop", { person });
    property.visits = (on) => [{ user: "regular" }, { user: on }];
    company = (await tenant.company()).id;
  });
  afterEach(() => expect(google.complaints).to.deep.equal([]));
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await sql?.end();
    await database?.drop();
    await google.stop();
  });

  /** The first day of a report of days, with or without their channels; null for other requests. */
  const asked = ({ path, body }: Received): { from: string; isSplit: boolean } | null => {
    if (!path.endsWith(":runReport")) return null;
    const { dateRanges, dimensions = [] } = JSON.parse(body);
    if (dimensions[0]?.name !== "date") return null;
    return { from: dateRanges[0].startDate, isSplit: dimensions.length === 2 };
  };
  const daily = () => google.received.flatMap((one) => asked(one) ?? []).filter(({ isSplit }) => !isSplit);
  const days = async (id: string): Promise<string[]> =>
    (await sql.query("select day::text as day from marketing_days where link_id = $1 order by day", [id])).rows.map(
      (row) => row.day,
    );
  const link = async (external_id: string): Promise<string> => {
    const values = { company_id: company, source: "ga4", external_id, display_name: "Shop" };
    const { status, text, body } = await tenant.owner.post("/marketing/links", values);
    expect(status, text).to.equal(201);
    return body.id;
  };
  const isDone = async (id: string): Promise<boolean> =>
    (await sql.query("select backfill_done and held_by is null as done from marketing_links where id = $1", [id])).rows[0].done;

  it(`leave no gap and no day twice in a backfill whose node is killed in ${KILLS} of its ${CHUNKS} chunks`, async () => {
    const id = await link(property.id);
    for (let kill = 0; kill < KILLS; kill++) {
      const chunk = Math.floor((kill * CHUNKS) / KILLS);
      const from = day(Math.max(-30 * (chunk + 1), -800));
      // In turn before the days of a chunk arrived, and after them, when their channels were read.
      const isSplit = kill % 2 === 1;
      let reached = () => {};
      const there = new Promise<void>((resolve) => (reached = resolve));
      const end = google.failWhen(
        (request) => {
          const found = asked(request);
          const isThere = found?.from === from && found.isSplit === isSplit;
          if (isThere) reached();
          return isThere;
        },
        { kind: "hang" } satisfies Fault,
      );
      await there;
      await killAll();
      end();
      expect(await days(id), `after the kill in chunk ${chunk}`).to.deep.equal(
        chunk === 0 ? [] : eachDay(day(-30 * chunk), day(-1)),
      );
      await launch();
    }
    await until(() => isDone(id), 300_000);
    expect(await days(id)).to.deep.equal(eachDay(day(-800), day(-1)));
    // Only the chunk of the killed node was read again.
    expect(daily()).to.have.length(CHUNKS + KILLS);
    const { rows } = await sql.query("select last_error, read_days from marketing_links where id = $1", [id]);
    expect(rows).to.deep.equal([{ last_error: null, read_days: `{[${day(-800)},${today})}` }]);
  });

  it("run one link once over two nodes, however many jobs want it", async () => {
    const other = analytics.property("Other");
    for (const reader of property.readers) other.readers.add(reader);
    other.visits = () => [{ user: "a" }];
    const id = await link(other.id);
    await launch();
    await until(() => isDone(id), 120_000);
    google.received.length = 0;
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const end = google.failWhen((request) => asked(request) !== null, { kind: "wait", until: held });
    const payload = JSON.stringify({ link_id: id, weekly: false });
    await sql.query(KEYED, [tenant.organisation.id, "marketing.sync.ga4", payload, 6]);
    const refused = async () =>
      (
        await sql.query(
          "select count(*)::int as n from jobs.agenda_jobs where name = 'marketing.sync.ga4' and type = 'normal' and fail_count > 0",
        )
      ).rows[0].n;
    await until(async () => (await refused()) === 5, 120_000);
    expect(daily()).to.have.length(1);
    end();
    release();
    const isFree = async () =>
      (await sql.query("select 1 from marketing_links where id = $1 and held_by is null", [id])).rowCount === 1;
    await until(async () => {
      if (await isFree())
        await sql.query(
          "update jobs.agenda_jobs set next_run_at = now() where name = 'marketing.sync.ga4' and next_run_at > now() and locked_at is null",
        );
      return daily().length === 6 && (await isFree());
    }, 120_000);
    expect(await days(id)).to.deep.equal(eachDay(day(-800), day(-1)));
  });

  it(`read ${LINKS} links in a night within ${MIB} MiB over idle`, async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
    const node = await launch();
    const properties = Array.from({ length: LINKS }, (_, n) => {
      const one = analytics.property(`Shop ${n}`);
      for (const reader of property.readers) one.readers.add(reader);
      one.visits = (on) => [{ user: "regular" }, { user: on }];
      return one.id;
    });
    await sql.query(
      `insert into marketing_links (id, organisation_id, company_id, source, external_id, display_name, connection_id, backfill_done, read_days)
       select gen_random_uuid(), $1, $2, 'ga4', p, p, (select id from workspace_connections where organisation_id = $1), true,
           datemultirange(daterange($4::date - 800, $4::date))
         from unnest($3::text[]) p`,
      [tenant.organisation.id, company, properties, today],
    );
    const idle = await heapOf(node);
    google.received.length = 0;
    const watched = watchHeap(node);
    const began = performance.now();
    const { rows } = await sql.query("select now()::text as began, (select count(*)::int from marketing_links) as links");
    await strike({ sql }, "marketing.nightly");
    const count = async () =>
      (
        await sql.query(
          "select count(*)::int as n from marketing_links where last_error is null and last_synced_at > $1 and held_by is null",
          [rows[0].began],
        )
      ).rows[0].n;
    await until(async () => (await count()) === rows[0].links, 900_000).finally(watched);
    const taken = Math.round(((await watched()) - idle) / 1024);
    const took = Math.round(performance.now() - began);
    process.stdout.write(
      `    ${rows[0].links} links: ${google.received.length} calls, ${took} ms, ${taken} MiB over idle at most\n`,
    );
    expect(taken).to.be.lessThan(MIB);
    const { rows: stored } = await sql.query("select count(*)::int as n from marketing_days where day = $1", [day(-1)]);
    expect(stored).to.deep.equal([{ n: rows[0].links }]);
  });
});
