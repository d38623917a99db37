import type { MarketingSource } from "../sources/source.ts";

export const LABEL_LOCALES = ["nl", "en"] as const;
/** Maximum characters of a custom label. */
export const LONGEST_LABEL = 80;
/** A text by language; the caller picks. */
export type LocalizedText = Partial<Record<(typeof LABEL_LOCALES)[number], string>>;

/** How one source of a client is shown; missing parts use the defaults. */
export interface SourceLayout {
  /** The metrics shown, in order. */
  tiles?: string[];
  /** Custom labels by metric. */
  labels?: Record<string, LocalizedText>;
  drilldowns?: string[];
  chart_metric?: string;
  /** Custom labels by the event's name at the source. */
  event_labels?: Record<string, LocalizedText>;
  hidden?: boolean;
}

/** A client's curated tab (marketing-ads §2.5). */
export interface Layout {
  sources: Record<string, SourceLayout>;
}

/** The client's settings that decide what is shown. */
export interface LayoutSettings {
  layout: Layout | null;
  show_key_events: boolean;
}

/** What a source shows for a client. */
export interface ShownSource {
  tiles: string[];
  drilldowns: string[];
  hidden: boolean;
  /** The metric of the chart; empty without tiles. */
  chart_metric: string;
  labels: Record<string, LocalizedText>;
  event_labels: Record<string, LocalizedText>;
}

/** The metric and drilldown of key events (conversions); a separate switch shows and hides them. */
const KEY_EVENTS = { metric: "keyEvents", kind: "key_events" } as const;

const metricsOf = (source: MarketingSource): string[] => Object.keys(source.metrics);

/** The metrics that the key-event switch controls: `keyEvents` and its mirrors. */
const keyEventMetrics = (source: MarketingSource): ReadonlySet<string> =>
  new Set(
    Object.entries(source.metrics).flatMap(([name, { mirrors }]) =>
      name === KEY_EVENTS.metric || mirrors === KEY_EVENTS.metric ? [name] : [],
    ),
  );

const hasKeyEvents = (source: MarketingSource): boolean => Object.hasOwn(source.metrics, KEY_EVENTS.metric);

/** Whether a client can label the events of a source. */
export const namesEvents = (source: MarketingSource): boolean => Object.hasOwn(source.drilldowns, KEY_EVENTS.kind);

const ofSource = (layout: Layout | null, key: string): SourceLayout | undefined =>
  layout !== null && Object.hasOwn(layout.sources, key) ? layout.sources[key] : undefined;

/** What a source shows for a client: its layout, or everything (marketing-ads §2.5 "Server-side effect"). */
export function shownOf(source: MarketingSource, { layout, show_key_events }: LayoutSettings): ShownSource {
  const own = ofSource(layout, source.key) ?? {};
  const governed = keyEventMetrics(source);
  // Drop a stored name that the source no longer has.
  const tiles = (own.tiles ?? metricsOf(source).filter((name) => show_key_events || !governed.has(name))).filter((name) =>
    Object.hasOwn(source.metrics, name),
  );
  const drilldowns = (own.drilldowns ?? Object.keys(source.drilldowns)).filter(
    (kind) => Object.hasOwn(source.drilldowns, kind) && (kind !== KEY_EVENTS.kind || tiles.includes(KEY_EVENTS.metric)),
  );
  const primary = [own.chart_metric, metricsOf(source)[0]].find((name) => name !== undefined && tiles.includes(name));
  return {
    tiles,
    drilldowns,
    hidden: own.hidden ?? false,
    chart_metric: primary ?? tiles[0] ?? "",
    labels: own.labels ?? {},
    event_labels: own.event_labels ?? {},
  };
}

/** Whether a client's key events are shown: decided by its tiles if they are curated, else by the switch. */
export function keyEventsShown(sources: Iterable<MarketingSource>, { layout, show_key_events }: LayoutSettings): boolean {
  for (const source of sources) {
    const tiles = hasKeyEvents(source) ? ofSource(layout, source.key)?.tiles : undefined;
    if (tiles !== undefined) return tiles.includes(KEY_EVENTS.metric);
  }
  return show_key_events;
}

/**
 * Applies the key-event switch to a layout. Curated tiles gain the key-event metrics in the source's order, or lose them and the drilldown;
 * other tiles follow the switch without a change.
 */
export function withKeyEvents(sources: Iterable<MarketingSource>, layout: Layout | null, on: boolean): Layout | null {
  if (layout === null) return null;
  const changed = { ...layout.sources };
  for (const source of sources) {
    const own = hasKeyEvents(source) ? ofSource(layout, source.key) : undefined;
    if (own?.tiles === undefined) continue;
    const governed = keyEventMetrics(source);
    const tiles = on
      ? metricsOf(source).filter((name) => governed.has(name) || own.tiles?.includes(name))
      : own.tiles.filter((name) => !governed.has(name));
    const drilldowns = on ? own.drilldowns : own.drilldowns?.filter((kind) => kind !== KEY_EVENTS.kind);
    changed[source.key] = { ...own, tiles, ...(drilldowns !== undefined && { drilldowns }) };
  }
  return { sources: changed };
}

/** The layout without hidden sources, for callers who cannot manage links. */
export function withoutHidden(layout: Layout | null): Layout | null {
  if (layout === null) return null;
  const shown = Object.entries(layout.sources).filter(([, { hidden }]) => !hidden);
  return shown.length === 0 ? null : { sources: Object.fromEntries(shown) };
}
