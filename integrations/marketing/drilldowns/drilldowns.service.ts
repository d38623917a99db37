import { action } from "../../../core/declare/action.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { keepAnswer } from "../kept-answers.ts";
import { askedSpan, type SpanRequest } from "../periods/asked-span.ts";
import { namesEvents, shownOf } from "../settings/layout.ts";
import { sources } from "../sources/registry.ts";
import type { DrilldownRow, MarketingSource } from "../sources/source.ts";
import { type AskedLink, askedLink } from "./asked-link.ts";
import { DrilldownResponse, drilldownQuery } from "./drilldown-schemas.ts";
import { type Drilled, drill, drilldownKey, unavailable } from "./drilling.ts";
import { labelled } from "./event-labels.ts";

interface DrilldownRequest extends SpanRequest {
  company_id: string;
  link_id: string;
  kind: string;
}

/** Returns the cached answer of the last hour, or asks the source and caches its answer; failures are never cached. */
async function read(
  source: MarketingSource,
  link: AskedLink,
  kept: DrilldownRow[] | null,
  ask: () => Promise<Drilled>,
  keep: (rows: DrilldownRow[]) => Promise<void>,
): Promise<Drilled> {
  const reason = unavailable(source, link);
  if (reason !== null) return { reason };
  if (kept) return { rows: kept };
  const drilled = await ask();
  if ("rows" in drilled) await keep(drilled.rows);
  return drilled;
}

/** @throws 404 if the link is not this client's, 422 if the kind is unknown, hidden or removed (marketing-ads §2.7) */
async function drilldown({ company_id, link_id, kind, ...asked }: DrilldownRequest) {
  const span = askedSpan(asked, organisationToday());
  const cacheKey = drilldownKey(link_id.toLowerCase(), kind, span);
  const { link, kept } = await askedLink(company_id, link_id, cacheKey);
  const source = sources.get(link.source);
  const { layout, show_key_events } = link;
  const shown = source && shownOf(source, { layout, show_key_events: show_key_events ?? true });
  const mayKnow = shown && (!shown.hidden || mayCaller("marketing.link.manage"));
  if (!source || !mayKnow || !shown.drilldowns.includes(kind)) throw invalid({ kind: "errors.validation" });
  const drilled = await read(
    source,
    link,
    kept,
    () => drill(source, link, kind, span),
    (rows) => keepAnswer(cacheKey, rows),
  );
  const locale = link.locale ?? request().organisation.locale;
  const answer: Static<typeof DrilldownResponse> = {
    source: source.key,
    kind,
    period: span.period,
    columns: [...(source.drilldowns[kind]?.columns ?? [])],
    rows: "rows" in drilled ? labelled(drilled.rows, namesEvents(source) ? shown.event_labels : {}, locale) : [],
    available: "rows" in drilled,
    unavailable_reason: "rows" in drilled ? null : drilled.reason,
    deep_link: source.deepLink(link, link.screen_address),
  };
  return answer;
}

/** The rows behind a link's figures, read live from its source (marketing-ads §2.7). */
export default service("marketing.drilldowns", {
  actions: {
    get: action({
      rest: "GET /marketing/companies/:company_id/drilldown",
      summary: "Read the pages, queries, campaigns or keywords behind a client's figures",
      description:
        "Reads from the source and caches the answer for an hour. If the source cannot be read, the answer is 200 with `available` false and the reason.",
      permission: "marketing.metrics.read",
      query: drilldownQuery,
      returns: DrilldownResponse,
      errors: ["not_found"],
      exceptions: { selection: "a link of another client is 404, not left out (marketing-ads §2.7); its own test shows that" },
      // Covers the wait for the source's rate limit and the source's answer.
      timeout: 90_000,
      prepare: (ctx) => drilldown(ctx.params),
      handler: async () => prepared<Static<typeof DrilldownResponse>>(),
    }),
  },
});
