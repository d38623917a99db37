import type { ReportTable } from "../../../core/declare/report-sections.ts";

/** Rows a folded table keeps. */
const LEAST_KEPT = 3;
const MOST_KEPT = 12;
/** A row with a smaller share of the sum, or a smaller value, belongs to the tail. */
const LEAST_SHARE = 0.005;
const LEAST_VALUE = 2;

type Row = ReportTable["rows"][number];

const numberOf = (value: string | number | null | undefined): number => (typeof value === "number" ? value : 0);

/**
 * A table whose tail is one line. What counts is the first column that adds up; without one nothing is folded. Between 3 and 12 rows stay.
 * @param other what that line is called in the first column (workspace-reporting §1.6)
 */
export function folded({ columns, rows }: ReportTable, other: string): ReportTable {
  const measured = columns.findIndex(({ adds }) => adds);
  if (measured < 0) return { columns, rows };
  const sum = rows.reduce((total, row) => total + numberOf(row[measured]), 0);
  const isLarge = (row: Row) => {
    const value = numberOf(row[measured]);
    return value >= LEAST_VALUE && value >= sum * LEAST_SHARE;
  };
  const kept: Row[] = [];
  const tail: Row[] = [];
  for (const row of rows) {
    const stays = kept.length < LEAST_KEPT || (kept.length < MOST_KEPT && isLarge(row));
    (stays ? kept : tail).push(row);
  }
  if (tail.length === 0) return { columns, rows };
  const line = columns.map(({ adds }, at) =>
    at === 0 ? other : adds ? tail.reduce((total, row) => total + numberOf(row[at]), 0) : null,
  );
  return { columns, rows: [...kept, line] };
}
