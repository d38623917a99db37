import { expect } from "chai";
import type { ReportSectionData } from "../../../core/declare/report-sections.ts";
import { inventedNumber } from "../../../services/reporting/prose/invented-numbers.ts";
import { standingNumbers } from "../../../services/reporting/prose/standing-numbers.ts";
import type { Snapshot } from "../../../services/reporting/snapshot.ts";

const label = { nl: "Bezoeken", en: "Visits" };
const data: ReportSectionData = {
  currency: "EUR",
  totals: [
    { key: "sessions", label, kind: "count", value: 4285, before: 3613 },
    { key: "leads", label: { nl: "Aanvragen", en: "Enquiries" }, kind: "count", value: 48, before: 24 },
    { key: "calls", label: { nl: "Telefoontjes", en: "Calls" }, kind: "count", value: 60, before: 120 },
    { key: "bounce", label, kind: "percent", value: 41.2, before: 44.8, lowerIsBetter: true },
    { key: "position", label: { nl: "Positie", en: "Position" }, kind: "decimal", value: 4.2, before: 9.7 },
    { key: "cost", label: { nl: "Kosten", en: "Cost" }, kind: "money", value: 1234.56, before: 987.65 },
    { key: "duration", label, kind: "seconds", value: 96, before: 81 },
  ],
  table: {
    columns: [
      { key: "query", label: { nl: "Zoekwoord", en: "Search term" }, kind: "text" },
      { key: "position", label: { nl: "Positie", en: "Position" }, kind: "decimal" },
      { key: "clicks", label: { nl: "Klikken", en: "Clicks" }, kind: "count", adds: true },
    ],
    rows: [
      ["dakkapel 3 meter", 2, 310],
      ["isolatie", 11, 252],
      ["route 66 lampen", 6, 140],
      ["404", 6, 140],
    ],
  },
  series: {
    kind: "share",
    label,
    valueKind: "count",
    points: [
      { key: "Organisch", value: 3214, before: null },
      { key: "Direct", value: 1071, before: null },
    ],
  },
};
const daily: ReportSectionData = {
  totals: [],
  series: {
    kind: "line",
    label,
    valueKind: "count",
    points: Array.from({ length: 31 }, (_, day) => ({
      key: `2026-10-${String(day + 1).padStart(2, "0")}`,
      value: 120 + day,
      before: 100 + day,
    })),
  },
};
const snapshot: Snapshot = {
  locale: "nl",
  audience: "client",
  client: "Bouwbedrijf Noord",
  span: { start: "2026-10-01", end: "2026-10-31" },
  compared: { start: "2025-10-01", end: "2025-10-31" },
  sections: [
    { key: "sample.traffic", title: "Bezoek", data },
    { key: "sample.daily", title: "Per dag", data: daily },
  ],
};
const standing = standingNumbers(snapshot);

