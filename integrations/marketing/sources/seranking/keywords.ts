import type { MarketingLinkRow } from "../../models.ts";
import type { RankedKeyword, Span } from "../source.ts";
import type { SerankingClient } from "./client.ts";
import { engineLabels, groupNames, keywordNames } from "./lookups.ts";
import { isShown, movementOf, type TrackedKeyword, trackedKeywords } from "./positions.ts";

/** Positions of a project in a span. @param pages whether to include landing pages */
export const positionsOf = (
  client: SerankingClient,
  { external_id }: Pick<MarketingLinkRow, "external_id">,
  { from, to }: Span,
  pages = false,
): Promise<TrackedKeyword[]> =>
  client.ask(
    "/project-management/sites/positions",
    { site_id: external_id, date_from: from, date_to: to, ...(pages && { with_landing_pages: 1 }) },
    trackedKeywords,
  );

const inOrder = (one: RankedKeyword, other: RankedKeyword): number =>
  (one.group ?? "").localeCompare(other.group ?? "", "en") ||
  one.keyword.localeCompare(other.keyword, "en") ||
  (one.engine ?? "").localeCompare(other.engine ?? "", "en");

/**
 * All keywords that ranked up to `max_position` on the first or last day of a span, by group, then keyword. Names the engine if the project
 * has several.
 */
export async function rankedKeywords(
  client: SerankingClient,
  link: Pick<MarketingLinkRow, "external_id">,
  span: Span,
  { max_position }: { max_position: number },
): Promise<RankedKeyword[]> {
  const { external_id: siteId } = link;
  const tracked = await positionsOf(client, link, span, true);
  const shown = tracked.flatMap((keyword) => {
    const movement = movementOf(keyword);
    return movement && isShown(movement, max_position) ? [{ ...keyword, movement }] : [];
  });
  if (shown.length === 0) return [];
  const hasEngines = new Set(tracked.map(({ engineId }) => engineId)).size > 1;
  const [groups, names, engines] = await Promise.all([
    groupNames(client, siteId),
    keywordNames(client, siteId, shown),
    hasEngines ? engineLabels(client, siteId) : null,
  ]);
  return shown
    .map(({ id, keyword, groupId, engineId, volume, page, movement }) => ({
      keyword: keyword ?? names.get(id) ?? id,
      group: groupId === null ? null : (groups.get(groupId) ?? groupId),
      engine: engines && (engines.get(engineId) ?? engineId),
      page,
      ...movement,
      volume,
      impressions: null,
    }))
    .toSorted(inOrder);
}
