import { expect } from "chai";
import { type DueReminder, dueReminder } from "../../../../services/money/calculation/reminders.ts";

describe("the reminder that is due", () => {
  const DAYS = [7, 14, 30];
  const rows: [days: number[], count: number, overdue: number, due: DueReminder | null][] = [
    [DAYS, 0, 6, null],
    [DAYS, 0, 7, { level: 1, on_threshold: true }],
    [DAYS, 0, 8, { level: 1, on_threshold: false }],
    [DAYS, 0, 300, { level: 1, on_threshold: false }],
    [DAYS, 1, 13, null],
    [DAYS, 1, 14, { level: 2, on_threshold: true }],
    [DAYS, 2, 30, { level: 3, on_threshold: true }],
    [DAYS, 3, 300, null],
    [DAYS, 9, 300, null],
    [[], 0, 300, null],
    [[0], 0, 0, null],
    [[0], 0, -1, null],
    [[0], 0, 1, { level: 1, on_threshold: false }],
    [[1], 0, 1, { level: 1, on_threshold: true }],
  ];
  for (const [days, count, overdueDays, due] of rows)
    it(`${due ? `step ${due.level}` : "none"} after ${count} of [${days}], ${overdueDays} days late`, () => {
      expect(dueReminder({ days, count, overdueDays })).to.deep.equal(due);
    });
});
