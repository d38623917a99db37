import { idOf } from "./ads-row.ts";
import { isNot, queryText } from "./query-text.ts";
import type { Ask } from "./read.ts";

/** Campaigns whose names are looked at. */
const MOST = 2000;

/**
 * The ids of the campaigns whose names have one of some texts in them, whatever their case. The texts stay here: the provider is asked for
 * all names.
 * @returns null where no text is given
 */
export async function namedCampaigns(
  ask: Ask,
  texts: readonly string[],
  withRemoved: boolean,
): Promise<readonly string[] | null> {
  const wanted = texts.map((text) => text.trim().toLowerCase()).filter((text) => text !== "");
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
    .filter(({ campaign }) => wanted.some((text) => (campaign?.name ?? "").toLowerCase().includes(text)))
    .map(({ campaign }) => idOf(campaign?.id));
}
