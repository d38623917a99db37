import type { GatherSection } from "../../../core/declare/report-sections.ts";
import { deltaPct } from "../periods/kpi.ts";
import { chosenFor, type LinkGroup } from "./chosen-links.ts";
import { periodPeople } from "./period-people.ts";
import { comparedTable, metricLine, metricTotals, sectionOf } from "./section-data.ts";
import { type SectionFigures, sectionFigures } from "./section-figures.ts";
import { channelName, column } from "./section-words.ts";

const TOTALS = ["sessions", "totalUsers", "newUsers", "engagementRate"];
const COLUMNS = [
  column("channel", "text"),
  column("sessions", "count", true),
  column("share", "percent", true),
  column("before", "count", true),
  column("delta", "percent"),
];

/** The channels of a group, largest first. */
function channelRows(figures: SectionFigures, group: LinkGroup, nameOf: (channel: string) => string) {
  const now = figures.channels(group, "current") ?? {};
  const before = figures.channels(group, "previous");
  const sum = Object.values(now).reduce((total, value) => total + value, 0);
  const names = [...new Set([...Object.keys(now), ...Object.keys(before ?? {})])];
  return names
    .map((name) => ({ name: nameOf(name), value: now[name] ?? 0, earlier: before ? (before[name] ?? 0) : null }))
    .filter(({ value, earlier }) => value !== 0 || (earlier ?? 0) !== 0)
    .toSorted((one, other) => other.value - one.value || one.name.localeCompare(other.name, "en"))
    .map(({ name, value, earlier }) => {
      const share = sum === 0 ? null : (value / sum) * 100;
      return [name, value, share, earlier, earlier === null ? null : deltaPct(value, earlier)];
    });
}

/** Visits to the websites by channel (workspace-reporting §1.3). */
export const gatherTrafficChannels: GatherSection = async (asked) => {
  const chosen = await chosenFor(asked, "ga4");
  if (!chosen) return null;
  const figures = await sectionFigures(chosen);
  const isVisited = (["current", "previous"] as const).some((part) => (figures.totals(chosen.all, part)?.["sessions"] ?? 0) > 0);
  // Without a visit there are no visitor counts to fetch.
  if (!isVisited) return null;
  const people = await periodPeople(chosen);
  const nameOf = (channel: string) => channelName(channel, asked.locale);
  const section = sectionOf(
    chosen,
    (group) => ({
      totals: metricTotals(chosen, TOTALS, group, { figures, values: people }),
      table: comparedTable(COLUMNS, channelRows(figures, group, nameOf), figures.isCompared(group)),
    }),
    { series: metricLine(chosen, "sessions", figures), figures },
  );
  return section && { ...section, role: "origin" };
};