/** What the figures give, each sentence alone. */
const TRUE = [
  "Het aantal bezoeken steeg naar 4.285.",
  "Er kwamen 4.285 bezoeken, tegen 3.613 in oktober 2025.",
  "Dat zijn er ruim 4.200.",
  "Het verkeer groeide met 18,6%.",
  "Het verkeer groeide met 18,6 procent.",
  "Een groei van bijna 19 %.",
  "Het aantal aanvragen verdubbelde naar 48.",
  "De aanvragen zijn verdubbeld.",
  "Een verdubbeling van het aantal aanvragen.",
  "Twee keer zoveel aanvragen als vorig jaar.",
  "Het aantal aanvragen was 2x zo hoog.",
  "Het aantal telefoontjes is gehalveerd.",
  "Het aantal telefoontjes halveerde van 120 naar 60.",
  "Er werd de helft minder gebeld.",
  "Het bouncepercentage daalde van 44,8% naar 41,2%.",
  "De gemiddelde positie verbeterde van 9,7 naar 4,2.",
  "De site staat gemiddeld op positie 4,2.",
  "Voor isolatie staat de site op positie 11.",
  "Voor isolatie staat de site op de 11e plek.",
  "Op plek 2 staat een ander zoekwoord.",
  "Van positie 11 naar 6.",
  "De kosten bedroegen € 1.234,56.",
  "De kosten waren ongeveer € 1.235.",
  "Er is 1.234,56 euro uitgegeven, eerder 987,65 euro.",
  "De kosten stegen met 25 procent.",
  "Driekwart van het verkeer is organisch.",
  "Organisch verkeer is goed voor 75 procent.",
  "Een kwart kwam direct op de site.",
  "Een kwart van de bezoekers typte het adres.",
  "¾ van de bezoeken is organisch.",
  "¼ kwam direct.",
  "Op 28 oktober was het druk.",
  "Tussen 1 en 31 oktober kwamen er meer bezoekers.",
  "Van 1 oktober tot en met 31 oktober 2026.",
  "In oktober 2026 ging het goed.",
  "De piek was op 28-10.",
  "De term 404 bracht 140 klikken.",
  "De dag begon met 147 bezoeken.",
  "Het zoekwoord dakkapel 3 meter bracht 310 klikken.",
  "De term 'route 66 lampen' bracht 140 klikken.",
  "Er werd 310 keer geklikt.",
  "Bezoekers bleven gemiddeld 1:36.",
  "Bezoekers bleven gemiddeld 96 seconden.",
  "Een bezoek duurt 1,6 minuten.",
  "Een bezoek duurt 1 minuut en 36 seconden.",
  "Er vallen twee dingen op.",
  "In de eerste week was het rustig.",
  "Dit kwartaal volgt meer.",
  "De derde plek is nabij.",
  "Meer dan tweehonderdvijftig klikken op isolatie.",
  "Met GA4 gemeten.",
  "Het nieuwe kwartaal begint.",
  "Visits rose to 4,285.",
  "There were 4,285 visits, up from 3,613 in October 2025.",
  "That is over 4,200.",
  "Traffic grew by 18.6%.",
  "Traffic grew by 18.6 per cent.",
  "Growth of nearly 19%.",
  "Enquiries doubled to 48.",
  "Enquiries have doubled.",
  "There were twice as many enquiries.",
  "Two times as many enquiries as last year.",
  "Enquiries were 2x higher.",
  "Calls halved.",
  "Calls halved from 120 to 60.",
  "There were half as many calls.",
  "The bounce rate fell from 44.8% to 41.2%.",
  "The average position improved from 9.7 to 4.2.",
  "The site ranks at position 4.2 on average.",
  "It is at position 11 for isolatie.",
  "It holds the 11th place for isolatie.",
  "It is ranked 6 for lamps.",
  "Spending was €1,234.56.",
  "Spending was about EUR 1,235.",
  "The budget was 987.65 euros before.",
  "Costs rose by 25 percent.",
  "Three quarters of the traffic is organic.",
  "Three-quarters of traffic came from search.",
  "A quarter of visitors came directly.",
  "Half of the calls remain.",
  "October 28 was busy.",
  "From 1 to 31 October there were more visitors.",
  "October 2026 went well.",
  "The 28th of October 2026 stood out.",
  "There were 147 visits that day.",
  "The term 'dakkapel 3 meter' brought 310 clicks.",
  "Visitors clicked 310 times.",
  "Visitors stayed 1:36 on average.",
  "Visitors stayed 96 seconds.",
  "A visit takes 1.6 minutes.",
  "Three things stand out.",
  "This quarter brings more.",
  "In the third quarter we start.",
  "Two hundred and fifty-two clicks on isolatie.",
  "The second half starts now.",
  "One page did well.",
];

