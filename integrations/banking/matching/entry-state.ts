import { type DecimalInput, decimal } from "../../../core/values/money.ts";
import type { EntryState } from "../models.ts";

/** What decides the state of an entry. */
export interface EntryFacts {
  open_amount: DecimalInput;
  ignored_as: string | null;
  proposals: readonly unknown[];
}

/** The state of an entry: ignored, matched when nothing of it is open, else proposed or open. */
export const stateOf = ({ open_amount, ignored_as, proposals }: EntryFacts): EntryState => {
  if (ignored_as !== null) return "ignored";
  if (decimal(open_amount).isZero()) return "matched";
  return proposals.length > 0 ? "proposed" : "open";
};
