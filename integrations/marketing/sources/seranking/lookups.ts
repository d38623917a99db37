import { runtime } from "../../../../core/config/runtime.ts";
import { listOf, textIn } from "../answer-shapes.ts";
import { SourceFailure } from "../source.ts";
import type { SerankingClient } from "./client.ts";
import type { TrackedKeyword } from "./positions.ts";

/** Names by id. */
export type Names = ReadonlyMap<string, string>;

const NONE: Names = new Map();

const namesIn =
  (name: (one: Record<string, unknown>) => string | null) =>
  (answer: unknown): Names =>
    new Map(
      listOf(answer, "names").flatMap((one) => {
        const [id, named] = [textIn(one["id"]), name(one)];
        return id === null || named === null ? [] : [[id, named] as const];
      }),
    );

/** Returns no names if the look-up is refused, so figures are shown under ids. */
const orNone = (names: Promise<Names>): Promise<Names> =>
  names.catch((error: unknown) => {
    if (error instanceof SourceFailure) return NONE;
    throw error;
  });

/** Names of the groups of a project. */
export const groupNames = (client: SerankingClient, siteId: string): Promise<Names> =>
  orNone(
    client.ask(
      "/project-management/keywords/groups",
      { site_id: siteId },
      namesIn((one) => textIn(one["name"]) ?? textIn(one["title"])),
    ),
  );

/** Looks up keyword names if some positions lack them. */
export function keywordNames(client: SerankingClient, siteId: string, keywords: readonly TrackedKeyword[]): Promise<Names> {
  if (keywords.every(({ keyword }) => keyword !== null)) return Promise.resolve(NONE);
  return orNone(
    client.ask(
      "/project-management/keywords",
      { site_id: siteId },
      namesIn((one) => textIn(one["name"])),
    ),
  );
}

/**
 * Labels of a project's search engines: name and region. The path of the names is configurable because it can answer 404; the id is then
 * the label.
 */
export async function engineLabels(client: SerankingClient, siteId: string): Promise<Names> {
  const names = await orNone(
    client.ask(
      runtime().config.serankingEnginesPath,
      {},
      namesIn((one) => textIn(one["name"])),
    ),
  );
  return orNone(
    client.ask("/project-management/sites/search-engines", { site_id: siteId }, (answer) => {
      const labels = listOf(answer, "search engines").flatMap((one) => {
        const [id, engine] = [textIn(one["site_engine_id"]), textIn(one["search_engine_id"])];
        if (id === null) return [];
        const name = engine === null ? id : (names.get(engine) ?? engine);
        return [[id, [name, textIn(one["region_name"])].filter((part) => part !== null).join(" ")] as const];
      });
      return new Map(labels);
    }),
  );
}
