import type { DaySpan } from "../../../core/calendar/named-spans.ts";
import { query } from "../../../core/database/query.ts";
import { inRequest } from "../../../mixins/google/transactions.ts";
import { requireReadable } from "../drilldowns/drilled-links.ts";
import { askSource } from "../drilldowns/drilling.ts";
import { storePeriodValues } from "../jobs/period-rows.ts";
import { compareWindow } from "../periods/asked-span.ts";
import { periodMetrics } from "../reading/aggregates.ts";
import { PeriodValues, valueStatement } from "../reading/figure-rows.ts";
import { type MarketingSource, SourceFailure } from "../sources/source.ts";
import type { ChosenLinks, LinkGroup, ReportLink } from "./chosen-links.ts";

/** Looks up a link's whole-span value; undefined if its source provides none. */
export type ValueOf = (link: ReportLink, metric: string, span: DaySpan) => number | undefined;

type Values = Record<string, number>;

/** Fetches a link's values of some spans from the source and stores them. @throws SourceFailure */
async function askValues(source: MarketingSource, link: ReportLink, spans: readonly DaySpan[]): Promise<Values[]> {
  requireReadable(source, [link]);
  const asked = await askSource(source, link, async ({ periodValues }, access) =>
    periodValues ? periodValues(access, link, spans) : spans.map((): Values => ({})),
  );
  if ("reason" in asked) throw new SourceFailure(asked.reason);
  await inRequest.write(async () => storePeriodValues(link.id, spans, asked.answer));
  return asked.answer;
}

/** Whether a group's whole-span values are printed. Visitors of several sites do not add up, because one person may visit each of them. */
export const hasOwnPeople = ({ links }: LinkGroup): boolean => links.length === 1;

/** Ignores a failure that concerns only the compared span: without its value there is no comparison. */
const unlessMissing =
  (span: DaySpan, missing: readonly DaySpan[]) =>
  (error: unknown): Values[] => {
    if (!(error instanceof SourceFailure) || missing.includes(span)) throw error;
    return [];
  };

/**
 * The whole-span values that a section prints: stored ones, and missing ones fetched from the source.
 * @throws SourceFailure if the value of the section's own span cannot be fetched
 */
export async function periodPeople({
  asked,
  source,
  shown,
  all,
  parts,
  span,
  compared,
  mode,
  today,
}: ChosenLinks): Promise<ValueOf> {
  const metrics = periodMetrics(source).filter((name) => shown.tiles.includes(name));
  const links = new Set([all, ...parts].filter(hasOwnPeople).flatMap((group) => group.links));
  if (metrics.length === 0 || links.size === 0) return () => undefined;
  const stored = new PeriodValues(await query(...valueStatement(asked.company_id, compareWindow(span, mode))));
  const found = new Map<string, number>();
  const keyOf = (link: ReportLink, metric: string, { from, to }: DaySpan) => [link.id, metric, from, to].join();
  for (const link of links) {
    // A span that has not begun has no visitors.
    const begun = [span, compared].filter(({ from }) => from < today);
    const missing = begun.filter(({ from, to }) => metrics.some((metric) => stored.of(link.id, metric, from, to) === undefined));
    const answers = missing.length === 0 ? [] : await askValues(source, link, missing).catch(unlessMissing(span, missing));
    for (const [at, one] of missing.entries())
      for (const [metric, value] of Object.entries(answers[at] ?? {})) found.set(keyOf(link, metric, one), value);
  }
  return (link, metric, one) => found.get(keyOf(link, metric, one)) ?? stored.of(link.id, metric, one.from, one.to);
}
