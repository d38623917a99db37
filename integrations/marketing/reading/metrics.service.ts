import { type Comparison, rememberedComparison } from "../../../core/calendar/named-spans.ts";
import { queryAll, queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { callerId, mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { service } from "../../../mixins/resource.ts";
import { storeAsSystem } from "../../../mixins/tenancy.ts";
import { scheduleValues, type WantedValue } from "../jobs/link-jobs.ts";
import { askedSpan, compareWindow, spanQuery } from "../periods/asked-span.ts";
import { keyEventsShown } from "../settings/layout.ts";
import { sources } from "../sources/registry.ts";
import { figureStatements, figuresByLink, PeriodValues, seriesDates } from "./figure-rows.ts";
import { type Head, headStatement } from "./metrics-head.ts";
import { CompanyMarketing } from "./metrics-schemas.ts";
import { type Reading, sourceMetrics } from "./source-metrics.ts";

/**
 * Enqueues jobs that fetch whole-span values, one per link however often it is read meanwhile. Skips links that cannot be read now; the first
 * read after their recovery enqueues them.
 */
async function askFor(wanted: readonly WantedValue[], readable: ReadonlySet<string>): Promise<void> {
  const asked = wanted.filter(({ link_id }) => readable.has(link_id));
  if (asked.length > 0) await storeAsSystem(async () => scheduleValues(asked));
}

/** Figures of one client, from stored days only (marketing-ads §2.6). */
export default service("marketing.metrics", {
  actions: {
    read: action({
      rest: "GET /marketing/companies/:company_id/metrics",
      summary: "Read the figures of a client and of the comparison period",
      description:
        "Stored figures of active links; does not call a source. Figures that count people over a span, such as `totalUsers`, come from the source itself: the first read of a span has `pending` until then.",
      permission: "marketing.metrics.read",
      query: spanQuery,
      returns: CompanyMarketing,
      tool: {
        name: "client_figures",
        description: "Search and analytics figures of a client, next to those of the period before.",
        inArea: true,
        takes: ["company_id", "period", "date_from", "date_to"],
      },
      async handler(ctx) {
        const { company_id, ...asked } = ctx.params;
        const today = organisationToday();
        const span = askedSpan(asked, today);
        // The client's own comparison decides which days are read.
        const head = await queryOne<Head>(...headStatement(company_id));
        if (!head) throw notFound();
        const window = compareWindow(span, rememberedComparison(head.compare, head.default_compare));
        const [figures, values] = await queryAll(...figureStatements(company_id, span, window, today));
        const isManager = mayCaller("marketing.link.manage");
        const reading: Reading = {
          head,
          span,
          window,
          today,
          figures: figuresByLink(figures ?? []),
          values: new PeriodValues(values ?? []),
          dates: seriesDates(span),
          viewer: request().principal?.isClientLogin ? null : { accountId: callerId() },
          wanted: [],
        };
        const shown = [...sources.values()].flatMap((source) =>
          head.links
            .filter((link) => link.source === source.key)
            .flatMap((link) => sourceMetrics(reading, source, link, isManager) ?? []),
        );
        const readable = shown.filter(({ health }) => health === "ok" || health === "pending");
        await askFor(reading.wanted, new Set(readable.map(({ link_id }) => link_id)));
        return {
          company_id,
          range_days: span.days,
          period: span.period,
          compare: window,
          compare_setting: isManager ? (head.compare as Comparison | null) : null,
          compare_default: rememberedComparison(head.default_compare),
          sources: shown,
          needs_connection: !head.has_connection,
          can_manage: isManager,
          show_key_events: keyEventsShown(sources.values(), head),
          layout: isManager ? head.layout : null,
          websites: head.websites,
          narrative: head.narrative && { ...head.narrative },
        };
      },
    }),
  },
});
