import type { ReportTable } from "../../core/declare/report-sections.ts";

/** Fewest and most rows a folded table keeps. */
const LEAST_KEPT = 3;
const MOST_KEPT = 12;
/** Rows with a smaller share of the sum, or a smaller value, belong to the tail. */
const LEAST_SHARE = 0.005;
const LEAST_VALUE = 2;

type Row = ReportTable["rows"][number];

const numberOf = (value: string | number | null | undefined): number => (typeof value === "number" ? value : 0);

/**
 * Folds a table's tail into one line, measured by the first column that adds up; without such a column nothing is folded. Keeps 3 to 12
 * rows.
 * @param other the name of that line in the first column (workspace-reporting §1.6)
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
