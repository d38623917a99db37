import { languageOf } from "../../rendering/texts/formats.ts";
import type { EntryType } from "./statement.ts";

/** The words of a statement of account. */
export interface StatementWords {
  heading: string;
  file: string;
  to: string;
  period: string;
  client_number: string;
  columns: Record<"date" | "entry" | "due" | "amount" | "balance" | "open", string>;
  entries: Record<EntryType, string>;
  opening: string;
  closing: string;
  overdue: string;
  items: string;
  nothing: string;
}

const nl: StatementWords = {
  heading: "Rekeningoverzicht",
  file: "rekeningoverzicht",
  to: "Rekeningoverzicht voor",
  period: "Periode",
  client_number: "Klantnummer",
  columns: { date: "Datum", entry: "Omschrijving", due: "Vervaldatum", amount: "Bedrag", balance: "Saldo", open: "Openstaand" },
  entries: {
    ...{ invoice: "Factuur", credit_note: "Creditnota", payment: "Betaling", refund: "Terugbetaling" },
    cancellation: "Annulering",
  },
  opening: "Beginsaldo",
  closing: "Eindsaldo",
  overdue: "Waarvan vervallen",
  items: "Openstaande posten",
  nothing: "Er zijn geen facturen of betalingen.",
};

const en: StatementWords = {
  heading: "Statement of account",
  file: "statement",
  to: "Statement for",
  period: "Period",
  client_number: "Client number",
  columns: { date: "Date", entry: "Description", due: "Due date", amount: "Amount", balance: "Balance", open: "Open" },
  entries: {
    ...{ invoice: "Invoice", credit_note: "Credit note", payment: "Payment", refund: "Refund" },
    cancellation: "Cancellation",
  },
  opening: "Opening balance",
  closing: "Closing balance",
  overdue: "Of which overdue",
  items: "Open items",
  nothing: "There are no invoices and no payments.",
};

/** The words of a statement: Dutch for nl, English for every other language, as on invoices. */
export const statementWords = (locale: string): StatementWords => (languageOf(locale) === "nl" ? nl : en);
