import { dateIn } from "../../../../core/calendar/calendar.ts";
import { openPeriods, periodMonths } from "../../../../core/calendar/periods.ts";
import { query } from "../../../../core/database/query.ts";
import { request } from "../../../../core/request/context.ts";
import { organisationToday, organisationZone } from "../../../../core/request/today.ts";
import { statement } from "../../../../core/sql/statement.ts";
import type { Price } from "../../../../core/values/prices.ts";
import type { RecurringSource } from "../../../../core/values/recurring-source.ts";
import { billedFor } from "../cycle/period-lines.ts";
import type { SubscriptionRow } from "../models.ts";
import { amountAt } from "../prices.ts";
import { visibleSubscription } from "../subscription.list.ts";

const BILLABLE =
  statement(`select t.id, t.company_id, c.name as company_name, t.name, t.currency, t.interval, t.interval_count, t.anchor,
      t.auto_invoice_mode, t.next_invoice_date, t.last_boundary, t.start_date, t.end_date, t.created_at, t.lines,
      (select coalesce(json_agg(json_build_object('amount', p.amount::text, 'valid_from', p.valid_from)), '[]') from subscription_prices p
        where p.organisation_id = t.organisation_id and p.subscription_id = t.id) as prices
    from subscriptions t join companies c on c.organisation_id = t.organisation_id and c.id = t.company_id
   where t.organisation_id = $1 and t.status in ('active', 'paused') and ($2::uuid is null or t.company_id = $2)
     and ($3::uuid[] is null or ${visibleSubscription("$3::uuid[]")})
   order by t.name collate kantoor_text, t.id`);

type Agreement = SubscriptionRow & { company_name: string; prices: readonly Price[] };

/**
 * Billable agreements (active and paused) with their open periods (money §9 "Open periods"), by name; only of clients the caller sees.
 * @param companyId null for all clients
 */
export async function billableAgreements(companyId: string | null): Promise<RecurringSource[]> {
  const { organisation, principal } = request();
  const [today, zone] = [organisationToday(), organisationZone()];
  const found = await query<Agreement>(BILLABLE, [organisation.id, companyId, principal?.selection ?? null]);
  return found.map((agreement) => {
    const { next_invoice_date: next, last_boundary, start_date, end_date, interval, interval_count, anchor } = agreement;
    const months = periodMonths(interval, interval_count);
    const created_on = dateIn(zone, agreement.created_at);
    // Unbilled periods stay open after the last boundary.
    const next_invoice_date = next ?? last_boundary;
    const { periods, truncated } = openPeriods({ next_invoice_date, start_date, end_date, created_on, months, anchor, today });
    return {
      source: "subscription",
      source_id: agreement.id,
      company_id: agreement.company_id,
      company_name: agreement.company_name,
      name: agreement.name,
      currency: agreement.currency,
      interval,
      amount: amountAt(agreement.prices, today),
      level: agreement.auto_invoice_mode,
      no_cycle: next === null,
      no_price: false,
      invoiceable: true,
      truncated,
      periods: periods.map((period) => ({ ...period, ...billedFor(agreement, period.period_end) })),
    };
  });
}
