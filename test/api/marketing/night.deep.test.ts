import { expect } from "chai";
import { addDays, dateIn, eachDay } from "../../../core/calendar/calendar.ts";
import { joinTransaction } from "../../../core/database/connection/transaction.ts";
import { query } from "../../../core/database/query.ts";
import { type OrganisationRun, schedule } from "../../../core/jobs/jobs.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { statement } from "../../../core/sql/statement.ts";
import { isWeekly, syncJob } from "../../../integrations/marketing/jobs/link-jobs.ts";
import sync from "../../../integrations/marketing/jobs/sync-jobs.service.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import type { SimulatedProperty } from "../../simulators/google/analytics.ts";
import type { Received } from "../../simulators/simulator.ts";
import { type Agency, LINKS, type MarketingWorld, startMarketing } from "./google-world.ts";

const TODAY = dateIn("Europe/Amsterdam", Date.now());
const day = (n: number) => addDays(TODAY, n);
/** Days that a night reads of Analytics. */
const NIGHT = isWeekly(TODAY) ? 90 : 7;

const nightly = (sync as unknown as { jobs: Record<string, { handler(run: OrganisationRun): Promise<void> }> }).jobs[
  "marketing.nightly"
]?.handler as (run: OrganisationRun) => Promise<void>;

/** The span of a report of days, without its channels. */
const spanOf = ({ path, body }: Received): string | null => {
  if (!path.endsWith(":runReport")) return null;
  const { dateRanges, dimensions = [] } = JSON.parse(body || "{}");
  const isDaily = dimensions.length === 1 && dimensions[0].name === "date";
  return isDaily ? `${dateRanges[0].startDate} ${dateRanges[0].endDate}` : null;
};

