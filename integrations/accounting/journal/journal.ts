import { createHash } from "node:crypto";
import { stringify } from "csv-stringify/sync";
import { guarded } from "../../../core/impex/files/cell.ts";
import type { EntryLine, SalesEntry } from "../../../mixins/sales-entry.ts";
import { type AccountingProvider, LedgerUnknown } from "../provider.ts";
import type { JournalStore } from "./journal-stores.ts";

/** The columns of a journal; each row is a line or a tax, with its document. */
const COLUMNS = [
  "number",
  "kind",
  "issue_date",
  "due_date",
  "client_number",
  "client",
  "reference",
  "currency",
  "exchange_rate",
  "total",
  "row",
  "ledger_code",
  "description",
  "tax_category",
  "tax_rate_pct",
  "net",
  "tax",
] as const;

const accountOf = ({ ledger_code: code, description }: EntryLine): string => {
  if (code === null) throw new LedgerUnknown(description);
  return code;
};

/** Guards texts, which a spreadsheet must not run as a formula; amounts stay unchanged. */
const cells = (texts: readonly (string | null)[]): string[] => texts.map((text) => guarded(text ?? ""));

/**
 * An entry as the journal of one document: a row per line with its ledger account and net amount, then a row per tax; UTF-8, commas, CRLF
 * (RFC 4180). The same entry always gives the same text.
 * @throws LedgerUnknown for a line without an account
 */
export function journalText(entry: SalesEntry): string {
  const { number, kind, issue_date, due_date, client_number, client, reference, currency, exchange_rate, total } = entry;
  const head = [
    ...cells([number, kind, issue_date, due_date, client_number, client, reference, currency]),
    exchange_rate ?? "",
    total,
  ];
  const lines = entry.lines.map((line) => [
    ...head,
    ...cells(["line", accountOf(line), line.description, line.tax_category]),
    line.tax_rate_pct,
    line.net,
    "",
  ]);
  const taxes = entry.taxes.map((tax) => [
    ...head,
    ...cells(["tax", "", tax.name, tax.tax_category]),
    tax.tax_rate_pct,
    tax.base,
    tax.tax,
  ]);
  return stringify([[...COLUMNS], ...lines, ...taxes], { record_delimiter: "\r\n", quoted_match: /[\r\n]/ });
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Writes one file per document for bookkeeping that reads a folder or bucket; the name is the encoded document number. */
function files(
  store: JournalStore,
  ending: string,
  provider: Pick<AccountingProvider, "key" | "label" | "contents">,
): AccountingProvider {
  const fileOf = (number: string): string => `${encodeURIComponent(number)}.${ending}`;
  return {
    ...provider,
    async find({ slug }, number) {
      const text = await store.read(slug, fileOf(number));
      return text === null ? null : { external_id: fileOf(number), hash: hashOf(text) };
    },
    create: ({ slug }, number, contents) => store.create(slug, fileOf(number), contents),
    replace: ({ slug }, number, contents) => store.replace(slug, fileOf(number), contents),
  };
}

/** The journal of each document. */
export const journal = (store: JournalStore): AccountingProvider =>
  files(store, "csv", { key: "journal", label: "Journal (CSV)", contents: journalText });

/** The e-invoice of each document (EN 16931), the same file as the download. */
export const eInvoices = (store: JournalStore): AccountingProvider =>
  files(store, "xml", { key: "ubl", label: "E-invoices (UBL)", contents: (_, eInvoice) => eInvoice() });
