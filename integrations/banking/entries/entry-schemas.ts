import { namedValues } from "../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  field,
  flag,
  input,
  instant,
  integer,
  list,
  multiline,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";
import { IGNORED_AS, proposalRead } from "../matching/proposal.ts";

export const STATES = namedValues("BankEntryState", ["open", "proposed", "matched", "ignored"]);
const KINDS = ["payment", "bank_costs", "interest"] as const;

const ENTRY = {
  statement_id: "The first statement that had it",
  account: "IBAN of the account, or its number",
  booked_on: "The day of the booking at the bank",
  value_on: "The day from which interest counts; null if the file does not say",
  amount: "In `currency`; negative for money that went out",
  currency: "ISO 4217 code of the account",
  counter_iban: "Account of the other side; null if the file does not say",
  counter_name: "Name of the other side; null if the file does not say",
  description: "What the payer wrote, on one line",
  reference: "Structured reference of the payment; null without one",
  bank_reference: "The bank's reference, unique within the account; null without one",
  kind: "What the bank says it is",
  reversal: "Whether it reverses an earlier entry",
  return_reason: "Reason code of a returned payment (ISO 20022), such as `AC04`; null for other entries",
  original_amount: "Amount before conversion, in `original_currency`; null without conversion",
  original_currency: "ISO 4217 code before conversion; null without conversion",
  state:
    "`matched` when nothing of it is open, `ignored` when it was set aside, `proposed` with at least one proposal, else `open`. A part that was matched leaves the rest open",
  ignored_as: "What it is that pays no invoice; null unless it is ignored",
  note: "A remark of the person who ignored it; null without one",
  matched_amount: "The part that was booked on invoices, in `currency`",
  open_amount: "The rest: `amount` without `matched_amount`",
  company_id: "The client of the invoices it was booked on; null if none, or several",
  company_name: "Name of that client; null like `company_id`",
  allocations: "What of it was booked, by invoice",
  proposals: "What it probably is, the likeliest first; at most five. They follow changes of invoices within seconds",
};

const allocation = Type.Object({
  id: field(uuid(), "The allocation"),
  invoice_id: field(uuid(), "The invoice or credit note"),
  invoice_number: nullable(Type.String({ description: "Its number" })),
  payment_id: field(uuid(), "The payment that was booked on it"),
  amount: decimal({ description: "The part of the entry, in the currency of the account" }),
  invoice_amount: decimal({ description: "The payment, in the currency of the invoice" }),
});

export const BankEntryRead = answer(
  "BankEntryRead",
  {
    id: uuid(),
    statement_id: uuid(),
    account: Type.String(),
    booked_on: date(),
    value_on: nullable(date()),
    amount: decimal(),
    currency: Type.String(),
    counter_iban: nullable(Type.String()),
    counter_name: nullable(Type.String()),
    description: Type.String(),
    reference: nullable(Type.String()),
    bank_reference: nullable(Type.String()),
    kind: choice(KINDS),
    reversal: flag(),
    return_reason: nullable(Type.String()),
    original_amount: nullable(decimal()),
    original_currency: nullable(Type.String()),
    state: choice(STATES),
    ignored_as: nullable(choice(IGNORED_AS)),
    note: nullable(Type.String()),
    matched_amount: decimal(),
    open_amount: decimal(),
    company_id: nullable(uuid()),
    company_name: nullable(Type.String()),
    allocations: list(allocation),
    proposals: list(proposalRead()),
    created_at: instant(),
    updated_at: instant(),
  },
  ENTRY,
);

const amount = (description: string) => decimalInput({ decimalPlaces: 2, description });

export const BankEntryMatch = input("BankEntryMatch", {
  allocations: Type.Array(
    Type.Object(
      {
        invoice_id: field(uuid(), "The invoice or credit note"),
        amount: amount("The part of the entry, in the currency of the account, with the sign of the entry"),
        invoice_amount: optional(
          amount("What to book, in the currency of the invoice: required where that is another one, else left out"),
        ),
      },
      { additionalProperties: false },
    ),
    { minItems: 1, maxItems: 100, description: "Invoices to pay, each once; together at most what is open of the entry" },
  ),
});

export const BankEntryIgnore = input(
  "BankEntryIgnore",
  { ignored_as: choice(IGNORED_AS), note: optional(nullable(multiline(500))) },
  { ignored_as: "What it is that pays no invoice", note: "A remark; null or absent without one" },
);

export const BankMatchAllRead = answer(
  "BankMatchAllRead",
  {
    dry_run: flag(),
    matched: integer(),
    left_out: integer(),
    entries: list(
      Type.Object({
        entry_id: field(uuid(), "The entry"),
        amount: decimal({ description: "What of it is booked, in the currency of the account" }),
        score: integer(0, 100, { description: "Score of the proposal" }),
        invoice_ids: field(list(uuid()), "The invoices it pays"),
      }),
    ),
  },
  {
    dry_run: "Whether nothing was booked",
    matched: "Entries that were booked, or would be",
    left_out:
      "Entries with such a proposal that were not: another entry pays the same invoice, it changed meanwhile, or they are beyond the 200 of one call",
    entries: "The entries that were booked, or would be",
  },
);
