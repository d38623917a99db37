import { type IsoDate, yearOf } from "../../../core/calendar/calendar.ts";
import type { GeneratedHoliday } from "./holidays.ts";

/** A stored holiday row; `key` is null on a manual one. */
export interface HolidayRow {
  readonly id: string;
  readonly date: IsoDate;
  readonly key: string | null;
  readonly active: boolean;
}

/** The outcome of an import: rows to create, rows to move, and the number of generated days left unchanged. */
export interface HolidayImportPlan {
  readonly create: readonly GeneratedHoliday[];
  readonly move: readonly { readonly id: string; readonly date: IsoDate }[];
  readonly skipped: number;
}

/**
 * Plans the import of one year's generated days into an organisation's calendar, matching by `key` within that year (people chapter §5).
 * An inactive row is skipped whatever its date, and so is a row already on its date. A row on another date moves, unless the new date is
 * taken. An absent key is created, unless its date is taken. Manual and inactive rows are never moved, renamed or reactivated; a deleted
 * row is created again. The response counts are the lengths.
 * Apply the moves first, in order, then the creations: a creation may use a date that a move frees.
 */
export function planImport(year: number, generated: readonly GeneratedHoliday[], rows: readonly HolidayRow[]): HolidayImportPlan {
  const byKey = new Map(rows.filter((row) => yearOf(row.date) === year).map((row) => [row.key, row]));
  const held = new Set(rows.map((row) => row.date));
  const create: GeneratedHoliday[] = [];
  const move: { id: string; date: IsoDate }[] = [];
  for (const day of generated) {
    const row = byKey.get(day.key);
    if (held.has(day.date) || row?.active === false) continue; // already on its date, date taken, or inactive
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

/** The years to seed on first use in an organisation without holidays: this one and the next (people chapter §5). */
export function yearsToSeed(today: IsoDate, hasRows: boolean): number[] {
  return hasRows ? [] : [yearOf(today), yearOf(today) + 1];
}
