import { type IsoDate, yearOf } from "../../../core/calendar/calendar.ts";
import type { GeneratedHoliday } from "./holidays.ts";

/** A holiday row as it is stored; `key` is null on a manual one. */
export interface HolidayRow {
  readonly id: string;
  readonly date: IsoDate;
  readonly key: string | null;
  readonly active: boolean;
}

/** What an import does: rows to create, rows to move, and how many of the generated days it left as they are. */
export interface HolidayImportPlan {
  readonly create: readonly GeneratedHoliday[];
  readonly move: readonly { readonly id: string; readonly date: IsoDate }[];
  readonly skipped: number;
}

/**
 * The import of one year's generated days into an organisation's calendar, matched by `key` within that year: a
 * deactivated row is skipped whatever its date, one on its date is skipped, one on another date moves unless another row
 * holds the new date, an absent key is created unless any row holds its date. Manual and deactivated rows are never
 * moved, renamed or reactivated; a deleted row comes back (people chapter §5). The counts of the answer are the lengths.
 * To be applied moves first, in order, then creations: a creation may take a date that a move sets free.
 */
export function planImport(year: number, generated: readonly GeneratedHoliday[], rows: readonly HolidayRow[]): HolidayImportPlan {
  const byKey = new Map(rows.filter((row) => yearOf(row.date) === year).map((row) => [row.key, row]));
  const held = new Set(rows.map((row) => row.date));
  const create: GeneratedHoliday[] = [];
  const move: { id: string; date: IsoDate }[] = [];
  for (const day of generated) {
    const row = byKey.get(day.key);
    if (held.has(day.date) || row?.active === false) continue; // on its date, taken by another row, or switched off
    held.add(day.date);
    if (row === undefined) {
      create.push(day);
    } else {
      held.delete(row.date);
      move.push({ id: row.id, date: day.date });
    }
  }
  return { create, move, skipped: generated.length - create.length - move.length };
}

/** The years an organisation without any holiday row gets on first use: this one and the next (people chapter §5). */
export function yearsToSeed(today: IsoDate, hasRows: boolean): number[] {
  return hasRows ? [] : [yearOf(today), yearOf(today) + 1];
}
