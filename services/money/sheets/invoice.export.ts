import { query } from "../../../core/database/query.ts";
import type { Values } from "../../../core/database/write.ts";
import type { ExportEntity } from "../../../core/impex/entity.ts";
import { exportedIds } from "../../../core/impex/exported-ids.ts";
import type { Field } from "../../../core/impex/field.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { flag, nameOf, optional, text, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { decimal } from "../../../core/values/money.ts";
import type { TaxCategory } from "../calculation/groups.ts";
import type { StoredTaxGroup } from "../calculation/totals.ts";
import { ublCategory } from "../documents/e-invoices/categories.ts";
import { invoiceListing } from "../documents/invoices/invoice.list.ts";
import { INVOICE_STATUSES } from "../documents/invoices/invoice-schemas.ts";

/** The columns of an invoice spreadsheet: documents without their lines. */
const COLUMNS: readonly Field[] = [
  ...(["id"] as const).map((key): Field => ({ key, kind: "id" })),
  ...(["number", "kind", "status", "client_number", "company"] as const).map((key): Field => ({ key, kind: "text" })),
  ...(["issue_date", "due_date", "delivery_date"] as const).map((key): Field => ({ key, kind: "date" })),
  ...(["reference", "currency"] as const).map((key): Field => ({ key, kind: "text" })),
  ...(
    ["exchange_rate", "subtotal", "tax_total", "total", "paid_total", "credited_total", "applied_total", "outstanding"] as const
  ).map((key): Field => ({ key, kind: "number" })),
  ...(["paid_at", "sent_at"] as const).map((key): Field => ({ key, kind: "datetime" })),
];

/** Uses the document's bill-to name; a draft without one uses the client's name. */
const ROWS = statement(`select t.id, t.number, t.kind, t.status, t.customer ->> 'client_number' as client_number,
    coalesce(t.customer ->> 'name', c.name) as company, t.issue_date, t.due_date, t.delivery_date, t.reference, t.currency,
    t.exchange_rate, t.subtotal, t.tax_total, t.total, t.paid_total, t.credited_total, t.applied_total, t.outstanding, t.paid_at, t.sent_at,
    t.tax_groups
  from unnest($2::uuid[]) with ordinality w(id, n) join invoices t on t.organisation_id = $1 and t.id = w.id
  left join companies c on c.organisation_id = t.organisation_id and c.id = t.company_id order by w.n`);
/** The rates of the exported documents, the highest percentage first. */
const RATES = statement(`select distinct g.rate_pct, g.category from invoices t
    cross join lateral jsonb_to_recordset(t.tax_groups) as g (rate_pct numeric, category text)
  where t.organisation_id = $1 and t.id = any($2::uuid[]) order by g.rate_pct desc, g.category`);
interface Rate {
  rate_pct: string;
  category: TaxCategory;
}

/** What the columns of a rate are called: `standard_21`, `reduced_5.5`. */
const rateKey = ({ rate_pct, category }: Rate): string => `${category}_${decimal(rate_pct).toFixed()}`;

/** Base and tax of each rate that the documents have; a rate that never adds tax has a base alone. */
async function rateColumns(wanted: readonly string[]): Promise<Field[]> {
  const rates = await query<Rate>(RATES, [request().organisation.id, wanted]);
  return rates.flatMap((rate) => {
    const isTaxed = ublCategory(rate.category, rate.rate_pct).category === "S";
    const keys = [`base_${rateKey(rate)}`, ...(isTaxed ? [`tax_${rateKey(rate)}`] : [])];
    return keys.map((key): Field => ({ key, kind: "number" }));
  });
}

/** A document's row with its tax groups as values of their columns. */
const withRates = ({ tax_groups, ...row }: Values): Values => ({
  ...row,
  ...Object.fromEntries(
    (tax_groups as StoredTaxGroup[]).flatMap((group) => [
      [`base_${rateKey(group)}`, group.base],
      [`tax_${rateKey(group)}`, group.tax],
    ]),
  ),
});

const ids = exportedIds(invoiceListing.spec, 't.number collate "C" nulls last, t.created_at, t.id');

/** Invoices and credit notes of the caller's list, with columns for each of their rates; export only, because issuing has its own rules. */
export const invoiceSheet: ExportEntity = {
  name: "invoice",
  plural: "invoices",
  read: "invoicing.invoice.read",
  fields: COLUMNS,
  filters: {
    status: optional(nameOf(50, INVOICE_STATUSES)),
    kind: optional(text(50)),
    company_id: optional(uuid()),
    overdue: optional(flag(false)),
  },
  ids({ q, updated_since, status, kind, company_id, overdue }) {
    const { principal } = request();
    // Hides drafts from client logins.
    const issued = principal?.isClientLogin ? true : undefined;
    return ids({
      q: q as string | undefined,
      updated_since: updated_since as string | undefined,
      filters: { status, kind, company_id, due_before: overdue ? organisationToday() : undefined, issued },
    });
  },
  further: rateColumns,
  async rows(wanted) {
    return (await query<Values>(ROWS, [request().organisation.id, wanted])).map(withRates);
  },
};
