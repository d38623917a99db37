import type { Locale } from "../../../core/config/defaults.ts";
import type {
  ReportAudience,
  ReportColumn,
  ReportSectionData,
  ReportSpan,
  ReportTable,
  ReportTotal,
  ReportValueKind,
} from "../../../core/declare/report-sections.ts";
import type { FrozenLook } from "../../../services/reporting/rendering/look.ts";
import { chosenDesign } from "../../../services/reporting/rendering/render.ts";
import { type DrawnReport, reportHtml } from "../../../services/reporting/rendering/report-document.ts";
import type { Snapshot } from "../../../services/reporting/snapshot.ts";
import { LOOK } from "../../unit/reporting/seeded-snapshot.ts";

/** Reports as agencies send them, and as they should not look: one for each thing that has gone wrong in print. */
const MONTH: ReportSpan = { start: "2026-10-01", end: "2026-10-31" };
const YEAR_BEFORE: ReportSpan = { start: "2025-10-01", end: "2025-10-31" };

const both = (nl: string, en: string) => ({ nl, en });
const column = (key: string, nl: string, en: string, kind: ReportValueKind, adds = false): ReportColumn => ({
  key,
  label: both(nl, en),
  kind,
  adds,
});
const total = (
  key: string,
  nl: string,
  en: string,
  kind: ReportValueKind,
  value: number,
  before: number | null,
): ReportTotal => ({
  key,
  label: both(nl, en),
  kind,
  value,
  before,
});

/** How a report differs from an ordinary one. */
interface Figures {
  locale: Locale;
  /** Visits of a day. */
  visits: number;
  isCompared: boolean;
  span: ReportSpan;
  /** Names of pages, channels and search terms. */
  names: readonly string[];
}

const daysOf = ({ start, end }: ReportSpan): number[] => {
  const [first, last] = [Number(start.slice(8)), Number(end.slice(8))];
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
};

function traffic({ locale, visits, isCompared, span, names }: Figures): ReportSectionData {
  const before = (value: number) => (isCompared ? value : null);
  const days = daysOf(span);
  const sum = visits * days.length;
  const month = locale === "nl" ? "okt" : "Oct";
  return {
    totals: [
      total("sessions", "Bezoeken", "Visits", "count", sum, before(Math.round(sum * 0.84))),
      total("totalUsers", "Bezoekers", "Visitors", "count", Math.ceil(sum * 0.7), before(Math.round(sum * 0.61))),
      total("newUsers", "Nieuwe bezoekers", "New visitors", "count", Math.ceil(sum * 0.4), before(Math.round(sum * 0.42))),
      total("engagementRate", "Betrokken bezoeken", "Engaged visits", "percent", 58.01, before(57.98)),
    ],
    series: {
      kind: "line",
      label: both("Bezoeken", "Visits"),
      valueKind: "count",
      points: days.map((day) => ({
        key: `${day} ${month}`,
        value: visits < 10 ? visits : visits + ((day * 37) % 90) - 45,
        before: before(visits < 10 ? 2 : visits + ((day * 53) % 80) - 50),
      })),
    },
    table: {
      columns: [
        column("channel", "Kanaal", "Channel", "text"),
        column("sessions", "Bezoeken", "Visits", "count", true),
        column("share", "Aandeel", "Share", "percent", true),
        column("before", "Vorige periode", "Previous period", "count", true),
        column("delta", "Verschil", "Change", "percent"),
      ],
      rows: names.slice(0, sum < 5 ? 1 : 5).map((name, at) => {
        const value = Math.max(1, Math.round(sum / 2 ** (at + 1)));
        return [name, value, (value / sum) * 100, before(Math.round(value * 0.9)), before(11.1)];
      }),
    },
  };
}

