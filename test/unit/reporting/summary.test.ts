import { expect } from "chai";
import type { Locale } from "../../../core/config/defaults.ts";
import type { ReportSectionData, ReportTotal } from "../../../core/declare/report-sections.ts";
import { sentencesOf, withoutInvented } from "../../../services/reporting/prose/checked-prose.ts";
import { standingNumbers } from "../../../services/reporting/prose/standing-numbers.ts";
import { ruledSummary } from "../../../services/reporting/prose/summary.ts";
import { goalsTable, SUMMARY } from "../../../services/reporting/sections/summary.ts";
import type { Snapshot } from "../../../services/reporting/snapshot.ts";
import { addressOf } from "../../../services/reporting/tones/address.ts";
import { HOUSE_TONE } from "../../../services/reporting/tones/house-tone.ts";
import { seededSnapshot } from "./seeded-snapshot.ts";

const total = (
  nl: string,
  en: string,
  value: number | null,
  before: number | null,
  more: Partial<ReportTotal> = {},
): ReportTotal => ({
  key: en,
  label: { nl, en },
  kind: "count",
  value,
  before,
  ...more,
});
const channels: ReportSectionData = {
  role: "origin",
  totals: [
    total("Bezoeken", "Visits", 4285, 3613),
    total("Nieuwe bezoekers", "New visitors", 900, 1200),
    total("Bezoekers", "Visitors", 0, 0),
    total("Omzet", "Revenue", 1200, null, { kind: "money" }),
  ],
  table: {
    columns: [
      { key: "channel", label: { nl: "Kanaal", en: "Channel" }, kind: "text" },
      { key: "sessions", label: { nl: "Bezoeken", en: "Visits" }, kind: "count", adds: true },
    ],
    rows: [
      ["Direct", 1038],
      ["Zoekmachines", 2412],
    ],
  },
};
const done: ReportSectionData = {
  role: "done",
  totals: [total("Afgeronde taken", "Finished tasks", 12, 11)],
  table: {
    columns: [{ key: "task", label: { nl: "Taak", en: "Task" }, kind: "text" }],
    rows: [["Snellere contactpagina"], ["12% meer budget"], ["Nieuwe advertenties"]],
  },
};
const snapshotOf = (locale: Locale, sections: Record<string, ReportSectionData>, more: Partial<Snapshot> = {}): Snapshot => ({
  locale,
  audience: "client",
  client: "Zonneveld",
  span: { start: "2026-10-01", end: "2026-10-31" },
  compared: { start: "2025-10-01", end: "2025-10-31" },
  sections: Object.entries({ [SUMMARY]: { totals: [] }, ...sections }).map(([key, data]) => ({ key, title: key, data })),
  ...more,
});
const written = (snapshot: Snapshot, tone: Partial<(typeof HOUSE_TONE)["nl"]> = {}): string =>
  ruledSummary(snapshot, { ...HOUSE_TONE[snapshot.locale], ...tone });
const WHOLE = { "seeded.channels": channels, "seeded.done": done };

