import type { MarketingSource } from "../sources/source.ts";

export const LABEL_LOCALES = ["nl", "en"] as const;
/** A text by language; the caller picks. */
export type LocalizedText = Partial<Record<(typeof LABEL_LOCALES)[number], string>>;

/** How one source of a client is shown. What is absent is as by default. */
export interface SourceLayout {
  /** The metrics that are shown, in their order. */
  tiles?: string[];
  /** Names of metrics. */
  labels?: Record<string, LocalizedText>;
  drilldowns?: string[];
  chart_metric?: string;
  /** Names of events, by the event's name at the source. */
  event_labels?: Record<string, LocalizedText>;
  hidden?: boolean;
}

/** A client's curated tab (marketing-ads §2.5). */
export interface Layout {
  sources: Record<string, SourceLayout>;
}

/** The settings of a client that its layout follows from. */
export interface LayoutSettings {
  layout: Layout | null;
  show_key_events: boolean;
}

/** What a source shows of a client. */
export interface ShownSource {
  tiles: string[];
  drilldowns: string[];
  hidden: boolean;
  /** The metric of the chart; empty where no tile is shown. */
  chart_metric: string;
  labels: Record<string, LocalizedText>;
  event_labels: Record<string, LocalizedText>;
}

/** The metric and the drilldown of what an organisation counts as success; a switch of its own shows and hides them. */
const KEY_EVENTS = { metric: "keyEvents", kind: "key_events" } as const;

const metricsOf = (source: MarketingSource): string[] => Object.keys(source.metrics);

/** The metrics that the switch of key events governs: the one itself, and what repeats it. */
const keyEventMetrics = (source: MarketingSource): ReadonlySet<string> =>
  new Set(
    Object.entries(source.metrics).flatMap(([name, { mirrors }]) =>
      name === KEY_EVENTS.metric || mirrors === KEY_EVENTS.metric ? [name] : [],
    ),
  );

const hasKeyEvents = (source: MarketingSource): boolean => Object.hasOwn(source.metrics, KEY_EVENTS.metric);

/** Whether events of a source may have names of a client's own. */
export const namesEvents = (source: MarketingSource): boolean => Object.hasOwn(source.drilldowns, KEY_EVENTS.kind);

const ofSource = (layout: Layout | null, key: string): SourceLayout | undefined =>
  layout !== null && Object.hasOwn(layout.sources, key) ? layout.sources[key] : undefined;

/** What a source shows of a client: its layout, else everything there is (marketing-ads §2.5 "Server-side effect"). */
export function shownOf(source: MarketingSource, { layout, show_key_events }: LayoutSettings): ShownSource {
  const own = ofSource(layout, source.key) ?? {};
  const governed = keyEventMetrics(source);
  // A stored name that the source no longer has is not shown.
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

/** Whether a client's key events are shown: its tiles say so where they are curated, else the switch. */
export function keyEventsShown(sources: Iterable<MarketingSource>, { layout, show_key_events }: LayoutSettings): boolean {
  for (const source of sources) {
    const tiles = hasKeyEvents(source) ? ofSource(layout, source.key)?.tiles : undefined;
    if (tiles !== undefined) return tiles.includes(KEY_EVENTS.metric);
  }
  return show_key_events;
}

/**
 * A layout after the switch of key events was set: curated tiles get both metrics, in the order of the source, or lose them with the drilldown.
 * Tiles that are not curated follow the switch without a change.
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

/** The layout as far as callers know of it who do not manage links: without hidden sources. */
export function withoutHidden(layout: Layout | null): Layout | null {
  if (layout === null) return null;
  const shown = Object.entries(layout.sources).filter(([, { hidden }]) => !hidden);
  return shown.length === 0 ? null : { sources: Object.fromEntries(shown) };
}
