import { expect } from "chai";
import type { ReportSectionData } from "../../../core/declare/report-sections.ts";
import { inventedNumber } from "../../../services/reporting/prose/invented-numbers.ts";
import { spelledNumbers } from "../../../services/reporting/prose/spelled-numbers.ts";
import { standingNumbers } from "../../../services/reporting/prose/standing-numbers.ts";
import type { Snapshot } from "../../../services/reporting/snapshot.ts";

const label = { nl: "Bezoeken", en: "Visits" };
const data: ReportSectionData = {
  currency: "EUR",
  totals: [
    { key: "sessions", label, kind: "count", value: 4285, before: 3613 },
    { key: "bounce", label, kind: "percent", value: 41.24, before: 44.8, lowerIsBetter: true },
    { key: "duration", label, kind: "seconds", value: 96.4, before: 81 },
    { key: "impressions", label, kind: "count", value: 58_240, before: 5120 },
    { key: "cost", label, kind: "money", value: 1234.56, before: null },
    { key: "position", label, kind: "decimal", value: 9.7, before: -3.2 },
  ],
  table: {
    columns: [
      { key: "query", label: { nl: "Zoekwoord", en: "Search term" }, kind: "text" },
      { key: "clicks", label: { nl: "Klikken", en: "Clicks" }, kind: "count", adds: true },
    ],
    rows: [
      ["iphone 15 hoes", 310],
      ["hoes", 252],
      ["glas", 140],
      ["tas", 1],
      ["pen", 1],
    ],
  },
  series: {
    kind: "share",
    label,
    valueKind: "count",
    points: [
      { key: "2026-02-10", value: 75, before: null },
      { key: "Direct", value: 25, before: null },
    ],
  },
  final_until: "2026-02-26",
};
const snapshot: Snapshot = {
  locale: "nl",
  audience: "client",
  client: "Studio 54",
  span: { start: "2026-02-01", end: "2026-02-28" },
  compared: { start: "2025-02-01", end: "2025-02-28" },
  sections: [{ key: "sample.traffic", title: "Bezoek", data }],
};

describe("numbers of prose that are in the snapshot (workspace-reporting §1.5)", () => {
  const standing = standingNumbers(snapshot);
  const rows: [about: string, sentences: string[]][] = [
    ["as Dutch writes it", ["4.285 bezoeken", "€ 1.234,56", "41,2%", "41,24 procent", "58.240 keer vertoond", "4285 bezoeken"]],
    ["as English writes it", ["4,285 visits", "€1,234.56", "41.2%", "41.2 percent", "EUR1,234.56"]],
    ["with spaces between groups", ["58\u00a0240 vertoningen", "58\u202f240 vertoningen", "58'240 vertoningen"]],
    [
      "rounded",
      ["ongeveer 4.300", "about 4,000 visits", "41%", "bijna 60.000", "€ 1.235", "€ 1.200", "positie 10", "9,7", "1,6 minuten"],
    ],
    ["cut off", ["ruim 4.200", "more than 58,000", "over 1,200 euro"]],
    ["with a word for its size", ["4,3 duizend", "58 thousand", "58k vertoningen", "ruim 4 duizend"]],
    ["without sign", ["−3,2", "-3.2", "een daling van 3,2"]],
    ["a change as a percentage", ["+18,6%", "18.6 per cent", "19 procent meer", "−7,9%", "8% lower", "negentien procent"]],
    ["a change as a factor", ["11,4×", "11.4x as many", "ruim 11 keer zoveel", "eleven times as many"]],
    ["a share that the chart prints", ["75,0%", "een kwart: 25 procent"]],
    ["a sum of the folded tail", ["Overig: 2 klikken"]],
    ["a duration", ["1:36", "1 minuut en 36 seconden", "1 min 36 sec", "96 seconden", "2 minutes", "81 seconds"]],
    [
      "a date of the report",
      ["28 februari 2026", "28 February 2026", "February 28th, 2026", "28-02-2026", "2026-02-28", "28 feb. 2026"],
    ],
    [
      "a range of dates",
      ["1 t/m 28 februari 2026", "1–28 February 2026", "van 1 februari tot en met 28 februari", "1 februari tot 28 februari"],
    ],
    ["a day that the figures have", ["op 10 februari", "on 10 February", "tot en met 26 februari definitief"]],
    [
      "a month or year of a span",
      ["in februari 2026", "Februari 2025", "in 2025", "compared with 2025", "Q1 2026", "kwartaal 1"],
    ],
    ["a number of a name", ["Studio 54", "iphone 15"]],
    ["digits inside a word", ["GA4", "de H1 van de pagina", "CO2"]],
    ["as an ordinal", ["de 10e plek", "1ste", "the 2nd"]],
    ["in words", ["driehonderdtien klikken", "three hundred and ten clicks", "tweehonderdtweeënvijftig", "vierduizend"]],
    ["small words", ["drie dingen vallen op", "two things stand out", "één pagina", "in de eerste week"]],
    ["in digits of another script", ["٤٢٨٥ زيارة", "４２８５ visits", "४२८५"]],
  ];
  for (const [about, sentences] of rows)
    for (const sentence of sentences)
      it(`keeps one ${about}: ${sentence}`, () => {
        expect(inventedNumber(sentence, standing)).to.equal(null);
      });
});

