import { queryOne } from "../../../core/database/query.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import type { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { pageOfInvoices } from "../documents/invoices/invoice-rows.ts";
import { quotesWithoutLines } from "../documents/quotes/quote-rows.ts";
import { converted } from "./conversion.ts";

/** Documents in a company's panel (money §17). */
const IN_PANEL = { invoices: 8, quotes: 5 };

const OUTSTANDING = converted("t.outstanding", "$4");
/**
 * The amount a company owes minus its open credit, in the organisation's currency `$4`. Documents in another currency without a rate are
 * left out.
 */
const OWED = statement(`select round(sum(${OUTSTANDING}), 2)::text as value,
    coalesce(sum(${OUTSTANDING}) > 0, false) as is_owed,
    coalesce(sum(${OUTSTANDING}) filter (where t.due_date < $3::date) > 0, false) as is_late,
    count(*) filter (where t.due_date < $3::date and t.outstanding > 0)::int as overdue
  from invoices t where t.organisation_id = $1 and t.company_id = $2 and t.status = 'open'`);

interface Owed {
  value: string | null;
  is_owed: boolean;
  is_late: boolean;
  overdue: number;
}

const itemsOf = (page: JsonText): object[] => (page.parse() as { items: object[] }).items;

export default service("invoicing.company", {
  actions: {
    panel: internal({
      summary: "The newest invoices of a company, and quotes for permitted readers",
      permission: "invoicing.invoice.read",
      contributes: { panel: { entity: "company", key: "invoicing.company", position: 65 } },
      async handler({ params: { company_id } }) {
        const mayReadQuotes = mayCaller("invoicing.quote.read") && !request().principal?.isClientLogin;
        const [invoices, quotes] = await Promise.all([
          pageOfInvoices({ limit: IN_PANEL.invoices, count: false }, { company_id }, false),
          mayReadQuotes ? quotesWithoutLines.page({ limit: IN_PANEL.quotes, count: false }, { company_id }) : null,
        ]);
        return { invoices: itemsOf(invoices), quotes: quotes ? itemsOf(quotes) : [] };
      },
    }),

    tile: internal({
      summary: "A company's amount due, and its number of overdue invoices",
      permission: "invoicing.invoice.read",
      contributes: { tile: { entity: "company", key: "invoicing.outstanding", position: 10 } },
      async handler({ params: { company_id } }) {
        const { organisation } = request();
        const row = (await queryOne<Owed>(OWED, [
          organisation.id,
          company_id,
          organisationToday(),
          organisation.currency,
        ])) as Owed;
        if (!row.is_owed) return null;
        const tile = { value: row.value, format: "money", currency: organisation.currency, tone: row.is_late ? "bad" : "warn" };
        if (row.overdue === 0) return tile;
        return { ...tile, hint_key: "summary.invoicing.overdue", hint_params: { count: row.overdue } };
      },
    }),
  },
});
