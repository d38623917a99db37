import { columns } from "../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import type { Values } from "../../../core/database/write.ts";
import { request } from "../../../core/request/context.ts";
import { InvoicingSettings, type InvoicingSettingsRow, type SellerDetails } from "./models.ts";

/** How an organisation invoices; sequence numbers are text, for they may be larger than a number is exact. */
export type Settings = Omit<InvoicingSettingsRow, "organisation_id" | "created_at" | "updated_at">;

/** The version of settings that were never stored, and of a row that was just made with the defaults: their content is the same. */
const FIRST_VERSION = 1;

/** The settings of an organisation that never saved any (money §1). */
const defaults = (brand: string): Settings => ({
  version: FIRST_VERSION,
  company_details: { name: brand },
  tax_country: "NL",
  prices_include_tax: false,
  default_due_days: 14,
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
/** The columns that are not named have the same defaults in the table. */
const MAKE = statement(`insert into invoicing_settings (organisation_id, company_details)
  select o.id, jsonb_build_object('name', coalesce(o.brand_name, o.name)) from organisations o where o.id = $1
  on conflict (organisation_id) do nothing`);
/** Locks the settings of organisation `$1` until the transaction ends, if they were stored. */
export const LOCK_SETTINGS = statement(
  `select ${columns(InvoicingSettings)} from invoicing_settings where organisation_id = $1 for update`,
);

/** Every field of the seller, null where nothing was given. */
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
 * How the running organisation invoices (money §1). Settings that were never stored are the defaults, which a request that writes stores
 * with its transaction and one that reads does not.
 */
export async function readSettings(): Promise<Settings> {
  const store = request();
  const row = await queryOne<InvoicingSettingsRow & { brand: string }>(READ, [store.organisation.id]);
  if (row && row.version !== null) return row;
  if (store.mode === "write") enqueue(MAKE, [store.organisation.id]);
  return defaults(row?.brand ?? store.organisation.name);
}

/**
 * The same, locked until the transaction ends and stored if they never were: numbering holds them for the whole of an issue (money §5).
 * Needs an action that writes.
 */
export async function lockSettings(): Promise<InvoicingSettingsRow> {
  const { id } = request().organisation;
  enqueue(MAKE, [id]);
  return (await queryOne<InvoicingSettingsRow>(LOCK_SETTINGS, [id])) as InvoicingSettingsRow;
}

/** What may be stored of settings. */
export type SettingValues = Partial<Omit<Settings, "version">>;

/** Stores settings that {@link lockSettings} has locked, and counts their version up. It is sent with the next read or the commit. */
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
