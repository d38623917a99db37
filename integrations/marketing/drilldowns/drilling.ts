import type { DaySpan } from "../../../core/calendar/named-spans.ts";
import { enqueue } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inRequest } from "../../../mixins/google/transactions.ts";
import { storeAsSystem } from "../../../mixins/tenancy.ts";
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

/** Why a link is not read now: its quota is used up. Null if it is read. */
const paused = ({ paused_until, last_error }: AskedLink): string | null =>
  paused_until !== null && Date.parse(paused_until) > Date.now() ? (last_error ?? "marketing.quota_used_up") : null;

/**
 * Asks the source of a link a question. If the answer is that a quota is used up, every call for the link stops until the quota resets.
 * @returns the answer, or the key of the failure reason
 */
export async function askSource<T>(
  source: MarketingSource,
  link: AskedLink,
  question: (calls: SourceCalls, access: SourceAccess) => Promise<T>,
): Promise<{ answer: T } | { reason: string }> {
  const reason = paused(link);
  if (reason !== null) return { reason };
  const { connection_id: connectionId, website_id: websiteId } = link;
  try {
    const calls = await source.calls();
    return { answer: await question(calls, { transactions: inRequest, connectionId, websiteId }) };
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    const { pausedUntil } = error;
    if (pausedUntil !== null) await storeAsSystem(async () => enqueue(PAUSE, [request().organisation.id, link.id, pausedUntil]));
    return { reason: error.key };
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
