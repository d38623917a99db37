import { expect } from "chai";
import fc from "fast-check";
import { addDays } from "../../../core/calendar/calendar.ts";
import { type DeadlineReminder, deadlineReminder, dueWindow } from "../../../services/work/tasks/due-dates.ts";
import { anyDate, CASES } from "./support.ts";

const TODAY = "2026-07-09";

describe("due dates: filters", () => {
  it("have inclusive windows, and only overdue asks for open tasks", () => {
    expect(dueWindow("overdue", TODAY)).to.deep.equal({ from: null, to: "2026-07-08", open_only: true });
    expect(dueWindow("today", TODAY)).to.deep.equal({ from: TODAY, to: TODAY, open_only: false });
    expect(dueWindow("week", TODAY)).to.deep.equal({ from: TODAY, to: "2026-07-16", open_only: false });
  });
});

describe("due dates: reminders", () => {
  const soon = (due_date: string, days_left: number) => ({ event: "task.due_soon", due_date, days_left }) as const;
  const rows: [due: string, threshold: number | null, reminder: DeadlineReminder | null][] = [
    ["2026-07-08", null, { event: "task.overdue", due_date: "2026-07-08" }],
    ["2025-07-08", 5, { event: "task.overdue", due_date: "2025-07-08" }],
    ["2026-07-09", null, null],
    ["2026-07-11", null, null],
    ["2026-07-12", null, soon("2026-07-12", 3)],
    ["2026-07-13", null, null],
    ["2026-07-12", 5, null],
    ["2026-07-14", 5, soon("2026-07-14", 5)],
    ["2026-07-09", 0, soon("2026-07-09", 0)],
    ["2026-07-10", 0, null],
  ];
  for (const [due, threshold, reminder] of rows)
    it(`due ${due}, threshold ${threshold ?? "unset"}: ${reminder?.event ?? "nothing"}`, () => {
      expect(deadlineReminder(due, threshold, TODAY)).to.deep.equal(reminder);
    });

  it("due soon is reported on exactly one day, and overdue never on the same", () => {
    fc.assert(
      fc.property(anyDate("2025-01-01", "2027-12-31"), fc.integer({ min: 0, max: 30 }), (due, threshold) => {
        const reported = Array.from({ length: 40 }, (_, back) => deadlineReminder(due, threshold, addDays(due, back - 35)));
        expect(reported.filter((one) => one?.event === "task.due_soon")).to.deep.equal([soon(due, threshold)]);
        expect(reported.filter((one) => one?.event === "task.overdue")).to.have.lengthOf(4);
      }),
      CASES,
    );
  });
});
