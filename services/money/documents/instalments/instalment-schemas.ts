import { namedValues } from "../../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  date,
  decimal,
  decimalInput,
  field,
  input,
  list,
  nullable,
  optional,
  type Static,
  Type,
  uuid,
} from "../../../../core/schema/schema.ts";
import { MOST_TURNS } from "../../calculation/instalments.ts";

const MODES = namedValues("InstalmentMode", ["draft", "issue", "send"]);
const MODE = "How far the daily job goes with a turn: `draft` creates its invoice, `issue` issues it, `send` mails it too";
const TURN = {
  due_on: "Day from which the daily job makes its invoice, in the organisation's zone; each turn is later than the one before",
  percent: "Share of the quote's total in percent, with up to 2 decimals; all shares together are 100",
};

const InstalmentWrite = input(
  "QuoteInstalmentWrite",
  { due_on: date(), percent: decimalInput({ minimum: 0.01, maximum: 100, decimalPlaces: 2 }) },
  TURN,
);

export const InstalmentsWrite = input("QuoteInstalmentsWrite", {
  mode: field(optional(choice(MODES, { default: "draft" })), MODE),
  instalments: field(
    Type.Array(InstalmentWrite, { maxItems: MOST_TURNS }),
    "The whole plan, invoiced turns included; empty for none",
  ),
});
export type InstalmentsWish = Static<typeof InstalmentsWrite>;

const InstalmentRead = answer(
  "QuoteInstalmentRead",
  {
    id: uuid(),
    due_on: date(),
    percent: decimal(),
    amount: decimal({ description: "Its share with tax, in the quote's currency; the last turn bills what the others leave" }),
    invoice_id: field(nullable(uuid()), "The invoice that was made of it; null until then, and after its draft was deleted"),
  },
  { ...TURN, id: "The turn" },
);

export const InstalmentsRead = answer("QuoteInstalmentsRead", {
  quote_id: field(uuid(), "The quote"),
  mode: field(choice(MODES), MODE),
  instalments: field(list(InstalmentRead), "The turns in the order of their days"),
});
