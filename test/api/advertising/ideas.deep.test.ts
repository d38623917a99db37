import { expect } from "chai";
import type { AdsRequest } from "../../simulators/google-ads/google-ads.ts";
import type { Reply } from "../../simulators/simulator.ts";
import { type Advertiser, type AdvertisingWorld, advertiser, startAdvertising, writtenAccount } from "./advertising-world.ts";

const IDEAS = [
  {
    text: "rye bread",
    keywordIdeaMetrics: {
      avgMonthlySearches: "1300",
      competition: "HIGH",
      competitionIndex: "71",
      lowTopOfPageBidMicros: "455000",
      highTopOfPageBidMicros: "1204999",
    },
  },
  { text: "spelt bread", keywordIdeaMetrics: {} },
  { text: "oat bread" },
];

describe("POST /ads-platform/accounts/:account_id/keyword-ideas (marketing-ads §3.6)", () => {
  let world: AdvertisingWorld;
  let own: Advertiser;
  let account: string;
  let asked: Record<string, unknown>[];
  let hasMore: boolean;
  const ideas = ({ json }: AdsRequest): Reply => {
    asked.push(json);
    return { status: 200, body: { results: IDEAS, ...(hasMore && { nextPageToken: "next" }) } };
  };
  before(async () => {
    world = await startAdvertising();
    world.ads.serve("generateKeywordIdeas", ideas);
  });
  beforeEach(async () => {
    world.reset();
    asked = [];
    hasMore = false;
    own = await advertiser(world);
    account = await writtenAccount(world.service, own);
  });
  afterEach(() => {
    expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]);
  });
  after(() => world.stop());

  const ask = (body: object) => own.owner.post(`/ads-platform/accounts/${account}/keyword-ideas`, body);

  it("answers ideas in the provider's order, always with the warning that volumes are estimates", async () => {
    const { status, body } = await ask({ keywords: ["bread"] });
    expect(status).to.equal(200);
    expect(body).to.deep.include({
      period: null,
      totals: null,
      currency: "EUR",
      row_count: 3,
      total_rows: 3,
      warnings: ["ads.warning.keyword_volume_is_estimated"],
    });
    const nothing = { avg_monthly_searches: 0, competition: null, competition_index: 0 };
    const noBids = { low_top_of_page_bid: 0, high_top_of_page_bid: 0 };
    expect(body.rows).to.deep.equal([
      {
        keyword: "rye bread",
        avg_monthly_searches: 1300,
        competition: "HIGH",
        competition_index: 71,
        low_top_of_page_bid: 0.46,
        high_top_of_page_bid: 1.2,
      },
      { keyword: "spelt bread", ...nothing, ...noBids },
      { keyword: "oat bread", ...nothing, ...noBids },
    ]);
  });

  const seeds: [what: string, body: object, sent: object][] = [
    ["words", { keywords: [" bread ", " "] }, { keywordSeed: { keywords: ["bread"] } }],
    ["a page", { url: "https://shop.example/" }, { urlSeed: { url: "https://shop.example/" } }],
    [
      "words and a page",
      { keywords: ["bread"], url: "https://shop.example/" },
      { keywordAndUrlSeed: { keywords: ["bread"], url: "https://shop.example/" } },
    ],
  ];
  for (const [what, body, sent] of seeds)
    it(`begins with ${what}`, async () => {
      await ask(body);
      expect(asked).to.deep.equal([{ ...sent, pageSize: 200, keywordPlanNetwork: "GOOGLE_SEARCH" }]);
    });

  it("names places and the language as the provider does, and the caller's limit", async () => {
    const { body } = await ask({ keywords: ["bread"], geo_target_ids: [2528, 2056], language_id: 1010, limit: 2 });
    expect(asked[0]).to.deep.include({
      geoTargetConstants: ["geoTargetConstants/2528", "geoTargetConstants/2056"],
      language: "languageConstants/1010",
      pageSize: 2,
    });
    expect(body).to.deep.include({ row_count: 2, warnings: ["ads.warning.keyword_volume_is_estimated"] });
  });

  it("says so where there are more than a caller without a limit gets", async () => {
    hasMore = true;
    const { body } = await ask({ keywords: ["bread"] });
    expect(body.warnings).to.deep.equal(["ads.warning.rows_truncated", "ads.warning.keyword_volume_is_estimated"]);
    expect((await ask({ keywords: ["bread"], limit: 3 })).body.warnings).to.have.length(1);
  });

  it("needs words or a page, before any call", async () => {
    for (const body of [{}, { keywords: [] }, { keywords: ["  "], url: " " }, { url: null }]) {
      const answer = await ask(body);
      expect([answer.status, answer.body.error.code]).to.deep.equal([422, "validation"]);
      expect(answer.body.error.fields).to.deep.equal({ keywords: "errors.ads_platform_keyword_seed_required" });
    }
    for (const [body, field] of [
      [{ keywords: Array(21).fill("a") }, "keywords"],
      [{ keywords: ["a"], geo_target_ids: Array(11).fill(1) }, "geo_target_ids"],
      [{ keywords: ["a"], limit: 1001 }, "limit"],
    ] as const)
      expect((await ask(body)).body.error.fields).to.have.property(field);
    expect(asked).to.deep.equal([]);
  });
});
