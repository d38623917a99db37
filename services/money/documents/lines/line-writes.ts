import { columns, newId } from "../../../../core/database/model.ts";
import { enqueue, query } from "../../../../core/database/query.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { taxRatesFor } from "../../settings/tax-rates.ts";
import { DocumentLine, type DocumentLineRow, type InvoiceRow } from "../models.ts";
import type { SentLine } from "./line-schemas.ts";
import { type NewLine, plainLines } from "./line-values.ts";

/** The kind of document that lines belong to. */
export type Owner = "invoice" | "quote";

const STORED = {
  id: "uuid",
  position: "int",
  description: "text",
  line_kind: "text",
  quantity: "numeric",
  unit: "text",
  unit_price: "numeric",
  amount: "numeric",
  tax_rate_id: "uuid",
  tax_rate_pct: "numeric",
  tax_category: "text",
  tax_name: "text",
  deposit_id: "uuid",
  tax_amount: "numeric",
  time_entry_ids: "uuid[]",
  subscription_id: "uuid",
  domain_id: "uuid",
  period_start: "date",
  period_end: "date",
};
const NAMES = Object.keys(STORED);
const RECORD = Object.entries(STORED)
  .map(([name, type]) => `${name} ${type}`)
  .join(", ");

const statementsOf = (owner: Owner) => ({
  store: statement(`insert into document_lines (organisation_id, ${owner}_id, ${NAMES.join(", ")})
    select $1, $2, ${NAMES.map((name) => `l.${name}`).join(", ")} from jsonb_to_recordset($3::jsonb) l (${RECORD})`),
  drop: statement(`delete from document_lines where organisation_id = $1 and ${owner}_id = $2`),
  read: statement(`select ${columns(DocumentLine, "l")} from document_lines l
    where l.organisation_id = $1 and l.${owner}_id = $2 order by l.position`),
});
const STATEMENTS = { invoice: statementsOf("invoice"), quote: statementsOf("quote") };

/** The lines of a document in order. */
export const linesOf = (owner: Owner, id: string): Promise<DocumentLineRow[]> =>
  query<DocumentLineRow>(STATEMENTS[owner].read, [request().organisation.id, id]);

/** Stores the lines of a new document in order, from position 0. Sent with the next read or the commit. */
export function storeLines(owner: Owner, id: string, lines: readonly NewLine[]): void {
  if (lines.length === 0) return;
  const rows = lines.map((line, position) => ({ ...line, id: newId(), position }));
  enqueue(STATEMENTS[owner].store, [request().organisation.id, id, JSON.stringify(rows)]);
}

/** Replaces the lines of a document; they get new ids (money §2 "Update"). */
export function replaceLines(owner: Owner, id: string, lines: readonly NewLine[]): void {
  enqueue(STATEMENTS[owner].drop, [request().organisation.id, id]);
  storeLines(owner, id, lines);
}

/**
 * Lines with their tax frozen (money §2 "Frozen at line write").
 * @param document its locale, for the name of the tax, and its currency, for rounding to the minor unit
 * @param claims whether they may bill hours and periods
 * @throws 400 `lines` for an unknown tax rate, 422 for an invalid line
 */
export async function taxedLines(
  sent: readonly SentLine[],
  { locale, currency }: Pick<InvoiceRow, "locale" | "currency">,
  claims: boolean,
): Promise<NewLine[]> {
  const plain = plainLines(sent, currency, claims);
  if (plain.length === 0) return [];
  const taxes = await taxRatesFor(
    plain.map(({ tax_rate_id }) => tax_rate_id),
    locale,
  );
  return plain.map((line, index) => ({ ...line, ...(taxes[index] as (typeof taxes)[number]) }));
}
