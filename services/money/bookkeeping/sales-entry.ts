import type { SalesEntry } from "../../../mixins/sales-entry.ts";
import type { Customer } from "../calculation/bill-to.ts";
import type { TaxCategory } from "../calculation/groups.ts";
import { netsOf } from "../calculation/nets.ts";
import type { StoredTaxGroup } from "../calculation/totals.ts";
import type { InvoiceKind } from "../documents/models.ts";

/** The source of a sales entry: an issued document as an answer. */
export interface ExportedInvoice {
  readonly number: string;
  readonly kind: InvoiceKind;
  readonly issue_date: string | null;
  readonly due_date: string | null;
  readonly reference: string | null;
  readonly currency: string;
  readonly exchange_rate: string | null;
  readonly prices_include_tax: boolean;
  readonly total: string;
  readonly customer: Pick<Customer, "client_number" | "name">;
  readonly tax_groups: readonly StoredTaxGroup[];
  readonly lines: readonly {
    readonly description: string;
    readonly amount: string;
    readonly tax_rate_id: string | null;
    readonly tax_rate_pct: string;
    readonly tax_category: TaxCategory;
    readonly tax_name: string;
  }[];
}

/**
 * A document for bookkeeping: every line net (money §3 "Net per line"), so that nets and taxes add up to the total.
 * @param ledgerCodes the ledger accounts of tax rates, by id
 */
export function salesEntry(invoice: ExportedInvoice, ledgerCodes: ReadonlyMap<string, string | null>): SalesEntry {
  const nets = netsOf(invoice.lines, invoice);
  const { number, kind, issue_date, due_date, reference, currency, exchange_rate, total, customer } = invoice;
  return {
    number,
    kind,
    issue_date,
    due_date,
    reference,
    currency,
    exchange_rate,
    total,
    client_number: customer.client_number,
    client: customer.name,
    lines: invoice.lines.map(({ description, tax_rate_id, tax_category, tax_rate_pct }, index) => ({
      description,
      ledger_code: tax_rate_id === null ? null : (ledgerCodes.get(tax_rate_id) ?? null),
      tax_category,
      tax_rate_pct,
      net: nets[index] as string,
    })),
    taxes: invoice.tax_groups.map(({ name, category, rate_pct, base, tax }) => ({
      name,
      tax_category: category,
      tax_rate_pct: rate_pct,
      base,
      tax,
    })),
  };
}
