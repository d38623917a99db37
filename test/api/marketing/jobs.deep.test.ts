import { expect } from "chai";
import { addDays, dateIn, eachDay } from "../../../core/calendar/calendar.ts";
import { schedule } from "../../../core/jobs/jobs.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { isWeekly, PERIOD_VALUES_JOB, syncJob } from "../../../integrations/marketing/jobs/link-jobs.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import type { SimulatedProperty } from "../../simulators/google/analytics.ts";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import type { Fault, Received } from "../../simulators/simulator.ts";
import { strike, until } from "../../support/jobs.ts";
import { type Agency, LINKS, type MarketingWorld, startMarketing } from "./google-world.ts";

const TODAY = dateIn("Europe/Amsterdam", Date.now());
const day = (n: number) => addDays(TODAY, n);
/** Days that a night reads of Analytics. */
const NIGHT = isWeekly(TODAY) ? 90 : 7;

/** The span of a report of days, without its channels. */
const spanOf = ({ path, body }: Received): string | null => {
  if (!path.endsWith(":runReport")) return null;
  const { dateRanges, dimensions = [] } = JSON.parse(body || "{}");
  const isDaily = dimensions.length === 1 && dimensions[0].name === "date";
  return isDaily ? `${dateRanges[0].startDate} ${dateRanges[0].endDate}` : null;
};

