import { columns, newId } from "../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { writeRows } from "../../../core/database/rows-at-once.ts";
import { queueInsert } from "../../../core/database/write.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { demoIds } from "../../../core/values/demo-ids.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { freezeLooks } from "../documents/issued-looks.ts";
import { InvoiceTemplate, TaxRate, type TaxRateRow } from "../settings/models.ts";
import { lockSettings, storeSettings, wholeSeller } from "../settings/settings-rows.ts";
import { type FrozenTax, labelIn, seedTaxRates } from "../settings/tax-rates.ts";
import { addAgreements } from "./demo-agreements.ts";
import { DEMO_ITEMS, DEMO_SELLER } from "./demo-catalogue.ts";
import { addInvoices, addQuotes, type DemoClient, type DemoPaper } from "./demo-documents.ts";
import { noDemoRows } from "./demo-rows.ts";

const LOCALE = "nl";
const BUSY = statement("select 1 from invoices where organisation_id = $1 limit 1");
const CLIENTS =
  statement(`select c.id, c.name, c.legal_name, c.address_line1, c.house_number, c.address_line2, c.postal_code, c.city,
    c.country, c.vat_number, c.coc_number, c.client_number, c.invoice_email
  from companies c where c.organisation_id = $1 and c.status in ('active', 'onboarding') order by c.client_number limit 24`);
const RATES = statement(`select ${columns(TaxRate)} from tax_rates where organisation_id = $1`);
/** Sets the quote of converted invoices. */
const CONVERTED = statement(`update invoices i set quote_id = q.id from quotes q
  where i.organisation_id = $1 and q.organisation_id = $1 and q.invoice_id = i.id`);

/** The frozen fields of the seeded rates, by percentage; only standard and reduced rates. */
async function frozenRates(organisation: string): Promise<Record<string, FrozenTax>> {
  const rates = await query<TaxRateRow>(RATES, [organisation]);
  return Object.fromEntries(
    rates
      .filter(({ category }) => category === "standard" || category === "reduced")
      .map(({ id, rate, category, label_i18n }) => [
        rate,
        { tax_rate_id: id, tax_rate_pct: rate, tax_category: category, tax_name: labelIn(label_i18n, LOCALE) },
      ]),
  );
}

/**
 * Adds products, invoices and quotes in every state, agreements and a template to the demo organisation. Does nothing if invoices exist
 * already.
 */
export async function fillMoney({ organisation }: Pick<DemoOrganisation, "organisation">): Promise<void> {
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async () => {
      if (await queryOne(BUSY, [organisation.id])) return;
      const clients = await query<DemoClient>(CLIENTS, [organisation.id]);
      if (clients.length === 0) return;
      await lockSettings();
      await seedTaxRates();
      const taxes = await frozenRates(organisation.id);
      const rows = noDemoRows();
      const ids = demoIds(organisation);
      const paper: DemoPaper = { rows, ids, clients, taxes, today: organisationToday() };
      for (const [position, { name, unit, price, rate }] of DEMO_ITEMS.entries())
        rows.products.push({
          id: ids("invoicing/products"),
          name,
          unit,
          unit_price: price,
          tax_rate_id: taxes[rate]?.tax_rate_id,
          position,
        });
      const [first] = clients;
      if (first) rows.client_terms.push({ id: newId(), company_id: first.id, payment_discount: { percent: "2.00", days: 8 } });
      addAgreements(paper);
      const { invoices, last } = addInvoices(paper);
      const lastQuote = addQuotes(paper, invoices);
      writeRows(rows);
      enqueue(CONVERTED, [organisation.id]);
      const template = queueInsert(InvoiceTemplate, {
        id: ids("invoicing/templates"),
        name: "Huisstijl",
        is_default: true,
        config: { design: "letterhead" },
      });
      storeSettings({
        company_details: wholeSeller(DEMO_SELLER),
        default_template_id: template,
        invoice_next_seq: String(last.seq + 1),
        invoice_seq_year: last.year,
        quote_next_seq: String(lastQuote.seq + 1),
        quote_seq_year: lastQuote.year,
      });
      freezeLooks();
    },
  );
}
