import { enqueue, query } from "../../../core/database/query.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { emitAll } from "../../../core/jobs/outbox.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { AutoInvoiceMode } from "../../../core/values/recurring-source.ts";
import { BILLABLE, BILLED, OWN_CURRENCY, tldPriceOn } from "../domains/billing-answer.ts";
import { labelOf } from "../domains/domain-name.ts";
import { yearAfter, yearBefore } from "../domains/renewal-dates.ts";

/**
 * Every due domain with its billing state and the price in force on its day. Of two concurrent runs, the second waits for the first and
 * then sees the advanced date.
 */
const DUE = statement(`select t.id, t.company_id, t.label as name, t.tld, t.auto_invoice_mode, t.next_invoice_date as due,
      ${BILLED} as billed, coalesce(t.price_override, price.amount)::text as amount,
      coalesce(price.currency, ${OWN_CURRENCY}) as currency
    from domains t left join lateral ${tldPriceOn("t.next_invoice_date")} price on true
   where t.organisation_id = $1 and ${BILLABLE} and t.next_invoice_date <= $2::date order by t.id for update of t`);
const ADVANCE =
  statement(`update domains t set next_invoice_date = n.next, version = t.version + 1, updated_at = statement_timestamp()
    from unnest($2::uuid[], $3::date[]) n (id, next) where t.organisation_id = $1 and t.id = n.id`);

interface Due {
  id: string;
  company_id: string;
  name: string;
  tld: string | null;
  auto_invoice_mode: AutoInvoiceMode | null;
  due: string;
  billed: boolean;
  /** Null without a price. */
  amount: string | null;
  currency: string;
}

/**
 * Emits `domain.due` for due domains and advances them by a year. A domain without a price waits unchanged; an unbilled one only advances.
 */
async function renew(organisationId: string, today: string): Promise<void> {
  const due = await query<Due>(DUE, [organisationId, today]);
  const advanced = due.filter(({ billed, amount }) => !billed || amount !== null);
  if (advanced.length === 0) return;
  emitAll(
    "domain.due",
    "domain",
    advanced.flatMap(({ id, billed, amount, due: period_end, company_id, name, tld, auto_invoice_mode, currency }) => {
      if (!billed || amount === null) return [];
      const period = { period_start: yearBefore(period_end), period_end };
      return [
        {
          entityId: id,
          payload: { domain_id: id, company_id, name, tld: tld && labelOf(tld), auto_invoice_mode, amount, currency, ...period },
        },
      ];
    }),
  );
  enqueue(ADVANCE, [organisationId, advanced.map(({ id }) => id), advanced.map((domain) => yearAfter(domain.due))]);
}

/** The daily run of an organisation: one year of each due domain, in its own transaction (assets §2.4). */
export const runRenewals = (run: Pick<OrganisationRun, "organisation" | "today" | "write">): Promise<void> =>
  run.write(() => renew(run.organisation.id, run.today()));