/** What nothing gives: the number, and the sentence that has to go. */
const INVENTED: [number: string, sentence: string][] = [
  ["31", "Het verkeer steeg met 31 %."],
  ["31", "Het verkeer steeg met 31%."],
  ["1", "Het verkeer steeg met 1 procent."],
  ["17", "Het bouncepercentage daalde met 17 procent."],
  ["28", "Dat kostte maar 28 euro."],
  ["28", "Voor 28 euro per aanvraag."],
  ["28", "Per aanvraag € 28."],
  ["12", "De positie steeg van 12 naar 6."],
  ["3", "Van positie 11 naar 3."],
  ["3", "De site staat op positie 3."],
  ["3", "De site staat op de 3e plek."],
  ["17", "Er kwamen 17 offertes binnen."],
  ["28", "Er kwamen 28 aanvragen binnen."],
  ["31", "Na 31 gesprekken."],
  ["7.404", "Er kwamen 7.404 bezoeken."],
  ["7", "Wij zijn 24/7 bereikbaar."],
  ["28", "De piek was op 28-11."],
];
/** Without the shares that this snapshot gives. */
const plain = standingNumbers({
  ...snapshot,
  sections: [
    {
      key: "sample.traffic",
      title: "Bezoek",
      data: {
        currency: "EUR",
        totals: [
          { key: "sessions", label, kind: "count", value: 4285, before: 3613 },
          { key: "bounce", label, kind: "percent", value: 41.2, before: 44.8 },
          { key: "cost", label, kind: "money", value: 1234.56, before: null },
          { key: "position", label, kind: "decimal", value: 4.2, before: 9.7 },
        ],
      },
    },
  ],
});
const INVENTED_SHARES: [found: string, sentence: string][] = [
  ["verdubbeld", "Het bezoek is verdubbeld."],
  ["verdubbelde", "Het bezoek verdubbelde."],
  ["verdubbeling", "Een verdubbeling van het bezoek."],
  ["verdrievoudigd", "Het bezoek is verdrievoudigd."],
  ["gehalveerd", "Het aantal klachten is gehalveerd."],
  ["halveerde", "Het halveerde."],
  ["driekwart", "Voor driekwart organisch."],
  ["Drie kwart", "Drie kwart van het bezoek."],
  ["een kwart", "Dat is een kwart meer."],
  ["een derde", "Dat is een derde van het bezoek."],
  ["twee derde", "Dat is twee derde van het bezoek."],
  ["de helft", "Dat is de helft van het bezoek."],
  ["⅓", "⅓ van de bezoekers belde."],
  ["½", "½ van de bezoekers belde."],
  ["⅞", "⅞ van de bezoekers belde."],
  ["3", "Het bezoek was 3x zo hoog."],
  ["3", "Het bezoek was 3 keer zo hoog."],
  ["3", "Drie dingen: 3 keer zoveel bezoek."],
  ["tien", "Het is tien keer zo druk."],
  ["tweemaal", "Er was tweemaal zoveel bezoek."],
  ["twice", "There were twice the visits."],
  ["doubled", "Traffic doubled."],
  ["tripled", "Traffic tripled."],
  ["halved", "Complaints were halved."],
  ["Three quarters", "Three quarters of visitors came from search."],
  ["A quarter", "A quarter of visitors called."],
  ["A third", "A third of visitors called."],
  ["Two thirds", "Two thirds of visitors called."],
  ["Half", "Half of visitors called."],
  ["⅔", "⅔ of visitors called."],
  ["3", "Traffic was 3x higher."],
  ["3", "Traffic was 3 times higher."],
  ["three", "There were three times as many visits."],
  ["double", "That is double."],
  ["1.234,56", "Er waren 1.234,56 bezoeken."],
  ["4.285", "Dat kostte € 4.285."],
  ["4.285", "Dat kostte 4.285 euro."],
  ["41,2", "Er kwamen 41,2 bezoeken per uur."],
  ["41", "Er kwamen 41 aanvragen."],
  ["4.285", "Een groei van 4.285 procent."],
  ["1,234.56", "There were 1,234.56 visits."],
  ["4,285", "It cost €4,285."],
  ["41", "There were 41 enquiries."],
  ["12", "From position 12 to 4.2."],
  ["28", "It cost 28 euros."],
  ["17", "There were 17 quotes."],
  ["31", "Traffic rose by 31%."],
  ["31", "There were 31 calls."],
  ["29 oktober 2025", "Op 29 oktober 2025 was het druk."],
  ["1 november", "Op 1 november gaan we verder."],
];

describe("sentences about a report's figures (workspace-reporting §1.5)", () => {
  for (const sentence of TRUE)
    it(`stay: ${sentence}`, () => {
      expect(inventedNumber(sentence, standing)).to.equal(null);
    });
  for (const [found, sentence] of INVENTED)
    it(`go for ${found}: ${sentence}`, () => {
      expect(inventedNumber(sentence, standing)).to.equal(found);
    });
  for (const [found, sentence] of INVENTED_SHARES)
    it(`go for ${found} that no figure gives: ${sentence}`, () => {
      expect(inventedNumber(sentence, plain)).to.equal(found);
    });
});
