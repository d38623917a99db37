import { column, model, type RowOf, tenantModel } from "../../core/database/model.ts";
import { conflict, notFound } from "../../core/errors/errors.ts";
import type { Proposal } from "./matching/proposal.ts";
import type { EntryKind, StatementFormat } from "./reading/read-statement.ts";

const { boolean, date, decimal, instant, integer, json, text, uuid } = column;

/** A statement of one account. */
export const BankStatement = tenantModel("bank_statements", {
  statement_key: text(),
  file_name: text(),
  format: text<StatementFormat>(),
  account: text(),
  currency: text(),
  number: text().orNull(),
  from_day: date(),
  to_day: date(),
  opening: decimal(14, 2).orNull(),
  closing: decimal(14, 2).orNull(),
  balances: boolean().withDefault(),
  entry_count: integer(),
  added_count: integer(),
  pending_count: integer().withDefault(),
}).whenViolated({
  // Uploads of the same statement at once: the second one adds nothing that the first has not.
  bank_statements_key: () => conflict(),
});

export type EntryState = "open" | "proposed" | "matched" | "ignored";

/** An entry of an account: money that came in or went out. */
export const BankEntry = tenantModel("bank_entries", {
  statement_id: uuid(),
  entry_key: text(),
  position: integer(),
  account: text(),
  booked_on: date(),
  value_on: date().orNull(),
  amount: decimal(14, 2),
  currency: text(),
  counter_iban: text().orNull(),
  counter_name: text().orNull(),
  description: text().withDefault(),
  reference: text().orNull(),
  bank_reference: text().orNull(),
  kind: text<EntryKind>(),
  reversal: boolean().withDefault(),
  return_reason: text().orNull(),
  original_amount: decimal(14, 2).orNull(),
  original_currency: text().orNull(),
  state: text<EntryState>().withDefault(),
  ignored_as: text().orNull(),
  note: text().orNull().blankIsNull(),
  matched_amount: decimal(14, 2).withDefault(),
  open_amount: decimal(14, 2).byDatabase(),
  company_id: uuid().orNull(),
  proposals: json<readonly Proposal[]>().withDefault(),
  search_text: text().byDatabase(),
}).whenViolated({
  // Entries are added with `on conflict`.
  bank_entries_key: () => conflict(),
});
export type BankEntryRow = RowOf<typeof BankEntry>;

/** A part of an entry that was booked on an invoice, with its payment. */
export const BankAllocation = tenantModel("bank_allocations", {
  entry_id: uuid(),
  invoice_id: uuid(),
  payment_id: uuid(),
  amount: decimal(14, 2),
  invoice_amount: decimal(12, 2),
}).whenViolated({
  // Each match makes payments of its own.
  bank_allocations_payment: () => conflict(),
});

/** What the service does with statements without a person. */
export const BankSettings = model("bank_settings", {
  organisation_id: uuid().byPlatform(),
  created_at: instant().withDefault(),
  updated_at: instant().withDefault(),
  version: integer().withDefault(),
  match_exact: boolean().withDefault(),
});

/** A mandate of a client for SEPA direct debit. */
export const SepaMandate = tenantModel("sepa_mandates", {
  company_id: uuid(),
  reference: text(),
  scheme: text<"core" | "b2b">(),
  // The trail says that the account changed, never its number.
  iban: text(),
  bic: text().orNull(),
  account_holder: text().tracked(),
  signed_on: date().tracked(),
  revoked_on: date().orNull().tracked(),
}).whenViolated({
  sepa_mandates_reference: () => conflict("errors.conflict", "reference"),
  // A client that is deleted between the check and the write is not found either.
  sepa_mandates_company_fkey: notFound,
});