describe("the nightly jobs of marketing (marketing-ads §2.10)", function () {
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

  it("reads the seven days that end yesterday of every active link, and overwrites them (P22)", async () => {
    const id = await linked();
    const removed = await linked(world.analytics.property("Removed", { person: agency.person }).id);
    await agency.owner.delete(`${LINKS}/${removed}`);
    property.visits = () => [{ user: "a", keyEvents: { purchase: 1 }, revenue: 5 }];
    await sql("update marketing_links set last_synced_at = $2::date + time '04:45' where id = $1", [id, day(-1)]);
    forget();
    await world.nightly();
    expect(spans()).to.deep.equal([`${day(-NIGHT)} ${day(-1)}`]);
    expect(world.google.calls("analyticsdata").every((call) => call.includes(property.id))).to.equal(true);
    const days = await world.days(id);
    expect(days).to.have.length(800);
    expect(days.map(({ metrics }) => metrics["keyEvents"])).to.deep.equal([
      ...Array(800 - NIGHT).fill(0),
      ...Array(NIGHT).fill(1),
    ]);
  });

  it("reads 90 days on Sundays of a source that restates them, so that a late conversion is found (P22)", async () => {
    const id = await linked();
    forget();
    property.visits = (on) => (on === day(-20) ? [{ user: "a", keyEvents: { purchase: 1 } }] : [{ user: "b" }]);
    await queue(syncJob("ga4"), { link_id: id, weekly: true });
    await world.settle();
    expect(spans()).to.deep.equal([`${day(-90)} ${day(-1)}`]);
    const found = (await world.days(id)).filter(({ metrics }) => metrics["keyEvents"] === 1);
    expect(found.map((one) => one.day)).to.deep.equal([day(-20)]);
    world.search.site("sc-domain:shop.nl", agency.person).searches = () => [];
    const other = await world.link(agency, { source: "gsc", external_id: "sc-domain:shop.nl" });
    forget();
    await queue(syncJob("gsc"), { link_id: other, weekly: true });
    await world.settle();
    const asked = world.google.received.filter(({ path }) => path.endsWith("/query")).map(({ body }) => JSON.parse(body));
    expect(asked.map(({ startDate }) => startDate)).to.deep.equal([day(-7)]);
  });

  it("comes with 90 days where the organisation has Sunday, and queues a backfill that is not complete instead", async () => {
    const id = await linked();
    const half = await linked(world.analytics.property("Half", { person: agency.person }).id);
    await sql("update marketing_links set backfill_done = false, read_days = '{[2020-01-01,2030-01-01)}' where id = $1", [half]);
    await sql("update marketing_links set read_days = '{[2020-01-01,2030-01-01)}' where id = $1", [id]);
    const { organisation } = agency.tenant;
    const night = (today: string): Promise<[string, object][]> =>
      inTenancy(
        () => systemRequest("test", organisation, "write"),
        async () => {
          const run = {
            organisation,
            today: () => today,
            read: (work: () => unknown) => work(),
            write: (work: () => unknown) => work(),
          };
          await nightly(run as unknown as OrganisationRun);
          // Jobs are written with the commit.
          await joinTransaction().settle();
          const queued =
            "select job, payload from outbox where organisation_id = $1 and job like 'marketing.%' and relayed_at is null";
          const rows = await query<{ job: string; payload: object }>(statement(`${queued} order by job desc`), [organisation.id]);
          return rows.map(({ job, payload }) => [job, payload]);
        },
      );
    for (const [today, weekly] of [
      ["2026-08-08", false],
      ["2026-08-09", true],
      ["2026-08-10", false],
    ] as const) {
      expect(await night(today)).to.deep.equal([
        ["marketing.sync.ga4", { link_id: id, weekly }],
        ["marketing.backfill.ga4", { link_id: half }],
      ]);
      await world.settle();
      await sql("update marketing_links set backfill_done = false where id = $1", [half]);
    }
  });

  it("removes rows that the source no longer has", async () => {
    const id = await linked();
    property.visits = (on) => (on === day(-2) ? [] : [{ user: "a" }]);
    await world.nightly();
    const days = (await world.days(id)).map((one) => one.day);
    expect(days).to.have.length(799);
    expect(days).to.not.include(day(-2));
  });

  it("reads the last unread days after three weeks: no day is left out", async () => {
    const id = await linked();
    await sql("update marketing_links set last_synced_at = $2::date + time '12:00' where id = $1", [id, day(-21)]);
    await sql("delete from marketing_days where link_id = $1 and day >= $2", [id, day(-21)]);
    forget();
    await world.nightly();
    expect(spans()).to.deep.equal([`${day(-Math.max(27, NIGHT))} ${day(-1)}`]);
    expect(await world.days(id)).to.have.length(800);
  });

  it("calls no connection in error, and the next night all is well again", async () => {
    const id = await linked();
    forget();
    await sql("update workspace_connections set status = 'error' where account_id = $1", [agency.owner.accountId]);
    await world.nightly();
    expect(world.google.received).to.deep.equal([]);
    expect((await world.row(id)).last_error).to.equal(null);
    await sql("update workspace_connections set status = 'active' where account_id = $1", [agency.owner.accountId]);
    await world.nightly();
    expect(spans()).to.have.length(1);
  });

  it("notes a grant that is refused once, on the link and on the connection, and does not ask again", async () => {
    const id = await linked();
    world.google.revoke(agency.person);
    await sql("update workspace_connections set access_expires_at = now() - interval '1 second'");
    await world.nightly();
    expect((await world.row(id)).last_error).to.equal("errors.workspace_connection_error");
    forget();
    await world.nightly();
    expect(world.google.received).to.deep.equal([]);
  });

  it("stops with the licence, and resumes where it was (S8)", async () => {
    const licence = (days: number) =>
      sql(
        `insert into product_licences (module, expires_at, grace_days) values ('marketing', now() + $1 * interval '1 day', 0)
         on conflict (module) do update set expires_at = excluded.expires_at`,
        [days],
      );
    const id = await linked();
    // Read last 20 days ago, and a second one in the middle of its backfill.
    await sql("delete from marketing_days where link_id = $1 and day >= $2", [id, day(-20)]);
    await sql("update marketing_links set last_synced_at = $2::date + time '04:45' where id = $1", [id, day(-20)]);
    const other = world.analytics.property("Half", { person: agency.person });
    const half = await linked(other.id);
    await sql("delete from marketing_days where link_id = $1", [half]);
    const read = `{[${day(-760)},${day(-40)})}`;
    await sql("update marketing_links set backfill_done = false, read_days = $2 where id = $1", [half, read]);
    forget();
    await licence(-2);
    try {
      await world.nightly();
      expect(world.google.received).to.deep.equal([]);
      expect(await world.row(half)).to.deep.include({ backfill_done: false, read_days: read, last_error: null });
    } finally {
      await licence(365);
    }
    await world.nightly();
    expect(spans()).to.deep.equal([`${day(-Math.max(26, NIGHT))} ${day(-1)}`]);
    expect((await world.days(id)).map((one) => one.day)).to.deep.equal(eachDay(day(-800), day(-1)));
    expect(spans(other)).to.deep.equal([
      ...[`${day(-30)} ${day(-1)}`, `${day(-60)} ${day(-31)}`],
      ...[`${day(-790)} ${day(-761)}`, `${day(-800)} ${day(-791)}`],
    ]);
    expect(await world.row(half)).to.deep.include({ backfill_done: true, last_error: null });
  });

  it("asks for each final span no second time", async () => {
    const id = await linked();
    await sql("update marketing_period_values set stored_at = now()");
    forget();
    await world.nightly();
    const asked = world.google.received
      .filter(({ path }) => path.endsWith(":runReport"))
      .map(({ body }) => JSON.parse(body))
      .filter(({ dimensions }) => dimensions.length === 0)
      .flatMap(({ dateRanges }) => dateRanges.map((one: { endDate: string }) => one.endDate));
    expect(asked.length).to.be.greaterThan(0);
    for (const end of asked) expect(end > day(-4), end).to.equal(true);
    expect((await values(id)).length).to.be.within(10, 16);
  });
});