describe("jobs of marketing (marketing-ads §2.10)", function () {
  this.timeout(180_000);
  let world: MarketingWorld;
  let agency: Agency;
  let property: SimulatedProperty;
  before(async () => {
    world = await startMarketing();
  });
  beforeEach(async () => {
    agency = await world.agency();
    property = world.analytics.property("Shop", { person: agency.person });
    property.visits = (on) => [{ user: "regular", revenue: 1 }, { user: on }];
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const sql = (text: string, values: unknown[] = []) => world.service.sql.query(text, values);
  const spans = (about = property) =>
    world.google.received
      .filter(({ path }) => path.includes(`${about.id}:`))
      .map(spanOf)
      .filter((one) => one !== null);
  const forget = () => (world.google.received.length = 0);
  const linked = (external_id = property.id, how = {}) => world.link(agency, { source: "ga4", external_id }, how);
  const queue = (name: string, payload: Record<string, string | boolean | string[]>) =>
    inTenancy(
      () => systemRequest("test", agency.tenant.organisation, "write"),
      async () => void schedule(name, payload),
    );
  const values = async (id: string) =>
    (
      await sql(
        `select metric, start_on::text as "from", end_on::text as "to", value::float as value from marketing_period_values
          where link_id = $1 order by start_on, end_on`,
        [id],
      )
    ).rows;

  describe("the backfill", () => {
    const chunks = Array.from({ length: 27 }, (_, n) => `${day(Math.max(-30 * (n + 1), -800))} ${day(-30 * n - 1)}`);

    it("reads 800 days in 27 chunks, newest first, and stores each day once", async () => {
      const id = await linked();
      expect(spans()).to.deep.equal(chunks);
      const days = await world.days(id);
      expect(days.map((one) => one.day)).to.deep.equal(eachDay(day(-800), day(-1)));
      expect(days[0]).to.deep.include({
        metrics: { sessions: 2, totalUsers: 2, newUsers: 0, keyEvents: 0, engagementRate: 0, totalRevenue: 1 },
        channels: { Direct: 2 },
      });
      const row = await world.row(id);
      expect(row).to.deep.include({
        backfill_done: true,
        read_days: `{[${day(-800)},${TODAY})}`,
        last_error: null,
        held_by: null,
      });
      const [read] = (await agency.owner.get(`${LINKS}?company_id=${agency.company}`)).body;
      expect(read).to.deep.include({ data_from: day(-800), backfill_done: true });
      expect(row.last_synced_at).to.not.equal(null);
    });

    it("ends at an error with its stored days, and continues after it at night (S1, S2)", async () => {
      const end = world.google.failWhen((request) => spanOf(request) === chunks[5], GoogleSimulator.refusing(403, "forbidden"));
      const id = await linked();
      expect(await world.row(id)).to.deep.include({
        backfill_done: false,
        read_days: `{[${day(-150)},${TODAY})}`,
        last_error: "marketing.no_access",
        last_synced_at: null,
      });
      expect(await world.days(id)).to.have.length(150);
      forget();
      await world.nightly();
      expect(spans()).to.deep.equal([chunks[5]]);
      end();
      forget();
      await world.nightly();
      expect(spans()).to.deep.equal(chunks.slice(5));
      expect(await world.row(id)).to.deep.include({ backfill_done: true, last_error: null });
      expect((await world.days(id)).map((one) => one.day)).to.deep.equal(eachDay(day(-800), day(-1)));
      forget();
      await world.nightly();
      expect(spans()).to.deep.equal([`${day(-NIGHT)} ${day(-1)}`]);
    });

    it("marks days without a row as read, and leaves the days of a failed answer unread", async () => {
      property.visits = (on) => (on < day(-40) ? [] : [{ user: "a" }]);
      const isSplit = ({ path, body }: Received) => path.endsWith(":runReport") && body.includes("sessionDefaultChannelGroup");
      const end = world.google.failWhen(isSplit, GoogleSimulator.refusing(403, "forbidden"));
      const id = await linked();
      expect(await world.days(id)).to.have.length(30);
      expect((await world.row(id)).read_days).to.equal("{}");
      const metrics = async () =>
        (await agency.owner.get(`/marketing/companies/${agency.company}/metrics?period=7d`)).body.sources[0];
      expect(await metrics()).to.deep.include({ missing_days: 7, previous_missing_days: 7 });
      end();
      await world.nightly();
      expect(await world.days(id)).to.have.length(40);
      expect((await world.row(id)).read_days).to.equal(`{[${day(-800)},${TODAY})}`);
      expect((await metrics()).kpis.sessions).to.deep.include({
        current: 7,
        previous: 0,
        missing_days: 0,
        previous_missing_days: 0,
      });
    });

    it("of an existing link reads what is missing: holes and the days before, at night", async () => {
      const id = await linked();
      const read = `{[${day(-400)},${day(-200)}),[${day(-190)},${TODAY})}`;
      await sql("update marketing_links set read_days = $2 where id = $1", [id, read]);
      forget();
      await world.nightly();
      expect(spans().slice(0, 2)).to.deep.equal([`${day(-220)} ${day(-191)}`, `${day(-430)} ${day(-401)}`]);
      expect(await world.row(id)).to.deep.include({ backfill_done: true, read_days: `{[${day(-800)},${TODAY})}` });
      forget();
      await world.nightly();
      expect(spans()).to.deep.equal([`${day(-NIGHT)} ${day(-1)}`]);
    });

    it("of Search Console reads 480 days, and leaves the days unread that are late", async () => {
      const site = world.search.site("sc-domain:late.nl", agency.person);
      site.searches = (on) => (on > day(-3) ? [] : [{ query: "a", clicks: 1, impressions: 2, position: 3 }]);
      const id = await world.link(agency, { source: "gsc", external_id: "sc-domain:late.nl" });
      expect((await world.row(id)).read_days).to.equal(`{[${day(-480)},${day(-2)})}`);
      const [{ kpis, data_until, series }] = (await agency.owner.get(`/marketing/companies/${agency.company}/metrics?period=7d`))
        .body.sources;
      expect([data_until, series.missing]).to.deep.equal([day(-3), [day(-2), day(-1)]]);
      expect(kpis.clicks).to.deep.include({ current: 5, previous: 5, delta_pct: 0, missing_days: 0 });
    });

    it("stores the people of the spans in use, which are the provider's own (P20)", async () => {
      const id = await linked();
      const stored = await values(id);
      expect(stored.length).to.be.within(10, 16);
      for (const { metric, from, to, value } of stored)
        expect([metric, value], `${from} ${to}`).to.deep.equal(["totalUsers", property.users(from, to)]);
      expect(stored).to.deep.include({ metric: "totalUsers", from: day(-30), to: day(-1), value: 31 });
    });
  });

  describe("a link's failure", () => {
    const HTML: Fault = { kind: "reply", status: 200, body: "<html>Sorry</html>" };
    const JSON_TYPE = { "Content-Type": "application/json" };
    const wrong = JSON.stringify({ rows: [{ dimensionValues: [{ value: 7 }], metricValues: "none" }] });
    const FAULTS: Record<string, Fault> = {
      down: { kind: "reply", status: 503, body: "down" },
      reset: { kind: "reset" },
      html: HTML,
      half: { kind: "truncate" },
      large: { kind: "bomb", bytes: 10 << 20 },
      types: { kind: "reply", status: 200, headers: JSON_TYPE, body: wrong },
      refused: GoogleSimulator.refusing(403, "forbidden"),
      disabled: GoogleSimulator.refusing(403, "accessNotConfigured"),
      scope: GoogleSimulator.refusing(403, "insufficientPermissions"),
    };

    it("is its own, for any answer of the source: everything else is read (S3)", async () => {
      const ids = new Map<string, string>();
      for (const name of [...Object.keys(FAULTS), "fine"]) {
        const one = world.analytics.property(name, { person: agency.person });
        one.visits = () => [{ user: "a" }];
        ids.set(name, await linked(one.id, { backfills: false }));
      }
      await world.settle();
      for (const [name, fault] of Object.entries(FAULTS)) {
        const one = [...world.analytics.properties.values()].find((found) => found.name === name) as SimulatedProperty;
        world.google.failWhen(({ path }) => path.includes(`${one.id}:`), fault);
      }
      const before = (await world.row(ids.get("fine") as string)).last_synced_at;
      await world.nightly();
      const errors = await Promise.all([...ids].map(async ([name, id]) => [name, (await world.row(id)).last_error]));
      expect(Object.fromEntries(errors)).to.deep.equal({
        down: "marketing.accounts_error",
        reset: "marketing.accounts_error",
        html: "marketing.accounts_error",
        half: "marketing.accounts_error",
        large: "marketing.accounts_error",
        types: "marketing.accounts_error",
        refused: "marketing.no_access",
        disabled: "marketing.api_not_enabled",
        scope: "marketing.scope_insufficient",
        fine: null,
      });
      expect((await world.row(ids.get("fine") as string)).last_synced_at).to.not.deep.equal(before);
      for (const id of ids.values()) expect(await world.days(id)).to.have.length(800);
      const { rows } = await sql("select 1 from jobs.agenda_jobs where name like 'marketing.%' and failed_at is not null");
      expect(rows).to.deep.equal([]);
    });

    it("is cleared by the next success", async () => {
      const id = await linked();
      const end = world.google.failWhen(({ path }) => path.includes("runReport"), HTML);
      await world.nightly();
      const failed = await world.row(id);
      expect(failed.last_error).to.equal("marketing.accounts_error");
      end();
      await world.nightly();
      const row = await world.row(id);
      expect(row.last_error).to.equal(null);
      expect(new Date(row.last_synced_at as string) > new Date(failed.last_synced_at as string)).to.equal(true);
    });

    it("of whole spans leaves the days and the link as they are (S3)", async () => {
      const id = await linked();
      world.google.failWhen(({ body }) => body.includes('"dimensions":[]'), GoogleSimulator.refusing(403, "forbidden"));
      property.visits = () => [{ user: "a", revenue: 9 }];
      await world.nightly();
      expect((await world.row(id)).last_error).to.equal(null);
      expect((await world.days(id)).at(-1)?.metrics).to.deep.include({ totalRevenue: 9 });
    });
  });

  describe("values of a span on demand", () => {
    const both = () => [`${day(-45)}/${day(-3)}`, `${day(-90)}/${day(-46)}`];
    it("are read once and stored, those of two spans in one call", async () => {
      const id = await linked();
      forget();
      await queue(PERIOD_VALUES_JOB, { link_id: id, spans: both() });
      await world.settle();
      expect(world.google.calls("analyticsdata")).to.have.length(1);
      expect(await values(id)).to.deep.include({ metric: "totalUsers", from: day(-45), to: day(-3), value: 44 });
      expect((await values(id)).map(({ from }: { from: string }) => from)).to.include(day(-90));
    });

    it("are read by one job on the first read of a span, and stay pending until then", async () => {
      const id = await linked();
      forget();
      const path = `/marketing/companies/${agency.company}/metrics?period=13d`;
      const users = async () => (await agency.owner.get(path)).body.sources[0].kpis.totalUsers;
      expect((await users()).pending).to.equal(true);
      await world.settle();
      expect([(await users()).pending, world.google.calls("analyticsdata").length]).to.deep.equal([false, 1]);
      const { rows } = await world.service.sql.query(
        "select count(*)::int as n from jobs.agenda_jobs where name = $1 and data::text like '%' || $2 || '%'",
        [PERIOD_VALUES_JOB, id],
      );
      expect(rows[0].n).to.be.at.most(1);
    });

    it("are read for a job that a version up to 0.4 queued", async () => {
      const id = await linked();
      forget();
      await queue(PERIOD_VALUES_JOB, { link_id: id, start: day(-45), end: day(-3) });
      await world.settle();
      expect(await values(id)).to.deep.include({ metric: "totalUsers", from: day(-45), to: day(-3), value: 44 });
    });

    it("are not read for an invalid span, or of a removed link", async () => {
      const id = await linked();
      forget();
      await queue(PERIOD_VALUES_JOB, { link_id: id, start: day(-3), end: day(-45) });
      await queue(PERIOD_VALUES_JOB, { link_id: id, spans: [...both(), `${day(-3)}/${day(-45)}`] });
      await queue(PERIOD_VALUES_JOB, { link_id: id, spans: ["2026-02-30/2026-03-01"] });
      await world.settle();
      await agency.owner.delete(`${LINKS}/${id}`);
      await queue(PERIOD_VALUES_JOB, { link_id: id, spans: both() });
      await world.settle();
      expect(world.google.calls("analyticsdata")).to.deep.equal([]);
    });
  });

  describe("one run per link", () => {
    const hold = () => {
      let release = () => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      const end = world.google.failWhen(({ path }) => path.includes("runReport"), { kind: "wait", until: held });
      return () => {
        end();
        release();
      };
    };

    it("has a second job of the link wait for the first", async () => {
      const id = await linked();
      forget();
      const release = hold();
      await queue(syncJob("ga4"), { link_id: id, weekly: false });
      await until(() => spans().length === 1);
      await queue(syncJob("ga4"), { link_id: id, weekly: false });
      await until(async () => {
        const text = "select 1 from jobs.agenda_jobs where name = $1 and type = 'normal' and fail_count > 0";
        return (await sql(text, [syncJob("ga4")])).rows.length === 1;
      });
      expect(spans()).to.have.length(1);
      release();
      await until(async () => (await world.row(id)).held_by === null);
      await world.settle();
      expect(spans()).to.have.length(2);
    });

    it("stores nothing of a run whose link was removed meanwhile", async () => {
      const id = await linked();
      const before = await world.days(id);
      property.visits = () => [{ user: "late", revenue: 99 }];
      forget();
      const release = hold();
      await strike(world.service, "marketing.nightly");
      await until(() => spans().length === 1);
      await agency.owner.delete(`${LINKS}/${id}`);
      release();
      await world.settle();
      expect(await world.days(id)).to.deep.equal(before);
      expect(await world.row(id)).to.deep.include({ active: false, held_by: null, last_error: null });
    });

    it("runs at most two links of one person and source in parallel, and another person's next to them", async () => {
      const going = new Set<string>();
      const ids: string[] = [];
      for (let n = 0; n < 6; n++)
        ids.push(await linked(world.analytics.property(`p${n}`, { person: agency.person }).id, { backfills: false }));
      await world.settle();
      let release = () => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      const end = world.google.failWhen(
        ({ path }) => {
          going.add(path);
          return path.includes("runReport");
        },
        { kind: "wait", until: held },
      );
      going.clear();
      forget();
      await strike(world.service, "marketing.nightly");
      const holding = async () =>
        (await sql("select count(*)::int as n from marketing_links where held_by is not null")).rows[0].n;
      await until(async () => (await holding()) > 0 && going.size === (await holding()));
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(going.size).to.be.within(1, 2);
      end();
      release();
      await world.settle();
      expect(new Set(world.google.received.filter((one) => spanOf(one)).map(({ path }) => path)).size).to.equal(6);
    });
  });
});
