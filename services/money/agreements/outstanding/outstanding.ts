import type { Static } from "../../../../core/schema/schema.ts";
import type { RecurringSource } from "../../../../core/values/recurring-source.ts";
import { periodKey } from "./backlog.ts";
import type { BillableDomain, BillableSubscription } from "./recurring-schemas.ts";

/** Open periods of a client's agreements and domains; claimed ones are included and marked (money §8 "outstanding"). */
export function billableOf(
  sources: readonly RecurringSource[],
  claimed: ReadonlySet<string>,
): { subscriptions: Static<typeof BillableSubscription>[]; domains: Static<typeof BillableDomain>[] } {
  const offered = ({ source, source_id, periods, ...one }: RecurringSource) => ({
    id: source_id,
    name: one.name,
    amount: one.amount,
    currency: one.currency,
    no_cycle: one.no_cycle,
    truncated: one.truncated,
    periods: periods.map((period) => ({
      ...period,
      lines: [...period.lines],
      already_billed: claimed.has(periodKey(source, source_id, period.period_end)),
    })),
  });
  const of = (kind: RecurringSource["source"]) => sources.filter(({ source }) => source === kind);
  return {
    subscriptions: of("subscription").map((one) => ({ ...offered(one), interval: one.interval })),
    domains: of("domain").map((one) => ({ ...offered(one), invoiceable: one.invoiceable, no_price: one.no_price })),
  };
}
