import { expect } from "chai";
import type { AdsRow } from "../../../integrations/advertising/reads/ads-row.ts";
import { READS } from "../../../integrations/advertising/reads/declared/reads.ts";
import { namedCampaigns } from "../../../integrations/advertising/reads/named-campaigns.ts";
import { atLeast, duringDays, is, isOneOf, queryText, within } from "../../../integrations/advertising/reads/query-text.ts";
import type { ReadDeclaration, ReadFilters } from "../../../integrations/advertising/reads/read.ts";
import { AdsFailure } from "../../../mixins/google-ads/failure.ts";
import { checkGaql } from "../../simulators/descriptions/check-request.mjs";

const FILTERS: ReadFilters = {
  from: "2026-07-11",
  to: "2026-08-09",
  campaignIds: null,
  withRemoved: false,
  minCostMicros: null,
  minClicks: null,
  today: "2026-08-10",
  utcToday: "2026-08-10",
};

const PLACE: AdsRow = {
  campaign: { id: "1", name: "Summer" },
  userLocationView: { countryCriterionId: "2528" },
  segments: { geoTargetRegion: "geoTargetConstants/20758", geoTargetCity: "geoTargetConstants/1010543" },
};

/** Every filter that a read may meet, in every combination. */
function* everyFilter(): Generator<ReadFilters> {
  for (const campaignIds of [null, ["1"], ["1", "22", "333"]])
    for (const withRemoved of [false, true])
      for (const minCostMicros of [null, 0n, 9_223_372_036_854_775_807n])
        for (const minClicks of [null, 0, 12]) yield { ...FILTERS, campaignIds, withRemoved, minCostMicros, minClicks };
}

/** The texts of a read's queries. @param refused the first query is refused */
async function textsOf(read: ReadDeclaration, filters: ReadFilters, refused = false): Promise<string[]> {
  const texts: string[] = [];
  const ask = (query: string): Promise<AdsRow[]> => {
    texts.push(query);
    if (refused && texts.length === 1) return Promise.reject(new AdsFailure("ads_platform_query", "refused"));
    return Promise.resolve([PLACE]);
  };
  await read.find(ask, filters).catch((error: unknown) => {
    if (!refused) throw error;
  });
  return texts;
}

function expectKnown(text: string): void {
  const { ok, problems } = checkGaql(text);
  expect(ok, `${text}\n${JSON.stringify(problems)}`).to.equal(true);
}

describe("every query that a read can build", () => {
  for (const [name, read] of Object.entries<ReadDeclaration>(READS))
    it(`of ${name} is one that the provider describes`, async () => {
      let count = 0;
      for (const filters of everyFilter())
        for (const refused of [false, true])
          for (const text of await textsOf(read, filters, refused)) {
            expectKnown(text);
            count += 1;
          }
      expect(count).to.be.at.least(108);
    });

  it("of a list of campaigns is one too, and has nothing of the caller's text", async () => {
    const texts: string[] = [];
    const ask = (query: string) => {
      texts.push(query);
      return Promise.resolve([
        { campaign: { id: "1", name: "Summer sale" } },
        { campaign: { id: "2", name: "WINTER SALE" } },
        { campaign: { id: "3" } },
      ]);
    };
    const wanted = ["winter' OR campaign.id > 0", " ", "sUMMer"];
    expect(await namedCampaigns(ask, wanted, false)).to.deep.equal(["1"]);
    expect(await namedCampaigns(ask, ["sale"], true)).to.deep.equal(["1", "2"]);
    expect(await namedCampaigns(ask, ["", " "], true)).to.equal(null);
    for (const text of texts) expectKnown(text);
    expect(texts).to.deep.equal([
      "SELECT campaign.id, campaign.name FROM campaign WHERE campaign.status != 'REMOVED' LIMIT 2000",
      "SELECT campaign.id, campaign.name FROM campaign LIMIT 2000",
    ]);
  });

  it("asks for one row more than its ceiling, by cost where the read has figures", async () => {
    for (const read of Object.values<ReadDeclaration>(READS)) {
      const [text = ""] = await textsOf(read, FILTERS);
      expect(text).to.match(new RegExp(` LIMIT ${read.ceiling + 1}$`));
      expect(/ORDER BY metrics\.cost_micros DESC/.test(text)).to.equal(read.hasTotals, text);
    }
  });

  it("omits removed rows unless requested", async () => {
    const { campaigns, adGroups, keywords, ads } = READS;
    for (const [read, statuses] of [
      [campaigns, ["campaign.status"]],
      [adGroups, ["ad_group.status", "campaign.status"]],
      [keywords, ["ad_group_criterion.status", "ad_group.status", "campaign.status"]],
      [ads, ["ad_group_ad.status", "ad_group.status", "campaign.status"]],
    ] as const) {
      const [without = ""] = await textsOf(read, FILTERS);
      const [withRemoved = ""] = await textsOf(read, { ...FILTERS, withRemoved: true });
      for (const status of statuses) expect(without).to.include(`${status} != 'REMOVED'`);
      expect(withRemoved).not.to.include("REMOVED");
    }
  });

  it("narrows search terms by cost and clicks at the provider", async () => {
    const [text] = await textsOf(READS.searchTerms, { ...FILTERS, minCostMicros: 1_500_000n, minClicks: 3 });
    expect(text).to.include("metrics.cost_micros >= 1500000 AND metrics.clicks >= 3");
  });

  it("narrows to the campaigns that were named", async () => {
    for (const read of Object.values<ReadDeclaration>(READS).filter(({ takes }) => takes.includes("campaigns"))) {
      const [text] = await textsOf(read, { ...FILTERS, campaignIds: ["7", "8"] });
      expect(text).to.include("campaign.id IN (7, 8)");
    }
  });
});

describe("a query's conditions", () => {
  const wrong: [what: string, build: () => unknown][] = [
    ["an id with text", () => isOneOf("campaign.id", ["1", "1) OR (1"])],
    ["no id", () => isOneOf("campaign.id", [])],
    ["a date that is none", () => within("2026-02-30", "2026-03-01")],
    ["a date with text", () => duringDays("change_event.change_date_time", "2026-03-01", "2026-03-02' OR")],
    ["a value with a quote", () => is("campaign.status", "X' OR")],
    ["a field with blanks", () => atLeast("metrics.clicks OR", 1n)],
    ["a selected field with a comma", () => queryText({ from: "campaign", select: ["campaign.id, campaign.name"] })],
  ];
  for (const [what, build] of wrong) it(`refuse ${what}`, () => expect(build).to.throw(TypeError));
});
