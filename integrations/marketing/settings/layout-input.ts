import { nearestNames } from "../../../core/config/nearest-name.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { isLine } from "../../../core/schema/schema.ts";
import type { MarketingSource } from "../sources/source.ts";
import { LABEL_LOCALES, type Layout, LONGEST_LABEL, type LocalizedText, namesEvents, type SourceLayout } from "./layout.ts";

const MOST_EVENTS = 50;
const LONGEST_EVENT = 100;

type Shape = Record<string, unknown>;

/** An invalid layout; reported as one error of the field, with the nearest known name by location where a name is unknown. */
class Refused extends Error {
  readonly nearest: Readonly<Record<string, string>>;

  constructor(nearest: Readonly<Record<string, string>> = {}) {
    super();
    this.nearest = nearest;
  }
}

/** @throws Refused unless every name is known */
function requireKnown(names: readonly string[], known: readonly string[], at: string): void {
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Refused(
      nearestNames(
        unknown.map((name) => [`${at}.${name}`, name]),
        known,
      ),
    );
}

function require(condition: boolean): asserts condition {
  if (!condition) throw new Refused();
}

function shapeOf(value: unknown): Shape {
  require(typeof value === "object" && value !== null && !Array.isArray(value));
  return value as Shape;
}

/** A list of known names without duplicates. */
function namesOf(value: unknown, known: Readonly<Record<string, unknown>>): string[] {
  require(Array.isArray(value));
  const names = value as unknown[];
  require(names.every((name) => typeof name === "string" && Object.hasOwn(known, name)));
  require(new Set(names).size === names.length);
  return names as string[];
}

/** A text by language; drops blank ones. */
function textOf(value: unknown): LocalizedText {
  const entries = Object.entries(shapeOf(value));
  for (const [locale, text] of entries) {
    require((LABEL_LOCALES as readonly string[]).includes(locale));
    require(typeof text === "string" && [...text].length <= LONGEST_LABEL && isLine(text));
  }
  return Object.fromEntries(entries.filter(([, text]) => (text as string).trim() !== ""));
}

function textsOf(value: unknown, isKnown: (name: string) => boolean): Record<string, LocalizedText> {
  const entries = Object.entries(shapeOf(value));
  require(entries.every(([name]) => isKnown(name)));
  return Object.fromEntries(entries.map(([name, text]) => [name, textOf(text)] as const).filter(([, text]) => hasAny(text)));
}

const hasAny = (value: object): boolean => Object.keys(value).length > 0;
const isEventName = (name: string): boolean => [...name].length >= 1 && [...name].length <= LONGEST_EVENT;

function eventLabels(source: MarketingSource, value: unknown): Record<string, LocalizedText> {
  require(namesEvents(source) && Object.keys(shapeOf(value)).length <= MOST_EVENTS);
  return textsOf(value, isEventName);
}

const PARTS: { readonly [Part in keyof SourceLayout]-?: (source: MarketingSource, value: unknown) => SourceLayout[Part] } = {
  tiles: (source, value) => namesOf(value, source.metrics),
  labels: (source, value) => textsOf(value, (name) => Object.hasOwn(source.metrics, name)),
  // Some sources have fixed drilldowns.
  drilldowns: (source, value) => namesOf(value, source.fixedDrilldowns ? {} : source.drilldowns),
  chart_metric: (source, value) => {
    require(typeof value === "string" && Object.hasOwn(source.metrics, value));
    return value as string;
  },
  event_labels: eventLabels,
  hidden: (_source, value) => {
    require(typeof value === "boolean");
    return value as boolean;
  },
};

function ofSource(source: MarketingSource | undefined, value: unknown, at: string): SourceLayout {
  require(source !== undefined);
  const sent = Object.entries(shapeOf(value)).filter(([, part]) => part !== null);
  requireKnown(
    sent.map(([name]) => name),
    Object.keys(PARTS),
    at,
  );
  return Object.fromEntries(sent.map(([name, part]) => [name, PARTS[name as keyof SourceLayout](source, part)]));
}

/**
 * Reads a layout from a request body. Null or a layout without sources clears it; parts of a source that are missing or null use the
 * defaults.
 * @throws 422 `layout`, with the nearest known name of an unknown one in `details`
 */
export function readLayout(sources: ReadonlyMap<string, MarketingSource>, value: Shape | null): Layout | null {
  if (value === null) return null;
  try {
    requireKnown(Object.keys(value), ["sources"], "layout");
    const entries = Object.entries(shapeOf(value["sources"] ?? {}));
    requireKnown(
      entries.map(([key]) => key),
      [...sources.keys()],
      "layout.sources",
    );
    const read = entries.map(([key, entry]) => [key, ofSource(sources.get(key), entry, `layout.sources.${key}`)] as const);
    return read.length === 0 ? null : { sources: Object.fromEntries(read) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { nearest } = error;
    throw invalid({ layout: "errors.validation" }, Object.keys(nearest).length > 0 ? nearest : undefined);
  }
}
