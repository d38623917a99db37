import type { GatherSection, ReportSectionData, ReportTotal } from "../../../core/declare/report-sections.ts";
import { drilledLinks } from "../drilldowns/drilled-links.ts";
import { type ChosenLinks, chosenFor, type LinkGroup } from "./chosen-links.ts";
import { beforeOf, largestFirst, type Merging, mergedRows } from "./merged-rows.ts";
import { comparedTable, percentOf, sectionOf } from "./section-data.ts";
import { type SectionFigures, sectionFigures } from "./section-figures.ts";
import { column, type Words } from "./section-words.ts";

/** A traffic channel and the drilldown of its referrers. */
interface Channel {
  /** The channel's name at the source. */
  name: string;
  /** The drilldown that lists the referrers. */
  kind: string;
  /** Heading of the referrers in the table. */
  heading: "engine" | "website" | "network";
  label: Words;
}

const MERGING: Merging = {
  sessions: "sum",
  newUsers: "sum",
  screenPageViews: "sum",
  engagementRate: { mean: "sessions" },
  keyEvents: "sum",
};

function visitTotals({ name, label }: Channel, figures: SectionFigures, group: LinkGroup): ReportTotal[] {
  const now = figures.channels(group, "current");
  const before = figures.channels(group, "previous");
  if (!now && !before) return [];
  return [{ key: "sessions", label, kind: "count", value: now?.[name] ?? 0, before: before ? (before[name] ?? 0) : null }];
}

async function tablesOf(chosen: ChosenLinks, { kind, heading }: Channel, figures: SectionFigures) {
  const { source, shown, all, span, compared } = chosen;
  // Do not read a drilldown that the client's tab hides.
  if (!shown.drilldowns.includes(kind)) return () => null;
  const rowsOf = await drilledLinks(source, all.links, kind, [span, compared]);
  const hasKeyEvents = shown.tiles.includes("keyEvents");
  const columns = [
    column(heading, "text"),
    column("sessions", "count", true),
    column("before", "count"),
    column("newUsers", "count", true),
    column("screenPageViews", "count", true),
    column("engagementRate", "percent"),
    ...(hasKeyEvents ? [column("keyEvents", "count", true)] : []),
  ];
  return (group: LinkGroup) => {
    const { links } = group;
    const merged = (one: typeof span) =>
      mergedRows(
        links.map(({ id }) => rowsOf(id, one)),
        MERGING,
      );
    const earlier = beforeOf(merged(compared), "sessions");
    const rows = largestFirst(merged(span), "sessions").map((row) => {
      const { sessions = null, newUsers = null, screenPageViews = null, engagementRate, keyEvents = null } = row.metrics;
      const rate = engagementRate === undefined ? null : percentOf(engagementRate);
      return [row.label, sessions, earlier(row), newUsers, screenPageViews, rate, ...(hasKeyEvents ? [keyEvents] : [])];
    });
    return comparedTable(columns, rows, figures.isCompared(group));
  };
}

const visitsFrom =
  (channel: Channel): GatherSection =>
  async (asked): Promise<ReportSectionData | null> => {
    const chosen = await chosenFor(asked, "ga4");
    if (!chosen) return null;
    const figures = await sectionFigures(chosen);
    const visits = visitTotals(channel, figures, chosen.all);
    // Without a visit there are no referrers to read.
    if (!visits.some(({ value, before }) => value || before)) return null;
    const table = await tablesOf(chosen, channel, figures);
    return sectionOf(chosen, (group) => ({ totals: visitTotals(channel, figures, group), table: table(group) }), {
      figures,
    });
  };

/** Visits from search engines, excluding ads. */
export const searchEngines = visitsFrom({
  name: "Organic Search",
  kind: "organic_sources",
  heading: "engine",
  label: { nl: "Bezoeken uit zoekmachines", en: "Visits from search engines" },
});

/** Visits through links on other websites. */
export const referral = visitsFrom({
  name: "Referral",
  kind: "referral_sources",
  heading: "website",
  label: { nl: "Bezoeken via andere websites", en: "Visits from other websites" },
});

/** Visits from social media, excluding ads. */
export const social = visitsFrom({
  name: "Organic Social",
  kind: "social_sources",
  heading: "network",
  label: { nl: "Bezoeken via sociale media", en: "Visits from social media" },
});
