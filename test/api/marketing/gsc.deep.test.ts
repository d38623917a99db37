import { expect } from "chai";
import { addDays, dateIn } from "../../../core/calendar/calendar.ts";
import { systemRequest } from "../../../core/request/system.ts";
import type { MarketingLinkRow } from "../../../integrations/marketing/models.ts";
import { calls } from "../../../integrations/marketing/sources/gsc/gsc-calls.ts";
import { type SourceAccess, SourceFailure, type Span } from "../../../integrations/marketing/sources/source.ts";
import { inRequest } from "../../../mixins/google/transactions.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import type { SimulatedSite } from "../../simulators/google/search-console.ts";
import { withDeadline } from "../../support/deadline.ts";
import { type Agency, type MarketingWorld, startMarketing } from "./google-world.ts";

const TODAY = dateIn("Europe/Amsterdam", Date.now());
const day = (n: number) => addDays(TODAY, n);
const WEEK: Span = { from: day(-7), to: day(-1) };
const SITE = "https://shop.nl/";

describe("Search Console as a source (marketing-ads §2.9)", () => {
  let world: MarketingWorld;
  let agency: Agency;
  let site: SimulatedSite;
  before(async () => {
    world = await startMarketing();
  });
  beforeEach(async () => {
    agency = await world.agency();
    site = world.search.site(SITE, agency.person);
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const queries = () =>
    world.google.received
      .filter(({ path }) => path.endsWith("/searchAnalytics/query"))
      .map(({ path, body }) => [decodeURIComponent(path), JSON.parse(body)]);
  const asSource = async <T>(work: (access: SourceAccess, link: MarketingLinkRow) => Promise<T>): Promise<T> => {
    const text = "select id from workspace_connections where account_id = $1";
    const [{ id }] = (await world.service.sql.query(text, [agency.owner.accountId])).rows;
    const access = { transactions: inRequest, connectionId: id, websiteId: null };
    return inTenancy(
      () => systemRequest("test", agency.tenant.organisation, "read"),
      () => work(access, { external_id: SITE, paused_until: null } as MarketingLinkRow),
    );
  };

  it("reads days by their Pacific date, exactly as they came, without those that are still to come", async () => {
    site.searches = () => [
      { query: "bread", clicks: 3, impressions: 40, position: 2 },
      { query: "cake", clicks: 1, impressions: 10, position: 7 },
    ];
    site.lastDay = day(-4);
    const found = await asSource((access, link) => calls.days(access, link, WEEK));
    expect(found.isComplete).to.equal(true);
    expect(found.days).to.deep.equal(
      [day(-7), day(-6), day(-5), day(-4)].map((on) => ({
        day: on,
        metrics: { clicks: 4, impressions: 50, ctr: 0.08, position: 3 },
      })),
    );
    expect(queries()).to.deep.equal([
      [
        "/webmasters/v3/sites/https://shop.nl//searchAnalytics/query",
        { startDate: WEEK.from, endDate: WEEK.to, dimensions: ["date"], rowLimit: 1000 },
      ],
    ]);
  });

  it("ranks ten queries and ten pages, whose addresses can be opened", async () => {
    site.searches = (on) =>
      on === day(-2)
        ? Array.from({ length: 15 }, (_, n) => ({
            query: `q${n}`,
            page: `${SITE}p${n}`,
            clicks: 20 - n,
            impressions: 100,
            position: n + 1,
          }))
        : [];
    const top = await asSource((access, link) => calls.drilldown(access, link, "top_queries", WEEK));
    expect(top).to.have.length(10);
    expect(top[0]).to.deep.equal({
      label: "q0",
      key: "q0",
      href: null,
      metrics: { clicks: 20, impressions: 100, ctr: 0.2, position: 1 },
    });
    const pages = await asSource((access, link) => calls.drilldown(access, link, "top_pages", WEEK));
    expect(pages[0]).to.deep.include({ label: `${SITE}p0`, href: `${SITE}p0` });
    expect(queries().map(([, { dimensions, rowLimit }]) => [dimensions, rowLimit])).to.deep.equal([
      [["query"], 10],
      [["page"], 10],
    ]);
  });

  it("compares movers with the equal span just before, 250 queries each", async () => {
    site.searches = (on) => [{ query: "bread", clicks: 2, impressions: 10, position: on < WEEK.from ? 9.25 : 4 }];
    const movers = await asSource((access, link) => calls.drilldown(access, link, "movers", WEEK));
    expect(movers).to.deep.equal([
      { label: "bread", key: "bread", href: null, metrics: { position: 4, position_change: 5.3, clicks: 14 } },
    ]);
    expect(queries().map(([, asked]) => [asked.startDate, asked.endDate, asked.rowLimit])).to.deep.equal([
      [day(-7), day(-1), 250],
      [day(-14), day(-8), 250],
    ]);
  });

  it("reads the keywords of a report from both spans, at least 100 queries each", async () => {
    site.searches = (on) => [{ query: "bread", clicks: 2, impressions: 10, position: on < WEEK.from ? 9 : 4 }];
    const spans = { current: WEEK, previous: { from: day(-14), to: day(-8) } };
    for (const [limit, rowLimit] of [
      [25, 100],
      [200, 800],
    ] as const) {
      world.google.received.length = 0;
      const rule = { limit, min_impressions: 10, max_position: 25 };
      const found = await asSource((access, link) => calls.rankings?.(access, link, spans, rule) ?? Promise.resolve([]));
      expect(found).to.deep.equal([
        {
          ...{ keyword: "bread", group: null, engine: null, page: null, volume: null },
          ...{ begin: 9, end: 4, change: 5, status: "improved", impressions: 70 },
        },
      ]);
      expect(queries().map(([, asked]) => asked.rowLimit)).to.deep.equal([rowLimit, rowLimit]);
    }
  });

  const answer = (body: unknown) => ({
    kind: "reply" as const,
    status: 200,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  for (const [what, fault, key] of [
    ["a page of HTML", { kind: "reply", status: 200, body: "<html>Sorry</html>" }, "marketing.accounts_error"],
    [
      "figures that are text",
      answer({ rows: [{ keys: [day(-2)], clicks: "1", impressions: 2, ctr: 0.5, position: 1 }] }),
      "marketing.accounts_error",
    ],
    ["figures that are missing", answer({ rows: [{ keys: [day(-2)], clicks: 1 }] }), "marketing.accounts_error"],
    ["rows without a key", answer({ rows: [{ clicks: 1, impressions: 2, ctr: 0.5, position: 1 }] }), "marketing.accounts_error"],
    [
      "a day that was not asked for",
      answer({ rows: [{ keys: ["2001-01-01"], clicks: 1, impressions: 2, ctr: 0.5, position: 1 }] }),
      "marketing.accounts_error",
    ],
    ["a used-up quota", GoogleSimulator.refusing(403, "quotaExceeded"), "marketing.quota_used_up"],
    ["a permission that was taken away", GoogleSimulator.refusing(403, "forbidden"), "marketing.no_access"],
  ] as const)
    it(`takes ${what} for a failure, never for figures`, async () => {
      world.google.fail(fault);
      const failed = await asSource((access, link) => calls.days(access, link, WEEK)).catch((error: unknown) => error);
      expect((failed as SourceFailure).key).to.equal(key);
      expect(failed).to.be.instanceOf(SourceFailure);
    });

  it("takes an answer after more than 40 seconds for a failure", async () => {
    world.google.fail({ kind: "hang" });
    const failed = await withDeadline(40_000, () =>
      asSource((access, link) => calls.days(access, link, WEEK)).catch((error: unknown) => error),
    );
    expect((failed as SourceFailure).key).to.equal("marketing.accounts_error");
  });
});
