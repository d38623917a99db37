import { expect } from "chai";
import sinon from "sinon";
import type { Locale } from "../../../core/config/defaults.ts";
import { REPORT_AUDIENCES, type ReportTable } from "../../../core/declare/report-sections.ts";
import { inventedNumber } from "../../../services/reporting/prose/invented-numbers.ts";
import { standingNumbers } from "../../../services/reporting/prose/standing-numbers.ts";
import { type DrawnReport, reportHtml } from "../../../services/reporting/rendering/report-document.ts";
import { sampleReport } from "../../../services/reporting/rendering/sample.ts";
import type { Snapshot } from "../../../services/reporting/snapshot.ts";
import { textsOfPage } from "../../api/reporting/printed-texts.ts";
import { rounds } from "../../support/tier.ts";
import { HOSTILE_NAMES, LOOK, seededSnapshot } from "./seeded-snapshot.ts";

const reportOf = (snapshot: Snapshot, narrative: Record<string, string> = {}): DrawnReport => ({
  data_snapshot: snapshot,
  look: LOOK,
  narrative,
});
/** A row as it comes back from the database. */
const reread = <T>(row: T): T => JSON.parse(JSON.stringify(row)) as T;
describe("the document of a report (workspace-reporting §1.5)", () => {
  it("is the same bytes from the same row, years later too", async () => {
    const report = reportOf(sampleReport("nl", "client"), { "sample.traffic": "Meer bezoek.\n\nWij gaan door." });
    const first = await reportHtml(report);
    const clock = sinon.useFakeTimers({ now: Date.UTC(2039, 6, 1), toFake: ["Date"] });
    try {
      expect(await reportHtml(reread(report))).to.equal(first);
    } finally {
      clock.restore();
    }
    expect(first).to.include('<meta name="dcterms.date" content="2026-03-05">');
    expect(first).to.include('<p class="prose">Meer bezoek.</p><p class="prose">Wij gaan door.</p>');
  });

  it("keeps the design that it was made with", async () => {
    const own = { ...LOOK, html: "<h1>{{ client }}</h1>{% for section in sections %}<h2>{{ section.title }}</h2>{% endfor %}" };
    const html = await reportHtml({ ...reportOf(sampleReport("en", "client")), look: own });
    expect(html).to.include("<h1>Sunfield Studio</h1><h2>Visits to the website</h2><h2>Found in Google</h2>");
  });

  it("says above a chart what it shows, in the language of the report", async () => {
    for (const [locale, labels] of [
      ["nl", ["Bezoeken", "Klikken per apparaat"]],
      ["en", ["Visits", "Clicks by device"]],
    ] as const) {
      const html = await reportHtml(reportOf(sampleReport(locale, "client")));
      const captions = [...html.matchAll(/<figcaption>(.*?)<\/figcaption><svg /g)].map(([, caption]) => caption);
      expect(captions).to.deep.equal(labels);
    }
  });

  it("is not drawn before its figures and its look are frozen", async () => {
    for (const missing of [{ data_snapshot: null }, { look: null }]) {
      const error = await reportHtml({ ...reportOf(sampleReport("nl", "client")), ...missing }).catch((thrown: Error) => thrown);
      expect(error).to.be.an("error").with.property("message", "the figures and the look of the report are not frozen yet");
    }
  });

  for (const [about, points] of [
    ["no point", []],
    ["no number", [{ key: "1-2", value: null, before: 3 }]],
    ["a number that is none", [{ key: "1-2", value: Number.NaN, before: null }]],
  ] as const)
    for (const kind of ["line", "bars", "share"] as const)
      it(`fails for a chart of ${kind} with ${about}`, async () => {
        const snapshot = sampleReport("nl", "client");
        const section = snapshot.sections[0] as Snapshot["sections"][number];
        const series = { kind, label: { nl: "x", en: "x" }, valueKind: "count" as const, points };
        const broken = { ...snapshot, sections: [{ ...section, data: { ...section.data, series } }] };
        const error = await reportHtml(reportOf(broken)).catch((thrown: Error) => thrown);
        expect(error).to.be.an("error").with.property("message", "nothing to draw in 'Bezoek aan de website'");
      });

  for (const [locale, other, finalUntil, texts] of [
    ["nl", "Overig", "Definitieve cijfers tot en met 26 februari 2026.", ["4.285", "Eerder 3.613", "+18,6%", "11,4×", "41,2%"]],
    ["en", "Other", "Figures are final up to 26 February 2026.", ["4,285", "Previously 3,613", "+18.6%", "11.4×", "41.2%"]],
  ] as const) {
    const rows = [
      ...[500, 400, 300, 9].map((value, at) => [`large ${at}`, value]),
      ...[1, 1, 1].map((value, at) => [`small ${at}`, value]),
    ];
    const total = (key: string, value: number, before: number | null) => {
      return { key, label: { nl: key, en: key }, kind: "count" as const, value, before };
    };
    const drawn = async (audience: "client" | "internal", isPart = false) => {
      const snapshot = sampleReport(locale, audience);
      const { data: sample } = snapshot.sections[0] as Snapshot["sections"][number];
      const columns = (sample.table as ReportTable).columns.slice(0, 2);
      const figures = { totals: [total("still", 0, 0), total("gone", 0, 7), total("alone", 33, null)], table: { columns, rows } };
      const data = isPart ? { totals: [], parts: [{ name: "shop.example", ...figures }] } : figures;
      const sections = [...snapshot.sections, { key: "own", title: "Own", data }];
      return reportHtml(reportOf({ ...snapshot, sections }));
    };

    it(`folds the small rows of a client's table into '${other}', those of a website too, and of no internal one (${locale})`, async () => {
      for (const isPart of [false, true]) {
        const client = textsOfPage(await drawn("client", isPart));
        expect(client).to.include.members(["large 3", other]).and.not.include.members(["small 0"]);
        const internal = textsOfPage(await drawn("internal", isPart));
        expect(internal).to.include.members(["large 3", "small 0", "small 1", "small 2"]).and.not.include.members([other]);
      }
    });

    it(`prints numbers, changes and the day of the last final figures in its language (${locale})`, async () => {
      const printed = textsOfPage(await drawn("client")).join("\n");
      for (const text of [...texts, finalUntil]) expect(printed).to.include(text);
    });

    it(`drops a total that is zero now and before, and prints no change without a comparison (${locale})`, async () => {
      for (const isPart of [false, true]) {
        const html = await drawn("internal", isPart);
        const figures = [...html.matchAll(/<dt>(still|gone|alone)<\/dt>\s*<dd>(.*?)<\/dd>/gs)].map(([, key, dd]) => [
          key,
          /class="change/.test(dd as string),
          /class="before/.test(dd as string),
        ]);
        expect(figures).to.deep.equal([
          ["gone", true, true],
          ["alone", false, false],
        ]);
      }
    });
  }

  it("prints the figures of each website below its name", async () => {
    const snapshot = sampleReport("nl", "client");
    const section = snapshot.sections[0] as Snapshot["sections"][number];
    const part = { name: "shop.example", totals: section.data.totals.slice(0, 1), table: section.data.table as never };
    const html = await reportHtml(reportOf({ ...snapshot, sections: [{ ...section, data: { totals: [], parts: [part] } }] }));
    expect(html).to.match(/<h3 dir="auto">shop\.example<\/h3>\s*<dl class="figures"><div class="figure">\s*<dt>Bezoeken<\/dt>/);
    expect(html).to.include('<td dir="auto">Zoekmachines</td>');
  });

  const SNAPSHOTS = rounds(24, 240);
  it(`has no number that its snapshot does not hold, over ${SNAPSHOTS} snapshots`, async () => {
    let numbers = 0;
    for (let seed = 1; seed <= SNAPSHOTS; seed++) {
      const audience = REPORT_AUDIENCES[seed % 2] as (typeof REPORT_AUDIENCES)[number];
      const locale: Locale = seed % 3 === 0 ? "en" : "nl";
      const snapshot = seededSnapshot({ seed, locale, audience, sections: 4, rows: 14 });
      const standing = standingNumbers(snapshot);
      // The ticks of a chart's axis are a scale, not figures.
      const html = (await reportHtml(reportOf(snapshot))).replace(/<text x="56"[^>]*>[^<]*<\/text>/g, "");
      for (const text of textsOfPage(html)) {
        numbers += /\d/.test(text) ? 1 : 0;
        expect(inventedNumber(text, standing), `seed ${seed}: ${text}`).to.equal(null);
      }
    }
    expect(numbers).to.be.greaterThan((SNAPSHOTS / 240) * 10_000);
  });

  it("prints hostile names as text, in every place", async () => {
    for (let seed = 1; seed <= rounds(10, 40); seed++) {
      const html = await reportHtml(reportOf(seededSnapshot({ seed, hostile: true, audience: "internal", rows: 40 })));
      expect(html.match(/<\/style>/g), `seed ${seed}`).to.have.length(1);
      expect(html.match(/<\/main>/g), `seed ${seed}`).to.have.length(1);
      expect(html).not.to.match(/<script|href=|src="http|url\(/);
      expect(html.match(/<svg /g)?.length ?? 0).to.equal(html.match(/<\/svg>/g)?.length ?? 0);
    }
    for (const name of HOSTILE_NAMES.filter(Boolean)) {
      const { sections, ...snapshot } = sampleReport("nl", "client");
      const html = await reportHtml(reportOf({ ...snapshot, client: name, sections }, { "sample.found": name }));
      expect(textsOfPage(html), name.slice(0, 20)).to.include(name.trim());
    }
  });
});
