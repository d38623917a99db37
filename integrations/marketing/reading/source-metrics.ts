import { addDays, daysInclusive, earlier, type IsoDate } from "../../../core/calendar/dates.ts";
import type { Static } from "../../../core/schema/schema.ts";
import type { WantedValue } from "../jobs/link-jobs.ts";
import type { AskedSpan, compareWindow } from "../periods/asked-span.ts";
import { type Kpi, kpiOf, type MissingDays, pendingKpi } from "../periods/kpi.ts";
import { type ShownSource, shownOf } from "../settings/layout.ts";
import type { MarketingSource } from "../sources/source.ts";
import { isPeriodMetric } from "./aggregates.ts";
import { hasChannels, type LinkFigures, NO_FIGURES, type PeriodValues } from "./figure-rows.ts";
import type { Head, HeadLink } from "./metrics-head.ts";
import type { SourceMetrics } from "./metrics-schemas.ts";
import { channelsOf, seriesOf } from "./stored-days.ts";

/** The data for a response about one client. */
export interface Reading {
  head: Head;
  span: AskedSpan;
  window: ReturnType<typeof compareWindow>;
  today: IsoDate;
  figures: ReadonlyMap<string, LinkFigures>;
  values: PeriodValues;
  dates: IsoDate[];
  /** The caller; null for client logins, who do not see the owners of connections. */
  viewer: { accountId: string | null } | null;
  /** Collects the values that are not stored yet. */
  wanted: WantedValue[];
}

type Answered = Static<typeof SourceMetrics>;

function healthOf(source: MarketingSource, link: HeadLink): string {
  if (source.credential.kind === "grant" && !link.is_connected) return "disconnected";
  if (link.last_error !== null) return "error";
  return link.has_days ? "ok" : "pending";
}

/** The whole-span values of both spans; adds missing ones to `reading.wanted`. */
function periodKpi(reading: Reading, link: HeadLink, name: string, lowerIsBetter: boolean, missing: MissingDays): Kpi {
  const { window, values, today } = reading;
  const spans = [
    { start: window.current_start, end: window.current_end },
    { start: window.start, end: window.end },
  ];
  // A span that has not begun has no visitors.
  const found = spans.map(({ start, end }) => (start >= today ? 0 : values.of(link.id, name, start, end)));
  const [current, previous] = found;
  if (current !== undefined && previous !== undefined) return kpiOf(current, previous, lowerIsBetter, missing);
  for (const [at, { start, end }] of spans.entries())
    if (found[at] === undefined) reading.wanted.push({ link_id: link.id, start, end });
  return pendingKpi(lowerIsBetter, missing);
}

function kpisOf(reading: Reading, source: MarketingSource, link: HeadLink, figures: LinkFigures, shown: ShownSource) {
  const { missing } = figures;
  return Object.fromEntries(
    shown.tiles.map((name) => {
      const { lowerIsBetter = false, mirrors = name } = source.metrics[name] as MarketingSource["metrics"][string];
      if (isPeriodMetric(source, name)) return [name, periodKpi(reading, link, mirrors, lowerIsBetter, missing)];
      return [name, kpiOf(figures.current[name] ?? 0, figures.previous[name] ?? 0, lowerIsBetter, missing)];
    }),
  );
}

/** The last day that counts; null if none does. */
function dataUntil({ span, today }: Reading, { behind }: LinkFigures): IsoDate | null {
  const until = earlier(span.to, addDays(today, -1 - behind));
  return until < span.from ? null : until;
}

/** An active link with the figures that the caller may see; null if the link is hidden from the caller. */
export function sourceMetrics(reading: Reading, source: MarketingSource, link: HeadLink, isManager: boolean): Answered | null {
  const { head, dates, viewer } = reading;
  const shown = shownOf(source, head);
  if (shown.hidden && !isManager) return null;
  const figures = reading.figures.get(link.id) ?? NO_FIGURES;
  const until = dataUntil(reading, figures);
  const labels = shown.tiles.flatMap((name) => (shown.labels[name] ? [[name, shown.labels[name]] as const] : []));
  const configured = link.config["currency"];
  return {
    link_id: link.id,
    source: source.key,
    display_name: link.display_name,
    external_id: link.external_id,
    website_id: link.website_id,
    website_name: link.website_name,
    health: healthOf(source, link),
    last_error: link.last_error,
    last_synced_at: link.last_synced_at,
    connection_owner: viewer && link.owner && { ...link.owner, is_me: link.owner.user_id === viewer.accountId },
    currency: link.currency ?? (typeof configured === "string" ? configured : null),
    deep_link: source.deepLink(link, link.site_address),
    data_until: until,
    primary_metric: shown.chart_metric,
    missing_days: figures.missing.current,
    previous_missing_days: figures.missing.previous,
    kpis: kpisOf(reading, source, link, figures, shown),
    series: { dates, metrics: seriesOf(figures.days, source, shown.tiles, dates.length), missing: figures.unread ?? [] },
    channels: hasChannels(source) ? channelsOf(figures.days, until === null ? 0 : daysInclusive(reading.span.from, until)) : null,
    tiles: shown.tiles,
    tile_labels: Object.fromEntries(labels) as Answered["tile_labels"],
    drilldowns: shown.drilldowns,
    hidden: shown.hidden,
  };
}
