import { query } from "../../../../core/database/query.ts";
import { type ActionContext, action } from "../../../../core/declare/action.ts";
import { request } from "../../../../core/request/context.ts";
import { choice, optional, Type, uuid } from "../../../../core/schema/schema.ts";
import { statement } from "../../../../core/sql/statement.ts";
import type { RecurringSource, SourceKind } from "../../../../core/values/recurring-source.ts";
import { collect } from "../../../../mixins/contributions.ts";
import { service } from "../../../../mixins/resource.ts";
import { unbilledHours } from "../../reports/unbilled.ts";
import { readSettings } from "../../settings/settings-rows.ts";
import { backlogGroups, backlogItems, periodKey, totalOf } from "./backlog.ts";
import { billableOf } from "./outstanding.ts";
import { BACKLOG_GROUPS, BACKLOG_SOURCES, OutstandingRead, RecurringBacklogReport } from "./recurring-schemas.ts";

const CLAIMED = statement(`select source, source_id, period_end from period_claims
  where organisation_id = $1 and source_id = any($2::uuid[])`);

/** The recurring sources of all modules, for one client or all, and the keys of the periods that documents already bill. */
async function recurringOf(ctx: ActionContext, companyId: string | null) {
  const found = await collect<"recurring", RecurringSource[]>(ctx, "recurring", { company_id: companyId });
  const sources = found.flatMap(({ answer }) => answer);
  const ids = sources.map(({ source_id }) => source_id);
  const claims = await query<{ source: SourceKind; source_id: string; period_end: string }>(CLAIMED, [
    request().organisation.id,
    ids,
  ]);
  const claimed = new Set(claims.map((claim) => periodKey(claim.source, claim.source_id, claim.period_end)));
  return { sources, claimed };
}

export default service("invoicing.recurring", {
  actions: {
    outstanding: action({
      rest: "GET /invoicing/outstanding",
      summary: "Read a client's uninvoiced work: hours, and periods of agreements and domains",
      description: "Includes periods already on a document, marked as such.",
      permission: "invoicing.invoice.write",
      query: { company_id: uuid() },
      returns: OutstandingRead,
      async handler(ctx) {
        const { company_id } = ctx.params;
        const [hours, { sources, claimed }] = await Promise.all([unbilledHours({ company_id }), recurringOf(ctx, company_id)]);
        return { hours, ...billableOf(sources, claimed) };
      },
    }),

    backlog: action({
      rest: "GET /invoicing/recurring-backlog",
      summary: "Periods of agreements and domains that no document bills yet",
      description:
        "Groups and totals cover everything that matches the filter, `items` at most `limit` of it; `totals_by_source` always covers both sources. Periods that end after today are marked.",
      permission: "invoicing.invoice.read:any",
      query: {
        group: optional(choice(BACKLOG_GROUPS, { default: "company" })),
        source: optional(choice(BACKLOG_SOURCES, { default: "all" })),
        limit: optional(Type.Integer({ minimum: 1, maximum: 1000, default: 500 })),
      },
      returns: RecurringBacklogReport,
      async handler(ctx) {
        const { group = "company", source = "all", limit = 500 } = ctx.params;
        const [{ sources, claimed }, { auto_invoice_mode: level }] = await Promise.all([recurringOf(ctx, null), readSettings()]);
        const all = backlogItems(sources, claimed, level);
        const of = (kind: SourceKind) => all.filter((item) => item.source === kind);
        const wanted = source === "all" ? all : of(source);
        const { currency } = ctx.meta.organisation;
        const { count: total_count, amount: total_amount, unconverted_count } = totalOf(wanted, currency);
        return {
          group,
          source,
          org_auto_invoice_mode: level,
          groups: backlogGroups(wanted, group, currency),
          items: wanted.slice(0, limit),
          total_count,
          total_amount,
          unconverted_count,
          totals_by_source: {
            subscription: totalOf(of("subscription"), currency),
            domain: totalOf(of("domain"), currency),
          },
          truncated: wanted.length > limit,
        };
      },
    }),
  },
});