/** Keywords in three groups, of which 25 are printed. */
function keywords({ locale, isCompared }: Figures, all: number): ReportSectionData {
  const groups = ["Bedrijfsfotografie", "Portretfotografie", "Trouwreportages"];
  const topics = [
    "fotograaf amsterdam centrum",
    "portretfoto laten maken",
    "bedrijfsfotografie",
    "fotostudio huren",
    "trouwfotograaf",
  ];
  const [fresh, risen] = locale === "nl" ? ["Nieuw", "Gestegen"] : ["New", "Improved"];
  const shown = Math.min(25, all);
  return {
    totals: [
      {
        ...total("avg_position", "Gemiddelde positie", "Average position", "decimal", 8.43, isCompared ? 9.1 : null),
        lowerIsBetter: true,
      },
      total("top10", "Zoekwoorden in de top 10", "Keywords in the top 10", "count", 20.97, isCompared ? 21.04 : null),
      total("keywords_ranking", "Zoekwoorden met een positie", "Ranking keywords", "count", all * 0.87, isCompared ? 190 : null),
    ],
    series: {
      kind: "bars",
      label: both("Zoekwoorden", "Keywords"),
      valueKind: "count",
      points: ["top 3", "top 10", "top 30"].map((key, at) => ({
        key: locale === "nl" ? `Zoekwoorden in de ${key}` : `Keywords in the ${key}`,
        value: 7.4 + at * 13.57,
        before: isCompared ? 6 + at * 12 : null,
      })),
    },
    table: {
      columns: [
        column("group", "Groep", "Group", "text"),
        column("keyword", "Zoekwoord", "Keyword", "text"),
        column("begin", "Eerste positie", "Start position", "count"),
        column("end", "Laatste positie", "End position", "count"),
        column("places", "Posities gewonnen", "Positions gained", "count"),
        column("status", "Verloop", "Trend", "text"),
        column("volume", "Zoekvolume per maand", "Searches per month", "count"),
        column("page", "Pagina", "Page", "text"),
      ],
      rows: Array.from({ length: shown }, (_, at) => [
        groups[Math.floor((at * 3) / shown)] as string,
        `${topics[at % topics.length]}${at < topics.length ? "" : ` ${["prijs", "studio", "bedrijf", "buiten"][at % 4]}`}`,
        at % 7 === 0 ? null : 3 + (at % 18),
        1 + (at % 17),
        at % 7 === 0 ? 0 : 2,
        at % 7 === 0 ? fresh : risen,
        9900 - at * 310,
        `https://www.atelierzonneveld.nl/diensten/${(topics[at % topics.length] as string).replaceAll(" ", "-")}/prijzen`,
      ]),
      ...(all > shown && { total_rows: all }),
    },
  };
}

/** Short tables after one another, as they come from websites that have little of everything. */
function visitsFrom(names: readonly string[], { isCompared }: Figures): ReportSectionData {
  const before = (value: number) => (isCompared ? value : null);
  const rows = names.map((name, at) => [
    name,
    240 - at * 50,
    before(200 - at * 40),
    120 - at * 20,
    480 - at * 90,
    61.2 - at * 3,
    at,
  ]);
  const table: ReportTable = {
    columns: [
      column("website", "Website", "Website", "text"),
      column("sessions", "Bezoeken", "Visits", "count", true),
      column("before", "Vorige periode", "Previous period", "count"),
      column("newUsers", "Nieuwe bezoekers", "New visitors", "count", true),
      column("screenPageViews", "Paginaweergaven", "Page views", "count", true),
      column("engagementRate", "Betrokken bezoeken", "Engaged visits", "percent"),
      column("keyEvents", "Conversies", "Conversions", "count", true),
    ],
    rows,
  };
  return { totals: [total("sessions", "Bezoeken", "Visits", "count", 690, before(560))], table };
}

function advertising({ isCompared }: Figures): ReportSectionData {
  const before = (value: number) => (isCompared ? value : null);
  return {
    currency: "EUR",
    totals: [
      total("cost", "Kosten", "Cost", "money", 1234567.89, before(1180000.5)),
      total("impressions", "Vertoningen", "Impressions", "count", 58_240, before(5120)),
      total("clicks", "Klikken", "Clicks", "count", 1904, before(1588)),
      total("ctr", "Doorklikratio", "Click-through rate", "percent", 3.27, before(3.1)),
      total("average_cpc", "Kosten per klik", "Cost per click", "money", 0.6484, before(0.646)),
      total("conversions", "Conversies", "Conversions", "count", 42.5, before(39.25)),
      total("conversion_rate", "Conversieratio", "Conversion rate", "percent", 2.23, before(2.47)),
    ],
    table: {
      columns: [
        column("campaign", "Campagne", "Campaign", "text"),
        column("cost", "Kosten", "Cost", "money", true),
        column("impressions", "Vertoningen", "Impressions", "count", true),
        column("clicks", "Klikken", "Clicks", "count", true),
        column("ctr", "Doorklikratio", "Click-through rate", "percent"),
        column("conversions", "Conversies", "Conversions", "count", true),
        column("cost_per_conversion", "Kosten per conversie", "Cost per conversion", "money"),
      ],
      rows: Array.from({ length: 8 }, (_, at) => [
        `NL | Zoeken | ${["Merknaam", "Portretten", "Bedrijven", "Trouwreportages"][at % 4]} | Concurrentiegerichte campagne ${at + 1}`,
        98_765.43 / (at + 1),
        12_400 - at * 900,
        410 - at * 30,
        3.3 - at * 0.1,
        9.75 - at,
        4012.5 + at * 17,
      ]),
      total_rows: 21,
    },
  };
}

