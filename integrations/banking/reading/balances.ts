import { decimal, formatDecimal, sum } from "../../../core/values/money.ts";
import type { ReadEntry, ReadStatement } from "./read-statement.ts";
import { StatementUnreadable } from "./unreadable.ts";

/**
 * Checks that the opening balance and the entries add up to the closing balance, if the statement has both.
 * @throws StatementUnreadable with the three amounts
 */
export function checkBalance({ account, number, opening, closing, entries }: ReadStatement): void {
  if (opening === null || closing === null) return;
  const moved = sum(entries.map(({ amount }) => amount));
  if (decimal(opening).plus(moved).equals(decimal(closing))) return;
  const name = number === null ? account : `${account}, number ${number}`;
  throw new StatementUnreadable(
    "wrong_balance",
    `Statement ${name}: opening balance ${opening} and entries of ${formatDecimal(moved)} do not give the closing balance ${closing}.`,
  );
}

/** An entry with the balance of the account after it. */
export interface Balanced {
  entry: ReadEntry;
  after: string;
}

/** The opening and closing balance of entries in a row, each with the balance after it; null if one does not follow from the one before. */
function chainOf(rows: readonly Balanced[]): { opening: string; closing: string } | null {
  const first = rows[0];
  const last = rows.at(-1);
  if (!first || !last) return null;
  const opening = decimal(first.after).minus(decimal(first.entry.amount));
  let balance = opening;
  for (const { entry, after } of rows) {
    balance = balance.plus(decimal(entry.amount));
    if (!balance.equals(decimal(after))) return null;
  }
  return { opening: formatDecimal(opening), closing: last.after };
}

/**
 * The balances of a CSV whose rows have the balance after them, oldest or newest first. Null for rows that do not follow from each other:
 * the file was filtered or sorted, and has no balance that could be checked.
 */
export const balancesOf = (rows: readonly Balanced[]) => chainOf(rows) ?? chainOf(rows.toReversed());
