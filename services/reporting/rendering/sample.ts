import type { Locale } from "../../../core/config/defaults.ts";
import type { ReportAudience, ReportColumn, ReportTotal } from "../../../core/declare/report-sections.ts";
import type { ReportContent } from "./report-view.ts";

const total = (
  key: string,
  [nl, en]: readonly [string, string],
  kind: ReportTotal["kind"],
  value: number,
  before: number | null,
  lowerIsBetter = false,
): ReportTotal => ({ key, label: { nl, en }, kind, value, before, lowerIsBetter });
const column = (key: string, nl: string, en: string, kind: ReportColumn["kind"], adds = false): ReportColumn => ({
  key,
  label: { nl, en },
  kind,
  adds,
});

const TEXTS = {
  nl: {
    client: "Atelier Zonneveld",
    traffic: "Bezoek aan de website",
    trafficProse:
      "Het aantal bezoeken steeg, vooral doordat meer mensen de website in Google vonden.\n\nOp de pagina met openingstijden bleven bezoekers langer dan een jaar geleden.",
    found: "Gevonden in Google",
    foundProse: "De website werd vaker getoond en vaker aangeklikt.",
    channels: ["Zoekmachines", "Direct", "Andere websites", "Sociale media", "E-mail"],
    devices: ["Telefoon", "Computer", "Tablet"],
    queries: ["fotograaf amsterdam", "atelier zonneveld", "portretfoto laten maken", "bedrijfsfotografie", "fotostudio huren"],
  },
  en: {
    client: "Sunfield Studio",
    traffic: "Visits to the website",
    trafficProse:
      "Visits went up, mainly because more people found the website in Google.\n\nVisitors stayed longer on the page with opening hours than a year ago.",
    found: "Found in Google",
    foundProse: "The website was shown and clicked more often.",
    channels: ["Search engines", "Direct", "Other websites", "Social media", "Email"],
    devices: ["Phone", "Computer", "Tablet"],
    queries: ["photographer london", "sunfield studio", "portrait photography", "corporate photography", "rent a photo studio"],
  },
} as const;
const SESSIONS = [412, 388, 441, 468, 455, 502, 538, 521, 560];
const SESSIONS_BEFORE = [372, 380, 366, 401, 398, 420, 415, 433, 428];
/** The clicks from each device; they add up to all clicks. */
const DEVICES = [1180, 642, 82];

/** An invented report for template previews, always the same (workspace-reporting §1.2). */
export function sampleReport(locale: Locale, audience: ReportAudience): ReportContent {
  const texts = TEXTS[locale];
  const channels = [2412, 1038, 655, 118, 62];
  return {
    locale,
    audience,
    client: texts.client,
    span: { start: "2026-02-01", end: "2026-02-28" },
    compared: { start: "2025-02-01", end: "2025-02-28" },
    sections: [
      {
        key: "sample.traffic",
        title: texts.traffic,
        prose: texts.trafficProse,
        data: {
          totals: [
            total("sessions", ["Bezoeken", "Visits"], "count", 4285, 3613),
            total("users", ["Bezoekers", "Visitors"], "count", 3120, 2844),
            total("duration", ["Gemiddelde duur", "Average duration"], "seconds", 96, 81),
            total("bounce", ["Bouncepercentage", "Bounce rate"], "percent", 41.2, 44.8, true),
          ],
          series: {
            kind: "line",
            label: { nl: "Bezoeken", en: "Visits" },
            valueKind: "count",
            points: SESSIONS.map((value, index) => ({
              key: `${index * 3 + 1}-2`,
              value,
              before: SESSIONS_BEFORE[index] ?? null,
            })),
          },
          table: {
            columns: [
              column("channel", "Kanaal", "Channel", "text"),
              column("sessions", "Bezoeken", "Visits", "count", true),
              column("conversions", "Conversies", "Conversions", "count", true),
            ],
            rows: texts.channels.map((channel, index) => [
              channel,
              channels[index] ?? 0,
              Math.round((channels[index] ?? 0) / 41),
            ]),
          },
        },
      },
      {
        key: "sample.found",
        title: texts.found,
        prose: texts.foundProse,
        data: {
          totals: [
            total("impressions", ["Vertoningen", "Impressions"], "count", 58_240, 5_120),
            total("clicks", ["Klikken", "Clicks"], "count", 1904, 1588),
            total("position", ["Gemiddelde positie", "Average position"], "decimal", 8.4, 9.7, true),
          ],
          series: {
            kind: "share",
            label: { nl: "Klikken per apparaat", en: "Clicks by device" },
            valueKind: "count",
            points: texts.devices.map((key, index) => ({ key, value: DEVICES[index] ?? 0, before: null })),
          },
          table: {
            columns: [
              column("query", "Zoekwoord", "Search term", "text"),
              column("clicks", "Klikken", "Clicks", "count", true),
              column("position", "Positie", "Position", "decimal"),
            ],
            rows: texts.queries.map((query, index) => [query, 310 - index * 58, 2.1 + index * 1.7]),
          },
          final_until: "2026-02-26",
        },
      },
    ],
  };
}
