import { expect } from "chai";
import { column, METRICS } from "../../../integrations/marketing/report-sections/section-words.ts";

describe("the words of marketing's sections in a report (workspace-reporting §1.6)", () => {
  const rows: [key: Parameters<typeof column>[0], nl: string, en: string][] = [
    ["before", "Vorige periode", "Previous period"],
    ["places", "Posities gewonnen", "Positions gained"],
    ["begin", "Eerste positie", "Start position"],
    ["end", "Laatste positie", "End position"],
    ["volume", "Zoekvolume per maand", "Searches per month"],
    ["status", "Verloop", "Trend"],
    ["mention_share", "Vermeld in antwoorden", "Mentioned in answers"],
  ];
  for (const [key, nl, en] of rows)
    it(`call ${key} '${en}'`, () => {
      expect(column(key, "count").label).to.deep.equal({ nl, en });
    });

  it("say what ranks and what is tracked as a native does", () => {
    expect(METRICS["seranking"]?.["keywords_ranking"]?.label.en).to.equal("Ranking keywords");
    expect(METRICS["seranking"]?.["keywords_tracked"]?.label.en).to.equal("Tracked keywords");
  });
});
