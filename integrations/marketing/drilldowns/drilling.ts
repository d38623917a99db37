import type { DaySpan } from "../../../core/calendar/named-spans.ts";
import { enqueue } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inRequest } from "../../../mixins/google/transactions.ts";
import { storeAsSystem } from "../../../mixins/tenancy.ts";
import { QUOTA_USED_UP } from "../sources/failures.ts";
import {
  type DrilldownRow,
  type MarketingSource,
  type SourceAccess,
  type SourceCalls,
  SourceFailure,
} from "../sources/source.ts";
import type { AskedLink } from "./asked-link.ts";

/** Rows of a drilldown, or the key of the failure reason. */
export type Drilled = { rows: DrilldownRow[] } | { reason: string };

const PAUSE = statement(`update marketing_links set paused_until = $3 where organisation_id = $1 and id = $2
  and (paused_until is null or paused_until < $3)`);

/** Why a link cannot be read at all; cached answers are not shown then either. Null if it can be read. */
export function unavailable(source: MarketingSource, link: AskedLink): string | null {
  switch (source.credential.kind) {
    case "grant":
      return link.is_connected ? null : "marketing.disconnected";
    case "website":
      if (link.website_id === null) return `marketing.${source.key}_no_website`;
      return link.site_address === null ? `marketing.${source.key}_not_connected` : null;
    case "key":
      return null;
  }
}

/** Whether a link is not read now because its quota is used up. */
const isPaused = ({ paused_until }: AskedLink): boolean => paused_until !== null && Date.parse(paused_until) > Date.now();

const pause = (link: AskedLink, until: string): Promise<void> =>
  storeAsSystem(async () => enqueue(PAUSE, [request().organisation.id, link.id, until]));

/**
 * Asks the source of a link a question. If the answer is that a quota is used up, or used it up itself, every call for the link stops until
 * the quota resets.
 * @returns the answer, or the key of the failure reason
 */
export async function askSource<T>(
  source: MarketingSource,
  link: AskedLink,
  question: (calls: SourceCalls, access: SourceAccess) => Promise<T>,
): Promise<{ answer: T } | { reason: string }> {
  if (isPaused(link)) return { reason: QUOTA_USED_UP };
  const { connection_id: connectionId, website_id: websiteId } = link;
  const access: SourceAccess = { transactions: inRequest, connectionId, websiteId };
  try {
    const calls = await source.calls();
    const answer = await question(calls, access);
    if (access.pausedUntil !== undefined) await pause(link, access.pausedUntil);
    return { answer };
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    const { key, pausedUntil } = error;
    if (pausedUntil !== null) await pause(link, pausedUntil);
    return { reason: key };
  }
}

/** The cache key of a drilldown. */
export const drilldownKey = (linkId: string, kind: string, { from, to }: DaySpan): string =>
  ["drilldown", linkId, kind, from, to].join(" ");

/** Reads the rows of a drilldown from the source. */
export async function drill(source: MarketingSource, link: AskedLink, kind: string, { from, to }: DaySpan): Promise<Drilled> {
  const asked = await askSource(source, link, (calls, access) => calls.drilldown(access, link, kind, { from, to }));
  return "answer" in asked ? { rows: asked.answer } : asked;
}
