import { expect } from "chai";
import { addDays, dateIn, eachDay } from "../../../core/calendar/calendar.ts";
import { systemRequest } from "../../../core/request/system.ts";
import type { MarketingLinkRow } from "../../../integrations/marketing/models.ts";
import { calls } from "../../../integrations/marketing/sources/ga4/ga4-calls.ts";
import { type SourceAccess, SourceFailure, type Span } from "../../../integrations/marketing/sources/source.ts";
import { inRequest } from "../../../mixins/google/transactions.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import type { SimulatedProperty, Visit } from "../../simulators/google/analytics.ts";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import { until } from "../../support/jobs.ts";
import { type Agency, type MarketingWorld, startMarketing } from "./google-world.ts";

const TODAY = dateIn("Europe/Amsterdam", Date.now());
const day = (n: number) => addDays(TODAY, n);
const WEEK: Span = { from: day(-7), to: day(-1) };

describe("Google Analytics as a source (marketing-ads §2.9)", () => {
  let world: MarketingWorld;
  let agency: Agency;
  let property: SimulatedProperty;
  before(async () => {
    world = await startMarketing();
  });
  beforeEach(async () => {
    agency = await world.agency();
    property = world.analytics.property("Shop", { person: agency.person });
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const reports = () =>
    world.google.received.filter(({ path }) => path.endsWith(":runReport")).map(({ body }) => JSON.parse(body));
  const connection = async (): Promise<string> =>
    (await world.service.sql.query("select id from workspace_connections where account_id = $1", [agency.owner.accountId]))
      .rows[0].id;
  /** Calls the source as a request does that has no transaction open. */
  const asSource = async <T>(work: (access: SourceAccess, link: MarketingLinkRow) => Promise<T>): Promise<T> => {
    const access = { transactions: inRequest, connectionId: await connection(), websiteId: null };
    const link = { external_id: property.id, paused_until: null } as MarketingLinkRow;
    return inTenancy(
      () => systemRequest("test", agency.tenant.organisation, "read"),
      () => work(access, link),
    );
  };
  const failure = (work: Promise<unknown>): Promise<SourceFailure> =>
    work.then(
      () => expect.fail("it succeeded"),
      (error: unknown) => {
        if (!(error instanceof SourceFailure)) throw error;
        return error;
      },
    );

  it("asks for the days and for their channels, with the quota, and never for conversions", async () => {
    property.visits = (on) =>
      on === day(-2)
        ? [
            { user: "a", isNew: true, isEngaged: true, channel: "Organic Search", keyEvents: { purchase: 2 }, revenue: 12.35 },
            { user: "a", channel: "" },
            { user: "b", channel: "(other)" },
            { user: "c", channel: "Unassigned", isEngaged: true, revenue: 0.1 },
          ]
        : [];
    const found = await asSource((access, link) => calls.days(access, link, WEEK));
    expect(found).to.deep.equal({
      currency: "EUR",
      isComplete: true,
      pausedUntil: null,
      days: [
        {
          day: day(-2),
          metrics: { sessions: 4, totalUsers: 3, newUsers: 1, keyEvents: 2, engagementRate: 0.5, totalRevenue: 12.45 },
          channels: { "Organic Search": 1, Other: 1, "(other)": 1, Unassigned: 1 },
        },
      ],
    });
    const common = {
      dateRanges: [{ startDate: WEEK.from, endDate: WEEK.to }],
      limit: "250000",
      returnPropertyQuota: true,
    };
    const named = (...names: string[]) => names.map((name) => ({ name }));
    expect(reports()).to.deep.equal([
      {
        ...common,
        dimensions: named("date"),
        metrics: named("sessions", "totalUsers", "newUsers", "keyEvents", "engagementRate", "totalRevenue"),
      },
      { ...common, dimensions: named("date", "sessionDefaultChannelGroup"), metrics: named("sessions") },
    ]);
  });

  it("asks for the people of whole spans, four spans a report, and they are the provider's own (P20)", async () => {
    property.visits = (on) => [{ user: "regular" }, { user: `guest ${on}` }];
    const spans = [1, 7, 30, 90, 200].map((days) => ({ from: day(-days), to: day(-1) }));
    const values = await asSource((access, link) => calls.periodValues?.(access, link, spans) ?? Promise.resolve([]));
    expect(values).to.deep.equal(spans.map(({ from, to }) => ({ totalUsers: property.users(from, to) })));
    expect(values.map(({ totalUsers }) => totalUsers)).to.deep.equal([2, 8, 31, 91, 201]);
    expect(reports().map(({ dateRanges }) => dateRanges.length)).to.deep.equal([4, 1]);
    property.visits = () => [];
    const none = await asSource((access, link) => calls.periodValues?.(access, link, spans.slice(0, 2)) ?? Promise.resolve([]));
    expect(none).to.deep.equal([{ totalUsers: 0 }, { totalUsers: 0 }]);
  });

  describe("drilldowns", () => {
    const visits: Visit[] = [
      ...Array.from({ length: 12 }, (_, n) => ({
        user: `u${n}`,
        channel: "Organic Search",
        source: n < 8 ? "google" : "bing",
        device: n % 2 ? "mobile" : "desktop",
        seconds: 10,
        isEngaged: n < 6,
        pages: Array.from({ length: 12 - n }, (_x, page) => `/p${page}`),
        ...(n < 3 && { keyEvents: { form_sent: 1 } }),
      })),
      { user: "s", channel: "Organic Social", source: "mastodon.social" },
      { user: "r", channel: "Referral", source: "partner.example" },
    ];
    const rows = (kind: string) => asSource((access, link) => calls.drilldown(access, link, kind, WEEK));

    beforeEach(() => {
      property.visits = (on) => (on === day(-3) ? visits : []);
    });

    it("rank the ten most viewed pages", async () => {
      const found = await rows("top_pages");
      expect(found).to.have.length(10);
      expect(found[0]).to.deep.equal({
        label: "/p0",
        key: "/p0",
        href: null,
        metrics: { screenPageViews: 12, sessions: 12 },
      });
      const [{ limit, orderBys }] = reports();
      expect([limit, orderBys]).to.deep.equal(["10", [{ metric: { metricName: "screenPageViews" }, desc: true }]]);
    });

    it("rank channels and devices", async () => {
      expect((await rows("channels")).map(({ label, metrics }) => [label, metrics])).to.deep.equal([
        ["Organic Search", { sessions: 12, keyEvents: 3 }],
        ["Organic Social", { sessions: 1, keyEvents: 0 }],
        ["Referral", { sessions: 1, keyEvents: 0 }],
      ]);
      expect((await rows("devices")).map(({ label, metrics }) => [label, metrics])).to.deep.equal([
        ["desktop", { sessions: 8 }],
        ["mobile", { sessions: 6 }],
      ]);
    });

    it("fetch 50 key events and drop those that never came", async () => {
      expect(await rows("key_events")).to.deep.equal([
        { label: "form_sent", key: "form_sent", href: null, metrics: { keyEvents: 3 } },
      ]);
      expect(reports()[0].limit).to.equal("50");
    });

    for (const [kind, group, labels] of [
      ["organic_sources", "Organic Search", ["google", "bing"]],
      ["social_sources", "Organic Social", ["mastodon.social"]],
      ["referral_sources", "Referral", ["partner.example"]],
    ] as const)
      it(`read ${kind} of exactly one channel group`, async () => {
        const found = await rows(kind);
        expect(found.map(({ label }) => label)).to.deep.equal(labels);
        const [{ limit, dimensionFilter }] = reports();
        expect([limit, dimensionFilter]).to.deep.equal([
          "25",
          { filter: { fieldName: "sessionDefaultChannelGroup", stringFilter: { matchType: "EXACT", value: group } } },
        ]);
        if (kind === "organic_sources")
          expect(found[0]?.metrics).to.deep.equal({
            sessions: 8,
            newUsers: 0,
            totalUsers: 8,
            screenPageViews: 68,
            userEngagementDuration: 80,
            engagementRate: 0.75,
            keyEvents: 3,
          });
      });
  });

  it("makes at most four calls in parallel to one property on a node, and none waits for another property", async () => {
    const other = world.analytics.property("Other", { person: agency.person });
    const going = { now: 0, most: 0 };
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const end = world.google.failWhen(
      ({ path }) => {
        if (path.includes(`${property.id}:`)) going.most = Math.max(going.most, ++going.now);
        return path.includes(`${property.id}:`);
      },
      { kind: "wait", until: held },
    );
    const many = Array.from({ length: 7 }, () => asSource((access, link) => calls.drilldown(access, link, "devices", WEEK)));
    await until(() => going.now === 4);
    await asSource((access, link) => calls.drilldown(access, { ...link, external_id: other.id }, "devices", WEEK));
    expect(going.most).to.equal(4);
    end();
    release();
    expect(await Promise.all(many)).to.have.length(7);
  });

  describe("the quota of a day (P23)", () => {
    const PACIFIC_MIDNIGHT = /T0[78]:00:00\.000Z$/;
    const isPacificMidnight = (instant: string | null) =>
      instant !== null && PACIFIC_MIDNIGHT.test(new Date(instant).toISOString());

    it("ends the link's turn until the next Pacific day, and a property next to it is read as ever", async () => {
      const other = world.analytics.property("Other", { person: agency.person });
      for (const one of [property, other]) one.visits = () => [{ user: "a" }];
      const id = await world.link(agency, { source: "ga4", external_id: property.id });
      const fine = await world.link(agency, { source: "ga4", external_id: other.id });
      property.tokens = 0;
      world.google.received.length = 0;
      await world.nightly();
      const row = await world.row(id);
      expect(row.last_error).to.equal("marketing.quota_used_up");
      const pausedUntil = new Date(row.paused_until as string);
      expect(pausedUntil.toISOString()).to.match(PACIFIC_MIDNIGHT);
      expect(pausedUntil.getTime() - Date.now()).to.be.within(0, 25 * 3_600_000);
      const ofProperty = () => world.google.calls("analyticsdata").filter((call) => call.includes(`${property.id}:`)).length;
      expect(ofProperty()).to.equal(1);
      expect((await world.row(fine)).last_error).to.equal(null);
      await world.nightly();
      expect(ofProperty()).to.equal(1);
      property.tokens = 1000;
      await world.service.sql.query("update marketing_links set paused_until = now() where id = $1", [id]);
      await world.nightly();
      expect(await world.row(id)).to.deep.include({ last_error: null, paused_until: null });
    });

    it("makes no further call when an answer says that it was the last, and keeps what arrived", async () => {
      property.visits = () => [{ user: "a" }];
      property.tokens = property.cost;
      const id = await world.link(agency, { source: "ga4", external_id: property.id });
      expect(reports()).to.have.length(1);
      expect(await world.days(id)).to.have.length(30);
      expect(await world.row(id)).to.deep.include({
        backfill_done: false,
        last_error: "marketing.quota_used_up",
      });
    });

    it("is used up by the answer to a drilldown or to a whole span too: no other is asked", async () => {
      const id = await world.link(agency, { source: "ga4", external_id: property.id });
      const drill = async (kind: string) => {
        const query = `link_id=${id}&kind=${kind}&period=7d`;
        const { body } = await agency.owner.get(`/marketing/companies/${agency.company}/drilldown?${query}`);
        return [body.available, body.unavailable_reason];
      };
      await world.service.sql.query("update marketing_links set last_error = 'marketing.accounts_error' where id = $1", [id]);
      property.tokens = property.cost;
      world.google.received.length = 0;
      expect(await drill("devices")).to.deep.equal([true, null]);
      expect(await drill("channels")).to.deep.equal([false, "marketing.quota_used_up"]);
      expect(await drill("devices")).to.deep.equal([true, null]);
      expect(reports()).to.have.length(1);
      expect(await world.row(id))
        .to.have.property("paused_until")
        .that.satisfies(isPacificMidnight);

      await world.service.sql.query("update marketing_links set last_error = null, paused_until = null where id = $1", [id]);
      property.tokens = property.cost;
      await agency.owner.get(`/marketing/companies/${agency.company}/metrics?period=13d`);
      await world.settle();
      expect(reports()).to.have.length(2);
      expect(await world.row(id))
        .to.have.property("paused_until")
        .that.satisfies(isPacificMidnight);
    });

    it("is used up by the last report of a night: the link waits all the same", async () => {
      const id = await world.link(agency, { source: "ga4", external_id: property.id });
      world.google.received.length = 0;
      await world.nightly();
      property.tokens = property.cost * reports().length;
      await world.nightly();
      expect(property.tokens).to.equal(0);
      const row = await world.row(id);
      expect(row.last_error).to.equal(null);
      expect(row.paused_until).to.satisfy(isPacificMidnight);
    });

    it("is not a quota of the hour, which the next run may find refilled", async () => {
      const message = "Exhausted property tokens for a project per hour. These quota tokens will return in under an hour.";
      world.google.fail(GoogleSimulator.refusing(429, "rateLimitExceeded", { message }));
      const error = await failure(asSource((access, link) => calls.drilldown(access, link, "devices", WEEK)));
      expect([error.key, error.pausedUntil]).to.deep.equal(["marketing.quota_used_up", null]);
    });

    it("is remembered by the link: no drilldown asks meanwhile", async () => {
      const paused_until = new Date(Date.now() + 60_000).toISOString();
      const error = await failure(
        asSource((access, link) => calls.drilldown(access, { ...link, paused_until }, "devices", WEEK)),
      );
      expect([error.key, error.pausedUntil, reports()]).to.deep.equal(["marketing.quota_used_up", paused_until, []]);
    });
  });

  const answer = (body: unknown) => ({
    kind: "reply" as const,
    status: 200,
    headers: { "Content-Type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const row = (value: unknown, ...values: unknown[]) => ({
    dimensionValues: [{ value }],
    metricValues: values.map((one) => ({ value: one })),
  });
  const compact = day(-3).replaceAll("-", "");
  for (const [what, fault] of [
    ["a page of HTML", { kind: "reply", status: 200, body: "<html>Sorry</html>" }],
    ["half of a JSON", answer('{"rows": [')],
    ["no object", answer("[]")],
    ["a list that is none", answer({ rows: "many" })],
    ["columns that are missing", answer({ rows: [row(compact, "1", "2")], rowCount: 1 })],
    ["numbers that are none", answer({ rows: [row(compact, "1", "2", "3", "4", "NaN", "6")], rowCount: 1 })],
    ["values that are no text", answer({ rows: [row(compact, 1, 2, 3, 4, 5, 6)], rowCount: 1 })],
    ["a day that was not asked for", answer({ rows: [row("20010101", "1", "2", "3", "4", "0.5", "6")], rowCount: 1 })],
    ["a list that was cut short", answer({ rows: [row(compact, "1", "2", "3", "4", "0.5", "6")], rowCount: 7 })],
  ] as const)
    it(`takes ${what} for a failure, never for figures`, async () => {
      world.google.fail(fault);
      const error = await failure(asSource((access, link) => calls.days(access, link, WEEK)));
      expect(error.key).to.equal("marketing.accounts_error");
    });

  it("keeps the days that arrived when the question about channels fails (S3)", async () => {
    property.visits = () => [{ user: "a" }];
    world.google.failWhen(({ body }) => body.includes("sessionDefaultChannelGroup"), GoogleSimulator.refusing(403, "forbidden"));
    const found = await asSource((access, link) => calls.days(access, link, WEEK));
    expect(found.days.map(({ day: on }) => on)).to.deep.equal(eachDay(WEEK.from, WEEK.to));
    expect(found.failure?.key).to.equal("marketing.no_access");
  });
});
