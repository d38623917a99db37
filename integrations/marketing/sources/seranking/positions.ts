import { listOf, numberIn, requireObject, textIn, WrongShape } from "../answer-shapes.ts";
import type { RankedKeyword, SourceDay } from "../source.ts";

/** A keyword on one search engine of a project, with its positions by day. */
export interface TrackedKeyword {
  id: string;
  /** Null if the answer lacks the name. */
  keyword: string | null;
  groupId: string | null;
  engineId: string;
  /** Searches per month; null if unknown. */
  volume: number | null;
  /** Landing page last seen; null where unknown. */
  page: string | null;
  /** By day; 0 means not ranking. */
  positions: readonly { date: string; position: number }[];
}

type Fields = Record<string, unknown>;

/** The newest page in `landing_pages`, whose entries are addresses or objects that contain one. */
function pageIn(pages: unknown): string | null {
  const [last] = Array.isArray(pages) ? pages.slice(-1) : [];
  const address = typeof last === "object" && last !== null ? ((last as Fields)["url"] ?? (last as Fields)["page"]) : last;
  return typeof address === "string" && /^https?:\/\//i.test(address) && URL.canParse(address) ? address : null;
}

function positionIn(value: unknown): { date: string; position: number } {
  const { date, pos } = requireObject(value, "position");
  const position = numberIn(pos);
  if (typeof date !== "string" || !/^\d{4}-\d\d-\d\d/.test(date) || position === null)
    throw new WrongShape("a position is invalid");
  return { date: date.slice(0, 10), position };
}

/** Parses the answer of `sites/positions`: one entry per search engine and keyword. @throws WrongShape for another shape */
export function trackedKeywords(answer: unknown): TrackedKeyword[] {
  return listOf(answer, "positions").flatMap((engine) =>
    listOf(engine["keywords"], "keywords").map((keyword) => ({
      id: textIn(keyword["id"]) ?? "",
      keyword: textIn(keyword["name"]),
      groupId: textIn(keyword["group_id"]),
      engineId: textIn(engine["site_engine_id"]) ?? "",
      volume: numberIn(keyword["volume"]),
      page: pageIn(keyword["landing_pages"]),
      positions: listOf(keyword["positions"], "positions of a keyword")
        .map(positionIn)
        .toSorted((one, other) => (one.date < other.date ? -1 : Number(one.date > other.date))),
    })),
  );
}

const mean = (values: readonly number[]): number =>
  Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 100) / 100;

/** Mean position of the ranking keywords, 2 decimals; null if none ranks. */
export function averagePosition(positions: readonly number[]): number | null {
  const ranking = positions.filter((position) => position > 0);
  return ranking.length === 0 ? null : mean(ranking);
}

/** The figures of each day with a position (marketing-ads §2.9). The average is omitted if no keyword ranks. */
export function figuresByDay(keywords: readonly TrackedKeyword[]): SourceDay[] {
  const days = new Map<string, number[]>();
  for (const { positions } of keywords)
    for (const { date, position } of positions) {
      const known = days.get(date);
      if (known) known.push(position);
      else days.set(date, [position]);
    }
  return [...days.entries()]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([day, positions]) => {
      const within = (most: number) => positions.filter((position) => position > 0 && position <= most).length;
      const average = averagePosition(positions);
      return {
        day,
        metrics: {
          ...(average !== null && { avg_position: average }),
          top3: within(3),
          top10: within(10),
          top30: within(30),
          keywords_ranking: within(Number.POSITIVE_INFINITY),
          keywords_tracked: positions.length,
        },
      };
    });
}

/** A keyword's change of position from its first to its last measured day. */
export type Movement = Pick<RankedKeyword, "begin" | "end" | "change" | "status">;

/** The movement of a keyword (marketing-ads §2.9); null if it was never measured. */
export function movementOf({ positions }: Pick<TrackedKeyword, "positions">): Movement | null {
  const begin = positions.at(0)?.position;
  const end = positions.at(-1)?.position;
  if (begin === undefined || end === undefined) return null;
  if (begin === 0 || end === 0) {
    const status = begin === end ? "unchanged" : begin === 0 ? "new" : "dropped";
    return { begin, end, change: 0, status };
  }
  return { begin, end, change: begin - end, status: end < begin ? "improved" : end > begin ? "declined" : "unchanged" };
}

/** Whether a keyword is shown: it ranked `most` or better at either end. */
export const isShown = ({ begin, end }: Movement, most: number): boolean =>
  [begin, end].some((position) => position >= 1 && position <= most);
