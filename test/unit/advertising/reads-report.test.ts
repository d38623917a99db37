import { expect } from "chai";
import { sumsOf } from "../../../integrations/advertising/reads/figures.ts";
import { type FoundRow, type ReadDeclaration, withFigures } from "../../../integrations/advertising/reads/read.ts";
import { reportOf } from "../../../integrations/advertising/reads/report.ts";

const READ = {
  ceiling: 5,
  takes: ["status"],
  searched: ["campaign_name", "final_urls"],
  hasTotals: true,
} satisfies Partial<ReadDeclaration>;

const row = (name: string, status: string, cost: number, urls: string[] = []): FoundRow =>
  withFigures({}, { campaign_name: name, status, final_urls: urls }, sumsOf({ costMicros: `${cost}000000`, clicks: "2" }));

const ROWS = [
  row("Alpha", "ENABLED", 60),
  row("Beta", "PAUSED", 50, ["https://shop.example/ALPHA"]),
  row("Gamma", "ENABLED", 40),
  row("alphabet", "ENABLED", 30),
  row("Delta", "REMOVED", 20),
  row("Alpha again", "ENABLED", 10),
];

const names = (report: { rows: Record<string, unknown>[] }) => report.rows.map((one) => one["campaign_name"]);

describe("the rows of a read", () => {
  it("are cut to the ceiling first, with a warning", () => {
    const report = reportOf(READ, { rows: ROWS }, {});
    expect(names(report)).to.deep.equal(["Alpha", "Beta", "Gamma", "alphabet", "Delta"]);
    expect(report).to.deep.include({ warnings: ["ads.warning.rows_truncated"], total_rows: 5, row_count: 5, offset: 0 });
    expect(reportOf(READ, { rows: ROWS.slice(1) }, {}).warnings).to.deep.equal([]);
  });

  it("are then narrowed to a status, in any case; an unknown one matches nothing", () => {
    expect(names(reportOf(READ, { rows: ROWS }, { status: " enabled" }))).to.deep.equal(["Alpha", "Gamma", "alphabet"]);
    expect(reportOf(READ, { rows: ROWS }, { status: "LIVE" })).to.deep.include({ rows: [], total_rows: 0 });
    expect(names(reportOf(READ, { rows: ROWS }, { status: "" }))).to.have.length(5);
  });

  it("ignore a status if the read has no such filter", () => {
    expect(reportOf({ ...READ, takes: [] }, { rows: ROWS }, { status: "PAUSED" }).total_rows).to.equal(5);
  });

  it("are then searched, in lists of texts too", () => {
    expect(names(reportOf(READ, { rows: ROWS }, { q: " ALPHA " }))).to.deep.equal(["Alpha", "Beta", "alphabet"]);
    expect(names(reportOf(READ, { rows: ROWS }, { q: "enabled" }))).to.deep.equal([]);
    expect(names(reportOf(READ, { rows: ROWS }, { q: "  " }))).to.have.length(5);
  });

  it("match if each word is in one of the searched fields, ignoring case and accents (conventions §10)", () => {
    const found = [
      row("Zomer \u00c9clairs", "ENABLED", 5, ["https://shop.example/taart"]),
      row("Winter e\u0301clairs", "ENABLED", 4, ["https://shop.example/brood"]),
      row("Sm\u00f8rrebr\u00f8d", "ENABLED", 3, ["https://shop.example/stra\u00dfe"]),
    ];
    const by = (q: string) => reportOf(READ, { rows: found }, { q }).rows.map((one) => one["cost"]);
    expect(by("eclairs")).to.deep.equal([5, 4]);
    expect(by("\u00c9CLAIRS zomer")).to.deep.equal([5]);
    expect(by("taart eclairs")).to.deep.equal([5]);
    expect(by("taart winter")).to.deep.equal([]);
    expect(by('"winter eclairs"')).to.deep.equal([4]);
    expect(by('"eclairs winter"')).to.deep.equal([]);
    expect(by("smorrebrod STRASSE")).to.deep.equal([3]);
  });

  it("have totals over all matches, for any page shown", () => {
    const page = reportOf(READ, { rows: ROWS }, { q: "alpha", limit: 1, offset: 1 });
    expect(names(page)).to.deep.equal(["Beta"]);
    expect(page).to.deep.include({ row_count: 1, total_rows: 3, offset: 1 });
    expect(page.totals).to.deep.include({ cost: 140, clicks: 6, average_cpc: 23.33 });
  });

  it("are empty beyond the last page, with the same totals", () => {
    const page = reportOf(READ, { rows: ROWS }, { limit: 10, offset: 7 });
    expect(page).to.deep.include({ rows: [], row_count: 0, total_rows: 5, offset: 7 });
    expect(page.totals?.cost).to.equal(200);
  });

  it("have no totals where they have no figures", () => {
    expect(reportOf({ ...READ, hasTotals: false }, { rows: ROWS }, {}).totals).to.equal(null);
  });

  it("give their facts over what matched, and the warnings of the read", () => {
    const read = {
      ...READ,
      warnings: ["always"],
      extra: (matched: readonly FoundRow[]) => ({ count: matched.length }),
    };
    const found = { rows: ROWS, warnings: ["found"], extra: { found: true }, isTruncated: false };
    const report = reportOf(read, found, { q: "alpha", limit: 1 });
    expect(report).to.deep.include({ warnings: ["found", "always"], extra: { found: true, count: 3 } });
  });
});
