import { decimal, formatDecimal } from "../../../core/values/money.ts";
import { ownAccount } from "./csv-banks.ts";
import { type RowEntry, rowsOf, statementsOfRows } from "./csv-rows.ts";
import { described } from "./mt940-text.ts";
import { PLAIN, type ReadStatement } from "./read-statement.ts";
import { StatementUnreadable } from "./unreadable.ts";
import { accountOf, amountOf, currencyOf, lineOrNull, oneLine, referenceOf, writtenDay } from "./values.ts";

const TAB_ROW = /^[A-Z0-9]{9,34}\t[A-Z]{3}\t\d{8}\t-?[\d]+,\d{2}\t/;

/** Whether a text is the TXT or TAB export of ABN AMRO, by its first row. */
export const isAbnTab = (text: string): boolean => TAB_ROW.test(text);

/**
 * The statements of a TXT or TAB file of ABN AMRO: account, currency, day, balance before and after, value date, amount and description,
 * separated by tabs and without headers.
 */
export function readAbnTab(text: string): ReadStatement[] {
  const rows = rowsOf(text, "\t", false).map(({ cells, line }): RowEntry => {
    const place = { line };
    const [account = "", currency = "", day = "", , after = "", value = "", amount = "", description = ""] = cells;
    if (cells.length < 8) throw new StatementUnreadable("unreadable_entry", "The row has fewer than eight columns.", place);
    return {
      account: ownAccount(account, place),
      after: amountOf(after, place),
      entry: {
        ...PLAIN,
        booked_on: writtenDay(day, place),
        value_on: writtenDay(value, place),
        amount: amountOf(amount, place),
        currency: currencyOf(currency, place),
        ...described([description], place),
        position: line,
      },
    };
  });
  return statementsOfRows("abnamro", rows);
}

/** Columns before the description. */
const BEFORE = 17;

/** The cells of a row of SNS or ASN: the description may have commas, and quotes of its own around it. */
function asnCells(row: string): string[] | null {
  const parts = row.split(",");
  if (parts.length < BEFORE + 2) return null;
  const text = parts.slice(BEFORE, -1).join(",").trim();
  const unquoted = (cell: string) => cell.trim().replace(/^(["'])(.*)\1$/s, "$2");
  return [...parts.slice(0, BEFORE).map(unquoted), unquoted(text), parts.at(-1) as string];
}

const isAsnRow = (cells: string[] | null): boolean =>
  cells !== null && /^\d{2}-\d{2}-\d{4}$/.test(cells[0] as string) && /^[A-Z]{3}$/.test(cells[7] as string);

/** Whether a text is the CSV of SNS, ASN or RegioBank, by its first row: it has no headers. */
export const isAsn = (text: string): boolean => isAsnRow(asnCells(text.slice(0, text.search(/[\r\n]|$/))));

/** The statements of a CSV of SNS, ASN or RegioBank: nineteen columns without headers. */
export function readAsn(text: string): ReadStatement[] {
  const rows = text.split(/\r\n|\n|\r/).flatMap((row, index): RowEntry | [] => {
    if (row.trim() === "") return [];
    const place = { line: index + 1 };
    const cells = asnCells(row);
    if (!isAsnRow(cells))
      throw new StatementUnreadable("unreadable_entry", "The row has not the nineteen columns of its bank.", place);
    const cell = (column: number) => (cells as string[])[column] as string;
    const amount = amountOf(cell(10), place);
    return {
      account: ownAccount(cell(1), place),
      after: formatDecimal(decimal(amountOf(cell(8), place)).plus(decimal(amount))),
      entry: {
        ...PLAIN,
        booked_on: writtenDay(cell(0), place),
        value_on: cell(12) === "" ? null : writtenDay(cell(12), place),
        amount,
        currency: currencyOf(cell(9), place),
        counter_iban: accountOf(cell(2)),
        counter_name: lineOrNull(cell(3), place),
        text: oneLine(cell(17), place),
        reference: referenceOf(cell(16), place),
        // Numbers begin again each day.
        bank_reference: cell(15) === "" ? null : `${cell(11)}/${cell(15)}`,
        kind: cell(14) === "KST" ? "bank_costs" : cell(14) === "RNT" ? "interest" : "payment",
        position: index + 1,
      },
    };
  });
  return statementsOfRows("asn", rows);
}
