import type { IsoDate } from "../../../../core/calendar/calendar.ts";
import { type DecimalText, decimal, formatDecimal, sum } from "../../../../core/values/money.ts";
import { daysLate } from "../../mails/mail-values.ts";

/** What changes what a client owes. */
export const ENTRY_TYPES = ["invoice", "credit_note", "payment", "refund", "cancellation"] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];

/** A change of what a client owes; the amount is below zero where it owes less. */
export interface Entry {
  readonly currency: string;
  readonly date: IsoDate;
  readonly type: EntryType;
  readonly invoice_id: string;
  readonly number: string;
  readonly reference: string | null;
  readonly due_date: IsoDate | null;
  readonly amount: string;
}
export interface OpenItem {
  readonly currency: string;
  readonly invoice_id: string;
  readonly number: string;
  readonly issue_date: IsoDate;
  readonly due_date: IsoDate;
  readonly total: string;
  readonly open: string;
}

/** The account of a client in one currency. */
export interface Account {
  currency: string;
  opening: DecimalText;
  entries: (Omit<Entry, "currency"> & { balance: DecimalText })[];
  closing: DecimalText;
  open_items: (Omit<OpenItem, "currency"> & { days_late: number })[];
  overdue: DecimalText;
}

/** What a client's account is made of, in order. */
export interface AccountRows {
  readonly openings: readonly { currency: string; amount: string }[];
  readonly entries: readonly Entry[];
  readonly items: readonly OpenItem[];
}

/**
 * The accounts of a client over a period, one for each currency with a balance or an entry: from the opening balance, by each entry, to the
 * closing balance, which equals what is open on the last day (money, "Reports").
 */
export function accountsOf({ openings, entries, items }: AccountRows, to: IsoDate): Account[] {
  const opened = new Map(openings.map(({ currency, amount }) => [currency, amount]));
  const used = new Set([
    ...openings.flatMap(({ currency, amount }) => (decimal(amount).isZero() ? [] : [currency])),
    ...[...entries, ...items].map(({ currency }) => currency),
  ]);
  return [...used].sort().map((currency) => {
    const opening = decimal(opened.get(currency) ?? 0);
    let balance = opening;
    const of = <T extends { currency: string }>(rows: readonly T[]) => rows.filter((row) => row.currency === currency);
    const running = of(entries).map(({ currency: _, ...entry }) => {
      balance = balance.plus(entry.amount);
      return { ...entry, balance: formatDecimal(balance) };
    });
    const open_items = of(items).map(({ currency: _, ...item }) => ({ ...item, days_late: daysLate(item.due_date, to) }));
    return {
      currency,
      opening: formatDecimal(opening),
      entries: running,
      closing: formatDecimal(balance),
      open_items,
      overdue: formatDecimal(sum(open_items.filter(({ days_late }) => days_late > 0).map(({ open }) => open))),
    };
  });
}
