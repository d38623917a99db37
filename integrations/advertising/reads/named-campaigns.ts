import { idOf } from "./ads-row.ts";
import { isNot, queryText } from "./query-text.ts";
import type { Ask } from "./read.ts";

/** Most campaigns whose names are matched. */
const MOST = 2000;

/** Case does not count, nor does the encoding of accents. */
const folded = (text: string): string => text.normalize("NFC").toLowerCase();

/**
 * The ids of campaigns whose names contain one of the texts, ignoring case. Reads all names and matches here, so the texts never reach the
 * provider.
 * @returns null without texts
 */
export async function namedCampaigns(
  ask: Ask,
  texts: readonly string[],
  withRemoved: boolean,
): Promise<readonly string[] | null> {
  const wanted = texts.map((text) => folded(text.trim())).filter((text) => text !== "");
  if (wanted.length === 0) return null;
  const rows = await ask(
    queryText({
      from: "campaign",
      select: ["campaign.id", "campaign.name"],
      where: withRemoved ? [] : [isNot("campaign.status", "REMOVED")],
      limit: MOST,
    }),
  );
  return rows
    .filter(({ campaign }) => wanted.some((text) => folded(campaign?.name ?? "").includes(text)))
    .map(({ campaign }) => idOf(campaign?.id));
}
