import { listQuery, sinceQuery } from "../../../core/database/lists/list.ts";
import { query } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { report } from "../../../core/declare/makers/report.ts";
import { request } from "../../../core/request/context.ts";
import { list, page, readInstant } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource } from "../../../mixins/resource.ts";
import { UNKNOWN_REFERENCE } from "../refusals.ts";
import { Subscription } from "./models.ts";
import { billableAgreements } from "./outstanding/agreement-periods.ts";
import { pricesOf } from "./prices.ts";
import {
  subscriptionFilters,
  subscriptionListing,
  subscriptionQuery,
  subscriptions,
  visibleSubscription,
} from "./subscription.list.ts";
import {
  SubscriptionCreate,
  SubscriptionPriceRead,
  SubscriptionRead,
  SubscriptionSummary,
  SubscriptionUpdate,
} from "./subscription-schemas.ts";
import { subscriptionTotals } from "./subscription-totals.ts";
import { changeSubscription, createSubscription, removeSubscription } from "./subscription-writes.ts";

const LINKED =
  statement(`select l.project_id, json_agg(json_build_object('subscription_id', t.id, 'name', t.name, 'status', t.status,
      'included_hours', t.included_hours::text, 'interval', t.interval, 'interval_count', t.interval_count,
      'is_hidden', $3::uuid[] is not null and not ${visibleSubscription("$3::uuid[]")})) as agreements
    from subscription_projects l join subscriptions t on t.organisation_id = l.organisation_id and t.id = l.subscription_id
   where l.organisation_id = $1 and l.project_id = any($2::uuid[])
   group by l.project_id`);

/** The agreements linked to projects, in any status, by project; `is_hidden` marks those of clients the caller does not see. */
async function linkedAgreements(projectIds: readonly string[]): Promise<Record<string, unknown>> {
  const { organisation, principal } = request();
  const values = [organisation.id, projectIds, principal?.selection ?? null];
  const found = await query<{ project_id: string; agreements: unknown }>(LINKED, values);
  return Object.fromEntries(found.map(({ project_id, agreements }) => [project_id, agreements]));
}

/** Agreements in a company's panel. */
const IN_PANEL = 5;

export default resource("subscriptions", {
  model: Subscription,
  actions: {
    list: action({
      rest: "GET /subscriptions",
      summary: "List recurring agreements",
      description: "`amount` is today's price of a period, `monthly_equivalent` that price per month.",
      permission: "subscriptions.subscription.read",
      query: { ...listQuery(subscriptionListing.spec.sorts), ...subscriptionQuery },
      returns: page(SubscriptionRead),
      handler: (ctx) => subscriptions.page(ctx.params, subscriptionFilters(ctx.params)),
    }),

    create: action({
      rest: "POST /subscriptions",
      summary: "Make a recurring agreement",
      description:
        "Its price applies from the start date. Omitted terms are those of `subscription_template_id`. An active agreement gets its first boundary, and the task templates of its type are applied.",
      permission: "subscriptions.subscription.write",
      body: SubscriptionCreate,
      example: {
        company_id: "975df61c-0c1e-4a5b-8d2f-975df61c0001",
        name: "Onderhoud website",
        amount: "99.00",
        start_date: "2026-01-15",
        interval: "monthly",
        subscription_type_id: "a0eecedf-0c1e-4a5b-8d2f-a0eecedf0001",
        included_hours: "2",
        notice_period_days: 30,
        auto_invoice_mode: "issue",
      },
      returns: SubscriptionRead,
      errors: [UNKNOWN_REFERENCE, "not_found"],
      async handler(ctx) {
        return subscriptions.answerWith(await createSubscription(ctx.params.body));
      },
    }),

    summary: report({
      rest: "GET /subscriptions/summary",
      summary: "Read the monthly and yearly total of active agreements",
      permission: "subscriptions.subscription.read",
      returns: SubscriptionSummary,
      handler: () => subscriptionTotals(),
    }),

    get: action({
      rest: "GET /subscriptions/:subscription_id",
      summary: "Read one recurring agreement",
      permission: "subscriptions.subscription.read",
      returns: SubscriptionRead,
      handler: (ctx) => subscriptions.one(ctx.params.subscription_id),
    }),

    update: action({
      rest: "PATCH /subscriptions/:subscription_id",
      summary: "Change a recurring agreement",
      description:
        "Another `amount` begins at `amount_valid_from`, today unless sent, and changes no earlier price. The first time it is active it gets its first boundary. `project_ids` and `task_ids` replace the links the caller sees.",
      permission: "subscriptions.subscription.write",
      body: SubscriptionUpdate,
      example: { amount: "105.00", amount_valid_from: "2026-07-01" },
      returns: SubscriptionRead,
      errors: [UNKNOWN_REFERENCE],
      async handler(ctx) {
        const id = ctx.params.subscription_id;
        await changeSubscription(await subscriptions.forWrite(id), ctx.params.body);
        return subscriptions.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /subscriptions/:subscription_id",
      summary: "Delete a recurring agreement",
      description: "Deletes its prices and links; documents that billed it stay.",
      permission: "subscriptions.subscription.delete",
      async handler(ctx) {
        await removeSubscription(ctx.params.subscription_id);
      },
    }),

    prices: action({
      rest: "GET /subscriptions/:subscription_id/prices",
      summary: "The prices of a recurring agreement, newest first",
      permission: "subscriptions.subscription.read",
      query: sinceQuery,
      returns: list(SubscriptionPriceRead),
      async handler(ctx) {
        const { subscription_id: id, updated_since: since } = ctx.params;
        await subscriptions.one(id);
        const prices = await pricesOf(id, since === undefined ? null : readInstant(since));
        return prices
          .toReversed()
          .map(({ valid_from, amount, created_at, updated_at }) => ({ valid_from, amount, created_at, updated_at }));
      },
    }),

    panel: internal({
      summary: "The recurring agreements of a company",
      permission: "subscriptions.subscription.read",
      contributes: { panel: { entity: "company", key: "subscriptions.company", position: 60 } },
      async handler(ctx) {
        const { items, total } = await subscriptions.page({ limit: IN_PANEL }, { company_id: ctx.params.company_id });
        return { items, total };
      },
    }),

    agreements: internal({
      summary: "The agreements that projects are linked to",
      open: "every reader of a project sees the same budget (work chapter §2.4)",
      contributes: { figures: "project.agreements" },
      handler: (ctx) => linkedAgreements(ctx.params.ids),
    }),

    recurring: internal({
      summary: "The billable agreements, with their open periods",
      open: "the operations of invoicing show open periods, with their own permissions",
      contributes: { recurring: { source: "subscription" } },
      handler: (ctx) => billableAgreements(ctx.params.company_id),
    }),
  },
});
