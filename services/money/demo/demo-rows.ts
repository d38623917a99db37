import type { Model } from "../../../core/database/model.ts";
import { enqueue } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";
import { Subscription, SubscriptionPrice, SubscriptionType } from "../agreements/models.ts";
import { DocumentLine, Invoice, InvoicePayment, Quote } from "../documents/models.ts";
import { Product } from "../settings/models.ts";

/** The tables that are filled, in the order in which their rows refer to each other. */
const TABLES = {
  products: Product,
  subscription_types: SubscriptionType,
  subscriptions: Subscription,
  subscription_prices: SubscriptionPrice,
  invoices: Invoice,
  quotes: Quote,
  document_lines: DocumentLine,
  invoice_payments: InvoicePayment,
} as const satisfies Record<string, Model>;
type Table = keyof typeof TABLES;

export type DemoRows = { [T in Table]: Record<string, unknown>[] };

export const noRows = (): DemoRows => Object.fromEntries(Object.keys(TABLES).map((table) => [table, []])) as unknown as DemoRows;

/** The columns that rows of a table name; all of them name the same. */
function namesOf(table: Table, rows: readonly Record<string, unknown>[]): string[] {
  const names = Object.keys(rows[0] ?? {});
  for (const name of names)
    if (!Object.hasOwn(TABLES[table].columns, name)) throw new TypeError(`${table} has no column ${name}`);
  if (rows.some((row) => Object.keys(row).join() !== names.join()))
    throw new TypeError(`rows of ${table} differ in their columns`);
  return names;
}

/** Writes the rows of each table in one statement, in the running transaction. */
export function writeRows(rows: DemoRows): void {
  for (const table of Object.keys(TABLES) as Table[]) {
    if (rows[table].length === 0) continue;
    const names = namesOf(table, rows[table]);
    const text = `insert into ${table} (organisation_id, ${names.join(", ")})
      select $1, ${names.map((name) => `r.${name}`).join(", ")} from jsonb_populate_recordset(null::${table}, $2::jsonb) r`;
    enqueue(statement(text), [request().organisation.id, JSON.stringify(rows[table])]);
  }
}
