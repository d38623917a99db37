import { addDays, addMonths, type IsoDate, startOf } from "../../../core/calendar/calendar.ts";
import { addPeriod, periodMonths } from "../../../core/calendar/periods.ts";
import { DEMO_AGREEMENTS, DEMO_TYPES, type DemoAgreement } from "./demo-catalogue.ts";
import type { DemoPaper } from "./demo-documents.ts";

/** Days since the demo agreements were entered: periods that ended earlier are not billable (money §9 "Open periods"). */
const KNOWN_SINCE = 40;

/** The first boundary after today. */
function nextAfter(today: IsoDate, start: IsoDate, { interval }: DemoAgreement): IsoDate {
  const months = periodMonths(interval, 1);
  let next = addPeriod(start, months, 1);
  while (next <= today) next = addPeriod(next, months, 1);
  return next;
}

/** Adds the agreements with their types and price history. */
export function addAgreements({ rows, ids, clients, today }: DemoPaper): void {
  const types = DEMO_TYPES.map(([key, label_i18n], position) => {
    const id = ids("subscriptions/types");
    rows.subscription_types.push({ id, key, label_i18n, position });
    return id;
  });
  const monthsAgo = (months: number) => startOf("month", addMonths(today, -months));
  for (const [n, agreement] of DEMO_AGREEMENTS.entries()) {
    const { name, status, interval, age, prices, hours, type } = agreement;
    const id = ids("subscriptions");
    const start = monthsAgo(age);
    const made = `${addDays(today, -KNOWN_SINCE)}T09:00:00Z`;
    rows.subscriptions.push({
      id,
      company_id: clients[(n * 5 + 2) % clients.length]?.id,
      name,
      status,
      start_date: start,
      end_date: status === "cancelled" ? addDays(today, -30) : null,
      currency: "EUR",
      interval,
      interval_count: 1,
      next_invoice_date: status === "active" || status === "paused" ? nextAfter(today, start, agreement) : null,
      included_hours: hours,
      rollover: { mode: hours === null ? "none" : "carry", expires_after_periods: null },
      notice_period_days: 30,
      subscription_type_id: types[type],
      lines: [],
      custom: {},
      activated_at: status === "draft" ? null : made,
      created_at: made,
      updated_at: made,
    });
    for (const [months, amount] of prices)
      rows.subscription_prices.push({ subscription_id: id, valid_from: monthsAgo(months), amount, created_at: made });
  }
}
