import { namedValues } from "../../../core/naming/named-values.ts";
import { choice, decimal, field, flag, integer, list, nullable, Type, uuid } from "../../../core/schema/schema.ts";

/** Why an entry is proposed for an invoice, or to be ignored. */
export const REASONS = [
  "number",
  "several_numbers",
  "amount",
  "iban",
  "name",
  "all_open",
  "pair",
  "partial",
  "overpaid",
  "discount",
  "several_clients",
  "ambiguous",
  "other_currency",
  "bank_costs",
  "interest",
] as const;
export type Reason = (typeof REASONS)[number];

/** What an entry is that pays no invoice. */
export const IGNORED_AS = namedValues("BankEntryIgnoredAs", [
  "bank_costs",
  "interest",
  "own_transfer",
  "private",
  "salary",
  "tax",
  "purchase",
  "other",
]);
export type IgnoredAs = (typeof IGNORED_AS)[number];

/** A part of an entry for one invoice. */
export interface ProposedAllocation {
  invoice_id: string;
  invoice_number: string;
  /** Decimal text in the currency of the entry. */
  amount: string;
  /** Decimal text in the currency of the invoice. */
  invoice_amount: string;
}

/** What an entry probably is, from 0 to 100. */
export interface Proposal {
  score: number;
  /** Number, amount and the client's account agree, and nothing else does as well. */
  exact: boolean;
  reasons: Reason[];
  allocations: ProposedAllocation[];
  ignore_as: IgnoredAs | null;
}

/** A proposal in answers. */
export const proposalRead = () =>
  Type.Object({
    score: integer(0, 100, { description: "How much speaks for it; 100 is exact" }),
    exact: field(flag(), "Whether number, amount and the client's account all agree"),
    reasons: field(list(choice(REASONS)), "What speaks for it, or limits it"),
    allocations: field(
      list(
        Type.Object({
          invoice_id: field(uuid(), "The invoice"),
          invoice_number: Type.String({ description: "Its number" }),
          amount: decimal({ description: "The part of the entry, in the currency of the account" }),
          invoice_amount: decimal({ description: "What it pays, in the currency of the invoice" }),
        }),
      ),
      "The invoices that it pays; empty if the entry is to be ignored",
    ),
    ignore_as: field(nullable(choice(IGNORED_AS)), "What the entry is that pays no invoice; null if it pays one"),
  });
