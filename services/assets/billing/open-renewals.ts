import { dateIn } from "../../../core/calendar/calendar.ts";
import { openPeriods } from "../../../core/calendar/periods.ts";
import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday, organisationZone } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { type Price, priceAt } from "../../../core/values/prices.ts";
import type { AutoInvoiceMode, RecurringSource } from "../../../core/values/recurring-source.ts";
import { BILLABLE, BILLED } from "../domains/billing-answer.ts";
import { visibleDomain } from "../domains/domain.list.ts";

const MONTHS = 12;

const BILLABLE_DOMAINS =
  statement(`select t.id, t.company_id, c.name as company_name, t.label as name, t.tld, t.auto_invoice_mode,
      t.start_date, t.next_invoice_date, t.created_at, t.price_override::text as price_override, ${BILLED} as invoiceable
    from domains t join companies c on c.organisation_id = t.organisation_id and c.id = t.company_id
   where t.organisation_id = $1 and ${BILLABLE} and ($2::uuid is null or t.company_id = $2)
     and ($3::uuid[] is null or ${visibleDomain("$3::uuid[]")})
   order by t.label collate kantoor_text, t.id`);
const PRICES = statement(`select p.tld, p.amount::text as amount, p.currency, p.valid_from from tld_prices p
  where p.organisation_id = $1 order by p.tld, p.valid_from`);

interface FoundAsset {
  id: string;
  company_id: string;
  company_name: string;
  name: string;
  tld: string | null;
  auto_invoice_mode: AutoInvoiceMode | null;
  start_date: string;
  next_invoice_date: string | null;
  created_at: string;
  price_override: string | null;
  invoiceable: boolean;
}

interface TldRow extends Price {
  tld: string;
  currency: string;
}

/**
 * The billable domains of the caller's visible clients, by name, with their open years (money §9 "Open periods"). Domains that are not
 * invoiced are included and marked. A year without a price at its end is not offered.
 * @param companyId null for all clients
 */
export async function openRenewals(companyId: string | null): Promise<RecurringSource[]> {
  const { organisation, principal } = request();
  const [today, zone] = [organisationToday(), organisationZone()];
  const [domains, prices] = await Promise.all([
    query<FoundAsset>(BILLABLE_DOMAINS, [organisation.id, companyId, principal?.selection ?? null]),
    query<TldRow>(PRICES, [organisation.id]),
  ]);
  const byTld = Map.groupBy(prices, ({ tld }) => tld);
  return domains.map(({ id, price_override, tld, created_at, auto_invoice_mode, ...domain }) => {
    const rows = byTld.get(tld ?? "") ?? [];
    const priceOn = (day: string) => price_override ?? priceAt(rows, day);
    const created_on = dateIn(zone, created_at);
    const { periods, truncated } = openPeriods({ ...domain, end_date: null, created_on, months: MONTHS, today });
    const offered = periods.flatMap((period) => {
      const amount = priceOn(period.period_end);
      if (amount === null) return [];
      return [{ ...period, amount, lines: [{ description: domain.name, quantity: "1.00", unit_price: amount }] }];
    });
    const current = rows.findLast(({ valid_from }) => valid_from <= today);
    const amount = priceOn(today) ?? offered.at(-1)?.amount ?? null;
    return {
      source: "domain",
      source_id: id,
      company_id: domain.company_id,
      company_name: domain.company_name,
      name: domain.name,
      currency: (current ?? rows[0])?.currency ?? organisation.currency,
      interval: "yearly",
      amount: amount ?? "0.00",
      level: auto_invoice_mode,
      no_cycle: domain.next_invoice_date === null,
      no_price: amount === null,
      invoiceable: domain.invoiceable,
      truncated,
      periods: offered,
    };
  });
}
