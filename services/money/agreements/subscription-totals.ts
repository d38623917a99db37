import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { placesSql } from "../../../core/values/currencies.ts";
import { decimal, formatDecimal, sum } from "../../../core/values/money.ts";
import type { SubscriptionStatus } from "./models.ts";
import { amountOn, visibleSubscription } from "./subscription.list.ts";
import type { SubscriptionSummary } from "./subscription-schemas.ts";

/**
 * Monthly equivalents of agreements by status and currency, each rounded before the sum (money §9), at the prices of `amountAt`. An active
 * agreement counts from its start date to its end date, both included.
 */
const TOTALS = statement(`select t.status, t.currency, count(*)::int as count,
      coalesce(sum(round(h.amount / (case t.interval when 'monthly' then 1 when 'quarterly' then 3 else 12 end * t.interval_count), ${placesSql("t.currency")})),
               0)::text as monthly
    from subscriptions t cross join lateral (select ${amountOn("$2::date")} as amount) h
   where t.organisation_id = $1 and (t.status <> 'active' or (t.start_date <= $2::date and coalesce(t.end_date, 'infinity') >= $2::date))
     and ($3::uuid[] is null or ${visibleSubscription("$3::uuid[]")})
   group by t.status, t.currency order by t.currency`);

/**
 * The monthly and yearly totals of the active agreements that run today and that the caller sees, in the organisation's currency, and the
 * count per status (money §9). Agreements in other currencies are counted, not summed.
 */
export async function subscriptionTotals(): Promise<Static<typeof SubscriptionSummary>> {
  const { organisation, principal } = request();
  const rows = await query<{ status: SubscriptionStatus; currency: string; count: number; monthly: string }>(TOTALS, [
    organisation.id,
    organisationToday(),
    principal?.selection ?? null,
  ]);
  const counted = (status: SubscriptionStatus) => rows.reduce((total, row) => total + (row.status === status ? row.count : 0), 0);
  const active = rows.filter(({ status }) => status === "active");
  const figures = (monthly: string) => ({ mrr: formatDecimal(monthly), arr: formatDecimal(decimal(monthly).times(12)) });
  const own = active.filter(({ currency }) => currency === organisation.currency);
  const others = active.filter(({ currency }) => currency !== organisation.currency);
  return {
    ...figures(formatDecimal(sum(own.map(({ monthly }) => monthly)))),
    unconverted_count: others.reduce((total, { count }) => total + count, 0),
    active_count: counted("active"),
    draft_count: counted("draft"),
    paused_count: counted("paused"),
    cancelled_count: counted("cancelled"),
    currencies: active.map(({ currency, count, monthly }) => ({ currency, count, ...figures(monthly) })),
  };
}