describe("numbers of prose that the snapshot does not hold", () => {
  const standing = standingNumbers(snapshot);
  const rows: [sentence: string, found: string][] = [
    ["4.286 bezoeken", "4.286"],
    ["4,286 visits", "4,286"],
    ["ongeveer 7.000 bezoeken", "7.000"],
    ["4.500 bezoeken", "4.500"],
    ["ruim 3.000", "3.000"],
    ["1 miljoen vertoningen", "1"],
    ["42,0%", "42,0"],
    ["4.285%", "4.285"],
    ["672 bezoeken meer dan vorig jaar", "672"],
    ["17 procent", "17"],
    ["seventeen percent", "seventeen"],
    ["twintig keer zoveel", "twintig"],
    ["31 maart 2026", "31 maart 2026"],
    ["27 februari 2026", "27 februari 2026"],
    ["2026-02-27", "2026-02-27"],
    ["February 27, 2026", "February 27, 2026"],
    ["2 t/m 28 februari 2026", "2 t/m 28 februari 2026"],
    ["in maart 2026", "maart 2026"],
    ["in 2024", "2024"],
    ["in Q3", "Q3"],
    ["1:37", "1:37"],
    ["2 minuten en 36 seconden", "2 minuten en 36 seconden"],
    ["the 7th position", "7"],
    ["24/7 bereikbaar", "24"],
    ["1.2.3", "1.2.3"],
    ["12.34,5", "12.34,5"],
    ["zeventienhonderdvijftig bezoeken", "zeventienhonderdvijftig"],
    ["vijfhonderd klikken", "vijfhonderd"],
    ["five hundred clicks", "five hundred"],
    ["twee miljoen", "twee miljoen"],
    ["⅞ van de bezoekers", "⅞"],
    ["٧٠٠٠ زيارة", "7000"],
    ["iphone 16", "16"],
    ["USD500", "500"],
  ];
  for (const [sentence, found] of rows)
    it(`finds ${found} in: ${sentence}`, () => {
      expect(inventedNumber(sentence, standing)).to.equal(found);
    });
});

describe("numbers in words", () => {
  const rows: [text: string, ...values: number[]][] = [
    ["eenentwintig", 21],
    ["tweeëntwintig en drieendertig", 22, 33],
    ["negenennegentig", 99],
    ["honderd", 100],
    ["honderdtwaalf", 112],
    ["honderdentwaalf", 112],
    ["twaalfhonderd", 1200],
    ["tweeduizend driehonderd", 2300],
    ["vierduizendtweehonderdvijfentachtig", 4285],
    ["drie miljoen", 3_000_000],
    ["twenty-one", 21],
    ["ninety nine", 99],
    ["four thousand two hundred and eighty-five", 4285],
    ["twelve hundred", 1200],
    ["a thousand", 1000],
    ["ten, twelve", 10, 12],
    ["een één one eerste first"],
    ["eenheid zesde tientallen achtergrond nauwelijks often"],
  ];
  for (const [text, ...values] of rows)
    it(`reads ${text}`, () => {
      expect(spelledNumbers(text).map(({ value }) => value)).to.deep.equal(values);
    });
});