describe("the summary of a report by rules (workspace-reporting §1.5)", () => {
  it("says what rose and fell most, where most visits came from, and what was done", () => {
    expect(written(snapshotOf("nl", WHOLE))).to.equal(
      "In deze rapportage leest u over oktober 2026, vergeleken met oktober 2025. " +
        "De grootste stijging zien wij bij bezoeken: 4.285, tegen 3.613 in de periode waarmee wij vergelijken (+18,6%). " +
        "De grootste daling zien wij bij nieuwe bezoekers: 900, tegen 1.200 in de periode waarmee wij vergelijken (−25,0%). " +
        "De meeste bezoeken kwamen via ‘Zoekmachines’: 2.412. " +
        "Wij hebben in deze periode 12 taken afgerond, waaronder ‘Snellere contactpagina’ en ‘Nieuwe advertenties’.",
    );
    expect(written(snapshotOf("en", WHOLE))).to.equal(
      "This report covers October 2026, compared with October 2025. " +
        "The largest rise was in visits: 4,285, against 3,613 in the period we compare with (+18.6%). " +
        "The largest fall was in new visitors: 900, against 1,200 in the period we compare with (−25.0%). " +
        "Most visits came through ‘Zoekmachines’: 2,412. " +
        "We completed 12 tasks in this period, including ‘Snellere contactpagina’ and ‘Nieuwe advertenties’.",
    );
  });

  it("addresses the reader as the tone does", () => {
    const informal = { instructions: "Schrijf in de je-vorm, kort en vrolijk." };
    expect(written(snapshotOf("nl", WHOLE), informal)).to.match(/^In deze rapportage lees je over oktober 2026/);
    expect(written(snapshotOf("en", WHOLE), { instructions: "Keep an informal style." })).to.match(/^Here is your report on/);
  });

  it("says nothing of a missing comparison, and nothing of zero to zero", () => {
    const text = written(
      snapshotOf("nl", { a: { totals: [total("Bezoeken", "Visits", 40, null), total("Klikken", "Clicks", 0, 0)] } }),
    );
    expect(text).to.equal(
      "In deze rapportage leest u over oktober 2026. De belangrijkste cijfers zijn bezoeken (40). Aan bod komen ‘a’.",
    );
  });

  it("has at least three sentences, however little there is", () => {
    const table = { columns: [{ key: "a", label: { nl: "A", en: "A" }, kind: "text" as const }], rows: [["x"]] };
    for (const locale of ["nl", "en"] as const)
      expect(sentencesOf(written(snapshotOf(locale, { a: { totals: [], table } })), locale)).to.have.length(3);
  });

  it("names the section of a label that several have, and which way is better where lower is", () => {
    const position = total("Gemiddelde positie", "Average position", 8.4, 9.7, { kind: "decimal", lowerIsBetter: true });
    const text = written(snapshotOf("nl", { een: { totals: [position] }, twee: { totals: [{ ...position, value: 9.7 }] } }));
    expect(text).to.include("bij gemiddelde positie (‘een’): 8,4, tegen 9,7").and.include("(−13,4%; lager is beter)");
  });

  it("lets a small count lead only where nothing else compares", () => {
    const small = total("Klikken", "Clicks", 3, 1);
    const text = written(snapshotOf("nl", { a: { totals: [small, total("Bezoeken", "Visits", 120, 100)] } }));
    expect(text).to.include("stijging zien wij bij bezoeken");
    expect(written(snapshotOf("nl", { a: { totals: [small] } }))).to.include("stijging zien wij bij klikken: 3, tegen 1");
  });

  it("leaves out a sentence with a banned phrase in a client's report, and keeps it in an internal one", () => {
    const tone = { banned_phrases: ["grootste stijging"] };
    expect(written(snapshotOf("nl", WHOLE), tone))
      .to.include("grootste daling")
      .and.not.include("grootste stijging");
    expect(written(snapshotOf("nl", WHOLE, { audience: "internal" }), tone)).to.include("grootste stijging");
  });

  for (const locale of ["nl", "en"] as const)
    it(`passes the guard of invented numbers for generated figures, in three to five sentences (${locale})`, () => {
      let [rises, falls] = [0, 0];
      for (let seed = 1; seed <= 150; seed++) {
        const audience = seed % 2 === 0 ? ("client" as const) : ("internal" as const);
        const snapshot = seededSnapshot({ seed, locale, audience, hostile: seed % 3 === 0, sections: 1 + (seed % 6) });
        const text = written(snapshot);
        expect(withoutInvented(text, locale, standingNumbers(snapshot)).invented, `${seed}: ${text}`).to.deep.equal([]);
        if (seed % 3 === 0) continue;
        // Without hostile names no sentence is lost to the guard.
        const totals = snapshot.sections.flatMap(({ data }) => data.totals);
        const moved = (sign: 1 | -1) =>
          totals.some(
            ({ value, before }) => value !== null && before && sign * Math.round(((value - before) / before) * 1000) > 0,
          );
        const [rose, fell] = { nl: ["grootste stijging", "grootste daling"], en: ["largest rise", "largest fall"] }[locale];
        expect(text.includes(rose as string), `${seed}: ${text}`).to.equal(moved(1));
        expect(text.includes(fell as string), `${seed}: ${text}`).to.equal(moved(-1));
        rises += Number(moved(1));
        falls += Number(moved(-1));
        expect(sentencesOf(text, locale).length, `${seed}: ${text}`).to.be.within(3, 5);
      }
      expect(Math.min(rises, falls)).to.be.greaterThan(50);
    });

  it("says the same of the same figures", () => {
    expect(written(seededSnapshot({ seed: 7 }))).to.equal(written(seededSnapshot({ seed: 7 })));
  });
});

describe("the form of address of a tone", () => {
  const rows: [instructions: string, address: string][] = [
    [HOUSE_TONE.nl.instructions, "formal"],
    [HOUSE_TONE.en.instructions, "formal"],
    ["", "formal"],
    ["Gebruik de je-vorm, niet de u-vorm.", "informal"],
    ["Niet in de je-vorm maar in de u-vorm.", "formal"],
    ["Tutoyeer de lezer.", "informal"],
    ["Write informally, as to a friend.", "informal"],
    ["A formal letter.", "formal"],
  ];
  for (const [instructions, address] of rows)
    it(`is ${address} for "${instructions.slice(0, 40)}"`, () => expect(addressOf(instructions)).to.equal(address));
});

describe("the goals below the summary", () => {
  it("are one a line, without bullets", () =>
    expect(goalsTable("- Meer aanvragen\n\n2. 40% meer verkeer ")?.rows).to.deep.equal([
      ["Meer aanvragen"],
      ["40% meer verkeer"],
    ]));
  it("are no table without a goal", () => expect([goalsTable(null), goalsTable("  \n")]).to.deep.equal([null, null]));
  it("lend no number to the texts", () => {
    const table = goalsTable("40% meer verkeer");
    const snapshot = snapshotOf("nl", { ...WHOLE, [SUMMARY]: { totals: [], ...(table && { table }) } });
    const { invented } = withoutInvented("Het bezoek steeg met 40% meer verkeer.", "nl", standingNumbers(snapshot));
    expect(invented).to.deep.equal(["40"]);
  });
});
