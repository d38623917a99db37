import { columns } from "../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import type { Values } from "../../../core/database/write.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { SellerDetails } from "../calculation/seller.ts";
import type { PaymentTerms } from "../calculation/terms.ts";
import { InvoicingSettings, type InvoicingSettingsRow } from "./models.ts";

/** An organisation's invoicing settings; sequence numbers are text, because they can exceed the exact integers of a number. */
export type Settings = Omit<InvoicingSettingsRow, "organisation_id" | "created_at" | "updated_at">;

/** The version of unsaved settings, and of a new row with the defaults: both have the same content. */
const FIRST_VERSION = 1;

/** The settings of an organisation that never saved any (money §1). */
const defaults = (brand: string): Settings => ({
  version: FIRST_VERSION,
  company_details: { name: brand },
  tax_country: "NL",
  prices_include_tax: false,
  default_due_days: 14,
  default_due_basis: "invoice_date",
  default_payment_discount: null,
  quote_valid_days: 30,
  default_tax_rate_id: null,
  default_template_id: null,
  default_hourly_rate: null,
  invoice_number_format: "{year}-{seq:4}",
  quote_number_format: "Q{year}-{seq:4}",
  invoice_next_seq: "1",
  quote_next_seq: "1",
  invoice_seq_year: null,
  quote_seq_year: null,
  number_reset_yearly: true,
  auto_invoice_mode: "draft",
  reminders_enabled: false,
  reminder_days: [7, 14, 30],
  public_invoice_links: true,
});

const READ = statement(`select coalesce(o.brand_name, o.name) as brand, ${columns(InvoicingSettings, "s")}
  from organisations o left join invoicing_settings s on s.organisation_id = o.id where o.id = $1`);
/** The table has the same defaults for the other columns. */
const MAKE = statement(`insert into invoicing_settings (organisation_id, company_details)
  select o.id, jsonb_build_object('name', coalesce(o.brand_name, o.name)) from organisations o where o.id = $1
  on conflict (organisation_id) do nothing`);
/** Locks the settings of organisation `$1` until the transaction ends, if the row exists. */
export const LOCK_SETTINGS = statement(
  `select ${columns(InvoicingSettings)} from invoicing_settings where organisation_id = $1 for update`,
);

/** The payment terms of documents without their own. */
export const usualTerms = ({ default_due_days, default_due_basis }: Settings): PaymentTerms => ({
  days: default_due_days,
  basis: default_due_basis,
});

/** All fields of the seller, null for missing ones. */
export const wholeSeller = (seller: SellerDetails): Required<SellerDetails> => ({
  name: null,
  address_line1: null,
  address_line2: null,
  postal_code: null,
  city: null,
  country: null,
  vat_number: null,
  coc_number: null,
  iban: null,
  bic: null,
  website: null,
  email: null,
  phone: null,
  ...seller,
});

/**
 * The running organisation's invoicing settings (money §1). Returns the defaults if none were saved; a write request stores them with its
 * transaction, a read request does not.
 */
export async function readSettings(): Promise<Settings> {
  const store = request();
  const row = await queryOne<InvoicingSettingsRow & { brand: string }>(READ, [store.organisation.id]);
  if (row && row.version !== null) return row;
  if (store.mode === "write") enqueue(MAKE, [store.organisation.id]);
  return defaults(row?.brand ?? store.organisation.name);
}

/**
 * The same, locked until the transaction ends and created if missing: an issue holds the lock for its numbering (money §5). Needs an action
 * that writes.
 */
export async function lockSettings(): Promise<InvoicingSettingsRow> {
  const { id } = request().organisation;
  enqueue(MAKE, [id]);
  return (await queryOne<InvoicingSettingsRow>(LOCK_SETTINGS, [id])) as InvoicingSettingsRow;
}

/** The settings that can be stored. */
export type SettingValues = Partial<Omit<Settings, "version">>;

/** Stores settings that {@link lockSettings} has locked, and increments their version. Sent with the next read or the commit. */
export function storeSettings(values: SettingValues): void {
  const given = Object.entries(values as Values).filter(([, value]) => value !== undefined);
  const sets = given.map(([name], index) => {
    if (!Object.hasOwn(InvoicingSettings.columns, name)) throw new TypeError(`invoicing_settings has no column ${name}`);
    return `${name} = $${index + 2}`;
  });
  enqueue(
    statement(`update invoicing_settings set ${[...sets, "version = version + 1", "updated_at = statement_timestamp()"].join(", ")}
      where organisation_id = $1`),
    [request().organisation.id, ...given.map(([name, value]) => (name === "company_details" ? JSON.stringify(value) : value))],
  );
}
