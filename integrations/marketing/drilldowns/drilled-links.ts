import type { DaySpan } from "../../../core/calendar/named-spans.ts";
import { DRILLDOWN_SECONDS, keepAnswers, keptAnswers } from "../kept-answers.ts";
import { type DrilldownRow, type MarketingSource, SourceFailure } from "../sources/source.ts";
import type { AskedLink } from "./asked-link.ts";
import { drill, drilldownKey, unavailable } from "./drilling.ts";

/** The rows of a link in a span. */
export type RowsOfLinks = (linkId: string, span: DaySpan) => DrilldownRow[];

/** @throws SourceFailure if a link cannot be read, whatever its source would answer */
export function requireReadable(source: MarketingSource, links: readonly AskedLink[]): void {
  for (const link of links) {
    const reason = unavailable(source, link);
    if (reason !== null) throw new SourceFailure(reason);
  }
}

/**
 * Answers questions from the cache and asks the source for the others in parallel. Answers that arrived are cached even if another question
 * failed.
 * @param ask returns the answer to the question of a key, or the key of the failure reason
 * @returns the answers by key
 * @throws SourceFailure
 */
export async function answersOf<T>(
  keys: readonly string[],
  ask: (key: string) => Promise<{ answer: T } | { reason: string }>,
): Promise<ReadonlyMap<string, T>> {
  const kept = await keptAnswers<T>(keys, DRILLDOWN_SECONDS);
  const missing = [...new Set(keys)].filter((key) => !kept.has(key));
  const asked = await Promise.all(missing.map(async (key) => [key, await ask(key)] as const));
  const fresh = new Map(asked.flatMap(([key, one]) => ("answer" in one ? [[key, one.answer] as const] : [])));
  if (fresh.size > 0) await keepAnswers(fresh);
  for (const [, one] of asked) if ("reason" in one) throw new SourceFailure(one.reason);
  return new Map([...kept, ...fresh]);
}

/** The rows of one drilldown kind for several links and spans, the same as in each link's own drilldown. @throws SourceFailure */
export async function drilledLinks(
  source: MarketingSource,
  links: readonly AskedLink[],
  kind: string,
  spans: readonly DaySpan[],
): Promise<RowsOfLinks> {
  requireReadable(source, links);
  const questions = new Map(
    links.flatMap((link) => spans.map((span) => [drilldownKey(link.id, kind, span), { link, span }] as const)),
  );
  const answers = await answersOf<DrilldownRow[]>([...questions.keys()], async (key) => {
    const { link, span } = questions.get(key) as { link: AskedLink; span: DaySpan };
    const drilled = await drill(source, link, kind, span);
    return "rows" in drilled ? { answer: drilled.rows } : drilled;
  });
  return (linkId, span) => answers.get(drilldownKey(linkId, kind, span)) ?? [];
}
