import { noRows, type RowsByTable } from "../../../core/database/rows-at-once.ts";

/** The tables to fill, referenced tables first. */
const TABLES = [
  "client_terms",
  "products",
  "subscription_types",
  "subscriptions",
  "subscription_prices",
  "invoices",
  "quotes",
  "document_lines",
  "invoice_payments",
] as const;

export type DemoRows = RowsByTable<(typeof TABLES)[number]>;

export const noDemoRows = (): DemoRows => noRows(TABLES);