const PROSE = {
  nl: "Het aantal bezoeken steeg, vooral doordat meer mensen de website in Google vonden. Op de pagina met openingstijden bleven bezoekers langer.\n\nWij schrijven deze maand verder aan de pagina's over portretten.",
  en: "Visits went up, mainly because more people found the website in Google. Visitors stayed longer on the page with opening hours.\n\nThis month we carry on writing the pages about portraits.",
};
const NAMES = {
  nl: ["Zoekmachines", "Direct", "Andere websites", "Sociale media", "E-mail"],
  en: ["Search engines", "Direct", "Other websites", "Social media", "Email"],
};
const WRAPPING = {
  nl: { intro: "Beste lezer", footer: "Tot volgende maand" },
  en: { intro: "Dear reader", footer: "Until next month" },
};
const TITLES = {
  nl: ["Verkeer per kanaal", "Bezoek uit zoekmachines", "Posities in zoekmachines", "Advertenties", "Bezoek via andere websites"],
  en: ["Traffic by channel", "Visits from search engines", "Search rankings", "Advertising", "Visits from other websites"],
};
const OWN_BODY = `<h1>{{ client }}</h1><p>{{ period }}</p>{% for section in sections %}<h2>{{ section.title }}</h2>
{% for total in section.totals %}<p>{{ total.label }}: <b>{{ total.value }}</b> {{ total.change.text }}</p>{% endfor %}
{{ section.chart | markup }}{% for table in section.tables %}<table><tr>{% for column in table.columns %}<th>{{ column.label }}</th>{% endfor %}</tr>
{% for row in table.rows %}<tr>{% for cell in row %}<td>{{ cell.text }}</td>{% endfor %}</tr>{% endfor %}</table><p>{{ table.cut }}</p>{% endfor %}{% endfor %}`;

/** What a pictured report is about. */
interface Wanted extends Partial<Figures> {
  audience?: ReportAudience;
  client?: string;
  compared?: ReportSpan;
  hasProse?: boolean;
  /** Keywords that are tracked; none without. */
  tracked?: number;
  look?: Partial<FrozenLook>;
  only?: number;
}

function reportOf({
  locale = "nl",
  audience = "client",
  client = "Atelier Zonneveld",
  span = MONTH,
  compared = YEAR_BEFORE,
  visits = 140,
  isCompared = true,
  names = NAMES[locale],
  hasProse = true,
  tracked = 0,
  look = {},
  only = 5,
}: Wanted): DrawnReport {
  const figures: Figures = { locale, visits, isCompared, span, names };
  const data = [
    traffic(figures),
    visitsFrom(["google", "bing", "duckduckgo", "ecosia"].slice(0, 3 + (only % 2)), figures),
    ...(tracked > 0 ? [keywords(figures, tracked)] : []),
    advertising(figures),
    visitsFrom(["partner.example", "fotografie-in-nederland.example", "gids.example"], figures),
  ].slice(0, only);
  const titles = TITLES[locale].filter((_, at) => tracked > 0 || at !== 2);
  const sections: Snapshot["sections"] = data.map((one, at) => ({
    key: `pictured.${at}`,
    title: titles[at] as string,
    data: one,
  }));
  return {
    data_snapshot: { locale, audience, client, span, compared, sections },
    look: { ...LOOK, ...WRAPPING[locale], ...look } as DrawnReport["look"],
    narrative: hasProse ? Object.fromEntries(sections.map(({ key }) => [key, PROSE[locale]])) : {},
  };
}

const day = (date: string): ReportSpan => ({ start: date, end: date });
const LONG_NAME = "Stichting Samenwerkende Amateurfotografen en Beeldmakers Noord-Holland en omstreken te Hoorn";

/** The twelve reports, by what each of them shows. */
export const PICTURED: Readonly<Record<string, DrawnReport>> = {
  "one day": reportOf({ span: day("2026-10-15"), compared: day("2025-10-15"), visits: 6 }),
  "one visit": reportOf({ span: day("2026-10-15"), compared: day("2025-10-15"), visits: 1, only: 1 }),
  "no comparison": reportOf({ isCompared: false, tracked: 12 }),
  "230 keywords in three groups": reportOf({ tracked: 230 }),
  "a client with a name of 90 characters": reportOf({ client: LONG_NAME, audience: "internal", tracked: 230 }),
  "names in Arabic": reportOf({
    client: "شركة النور للتصوير الفوتوغرافي",
    names: ["محركات البحث", "مباشر", "مواقع أخرى (12)", "وسائل التواصل", "بريد"],
    locale: "en",
  }),
  "names in Japanese": reportOf({
    client: "東京フォトスタジオ株式会社",
    names: ["検索エンジン", "ダイレクト", "他のウェブサイト", "ソーシャルメディア", "メール"],
    locale: "en",
  }),
  "in Dutch, for a client": reportOf({}),
  "in English, for a client": reportOf({ locale: "en", tracked: 230 }),
  "in English, internal": reportOf({ locale: "en", audience: "internal", tracked: 230 }),
  "an own template": reportOf({
    look: { ...chosenDesign({ design: "custom", custom_html: OWN_BODY, custom_css: "td { padding: 1mm }" }) },
    tracked: 60,
  }),
  "without texts of a model": reportOf({ hasProse: false, tracked: 230 }),
};

/** A pictured report as a page. Call it in a request of an organisation: an own template runs in that organisation's threads. */
export const picturedHtml = (name: string): Promise<string> => reportHtml(PICTURED[name] as DrawnReport);
