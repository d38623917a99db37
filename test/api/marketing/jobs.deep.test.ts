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
  const queue = (name: string, payload: Record<string, string | boolean>) =>
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
    const chunks = Array.from({ length: 14 }, (_, n) => {
      const from = addDays(day(-400), 30 * n);
      return `${from} ${n === 13 ? day(-1) : addDays(from, 29)}`;
    });

    it("reads 400 days in 14 chunks, oldest first, and stores each day once", async () => {
      const id = await linked();
      expect(spans()).to.deep.equal(chunks);
      const days = await world.days(id);
      expect(days.map((one) => one.day)).to.deep.equal(eachDay(day(-400), day(-1)));
      expect(days[0]).to.deep.include({
        metrics: { sessions: 2, totalUsers: 2, newUsers: 0, keyEvents: 0, engagementRate: 0, totalRevenue: 1 },
        channels: { Direct: 2 },
      });
      const row = await world.row(id);
      expect(row).to.deep.include({ backfill_done: true, backfilled_to: day(-1), last_error: null, held_by: null });
      expect(row.last_synced_at).to.not.equal(null);
    });

    it("ends at an error with its stored days, and continues after it at night (S1, S2)", async () => {
      const end = world.google.failWhen((request) => spanOf(request) === chunks[5], GoogleSimulator.refusing(403, "forbidden"));
      const id = await linked();
      expect(await world.row(id)).to.deep.include({
        backfill_done: false,
        backfilled_to: addDays(day(-400), 149),
        last_error: "marketing.accounts_error",
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
      expect((await world.days(id)).map((one) => one.day)).to.deep.equal(eachDay(day(-400), day(-1)));
      forget();
      await world.nightly();
      expect(spans()).to.deep.equal([`${day(-NIGHT)} ${day(-1)}`]);
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
        refused: "marketing.accounts_error",
        disabled: "marketing.api_not_enabled",
        scope: "marketing.scope_insufficient",
        fine: null,
      });
      expect((await world.row(ids.get("fine") as string)).last_synced_at).to.not.deep.equal(before);
      for (const id of ids.values()) expect(await world.days(id)).to.have.length(400);
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
    it("are read once and stored", async () => {
      const id = await linked();
      forget();
      await queue(PERIOD_VALUES_JOB, { link_id: id, start: day(-45), end: day(-3) });
      await world.settle();
      expect(world.google.calls("analyticsdata")).to.have.length(1);
      expect(await values(id)).to.deep.include({ metric: "totalUsers", from: day(-45), to: day(-3), value: 44 });
    });

    it("are not read for an invalid span, or of a removed link", async () => {
      const id = await linked();
      forget();
      await queue(PERIOD_VALUES_JOB, { link_id: id, start: day(-3), end: day(-45) });
      await world.settle();
      await agency.owner.delete(`${LINKS}/${id}`);
      await queue(PERIOD_VALUES_JOB, { link_id: id, start: day(-45), end: day(-3) });
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
