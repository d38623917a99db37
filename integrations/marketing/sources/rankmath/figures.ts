import { dateIn, type IsoDate } from "../../../../core/calendar/calendar.ts";
import { listOf, numberIn, requireObject, textIn } from "../answer-shapes.ts";
import type { DrilldownRow, SourceDay } from "../source.ts";

/** A brand that the plugin monitors. */
export interface Brand {
  id: string;
  name: string | null;
  url: string | null;
  locale: string | null;
  lastAnalyzed: string | null;
  /** By our metric names, without those that the plugin reports as null. */
  metrics: Readonly<Record<string, number>>;
}

export interface Overview {
  brands: readonly Brand[];
  /** The plugin could not refresh and returned an earlier day's figures. */
  isStale: boolean;
}

/** Our metric names and the plugin's. */
const METRICS = {
  ai_visibility_score: "score",
  mentions: "mentions",
  citations: "citations",
  avg_sentiment: "avg_sentiment",
  brand_rank: "rank",
} as const;

const numbersOf = (fields: Record<string, unknown>, names: Readonly<Record<string, string>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(names).flatMap(([ours, theirs]) => {
      const value = numberIn(fields[theirs]);
      return value === null ? [] : [[ours, value] as const];
    }),
  );

/** Reads `data` of the overview. @throws WrongShape */
export function overviewIn(data: unknown): Overview {
  const { brands, is_stale } = requireObject(data, "overview");
  return {
    isStale: is_stale === true,
    brands: listOf(brands, "brands").flatMap((brand) => {
      const id = textIn(brand["id"]);
      if (id === null) return [];
      return [
        {
          id,
          name: textIn(brand["name"]),
          url: textIn(brand["url"]),
          locale: textIn(brand["locale"]),
          lastAnalyzed: textIn(brand["last_analyzed"]),
          metrics: numbersOf(brand, METRICS),
        },
      ];
    }),
  };
}

/** The day of a WordPress timestamp in a zone; a timestamp without an offset is UTC. Null for any other text. */
export function dayOf(text: string | null, zone: string): IsoDate | null {
  const written = text?.trim() ?? "";
  if (/^\d{4}-\d\d-\d\d$/.test(written)) return written;
  if (!/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/.test(written)) return null;
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/.test(written);
  const instant = Date.parse(`${written.replace(" ", "T")}${hasZone ? "" : "Z"}`);
  return Number.isNaN(instant) ? null : dateIn(zone, instant);
}

/** The figures of a brand on the day it was last analysed; null if the answer is stale, undated or without metrics (marketing-ads §2.9). */
export function dayIn({ isStale }: Overview, { lastAnalyzed, metrics }: Brand, zone: string): SourceDay | null {
  const day = dayOf(lastAnalyzed, zone);
  return isStale || day === null || Object.keys(metrics).length === 0 ? null : { day, metrics };
}

/** Most rows of a drilldown. */
const MOST = 10;
const NAMES: Readonly<Record<string, readonly string[]>> = {
  competitors: ["name", "brand", "domain", "url"],
  queries: ["query", "prompt", "text", "name"],
};
const FIGURES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  competitors: { score: "score", mentions: "mentions", brand_rank: "rank" },
  queries: { mentions: "mentions", citations: "citations", brand_rank: "rank" },
};

/** Finds the list of a kind in an answer of undocumented shape: the answer itself, its field of that name, or `items`. */
function listIn(data: unknown, kind: string): Record<string, unknown>[] {
  if (Array.isArray(data)) return listOf(data, kind);
  const fields = requireObject(data ?? {}, kind);
  return listOf(fields[kind] ?? fields["items"] ?? [], kind);
}

/** Rows of `competitors` or `queries`, by the first figure, descending. @throws WrongShape */
export function brandRows(data: unknown, kind: string): DrilldownRow[] {
  const first = Object.keys(FIGURES[kind] ?? {})[0] ?? "";
  return listIn(data, kind)
    .flatMap((one): DrilldownRow[] => {
      const label = (NAMES[kind] ?? []).map((name) => textIn(one[name])).find((name) => name !== null);
      if (!label) return [];
      return [{ label, key: textIn(one["id"]), href: null, metrics: numbersOf(one, FIGURES[kind] ?? {}) }];
    })
    .toSorted((one, other) => (other.metrics[first] ?? -1) - (one.metrics[first] ?? -1))
    .slice(0, MOST);
}
