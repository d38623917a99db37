import { expect } from "chai";
import fc from "fast-check";
import { addDays, isoWeekday } from "../../../core/calendar/calendar.ts";
import { checkDayInWeek, type LoggedEntry, minuteTotals, timesheetWeek, weekOf, workDate } from "../../../services/work/days.ts";
import { remindedPeople, remindedWeek } from "../../../services/work/time/timesheet-reminder.ts";
import { anyDate, CASES, id, refused } from "./support.ts";

const ZONE = "Europe/Athens";
const [CLIENT, P, Q, T] = [id("c"), id("p"), id("q"), id("t")];
const entry = (started_at: string, minutes: number, over: Partial<LoggedEntry> = {}): LoggedEntry => ({
  company_id: CLIENT,
  project_id: P,
  task_id: null,
  work_date: workDate(started_at, ZONE),
  started_at,
  ended_at: started_at,
  minutes,
  billable: true,
  ...over,
});

describe("days: the day of an entry", () => {
  it("is the date of its start in the organisation's zone", () => {
    const rows: [zone: string, start: string, date: string][] = [
      ["Europe/Athens", "2026-06-30T20:59:00Z", "2026-06-30"],
      ["Europe/Athens", "2026-06-30T21:00:00Z", "2026-07-01"],
      ["Europe/Amsterdam", "2026-08-31T22:30:00Z", "2026-09-01"],
      ["Europe/Amsterdam", "2026-03-29T00:59:59Z", "2026-03-29"],
      ["America/New_York", "2026-08-31T22:30:00Z", "2026-08-31"],
      ["Pacific/Kiritimati", "2026-08-31T10:00:00Z", "2026-09-01"],
      ["Etc/GMT+12", "2026-09-01T11:59:59Z", "2026-08-31"],
      ["UTC", "2026-05-05T01:30:00+02:00", "2026-05-04"],
    ];
    for (const [zone, start, date] of rows) expect(workDate(start, zone), `${zone} ${start}`).to.equal(date);
  });

  it("lies in the years 2000 to 2100 of that zone", () => {
    expect(workDate("1999-12-31T23:00:00Z", "Europe/Amsterdam")).to.equal("2000-01-01");
    expect(workDate("2100-12-31T22:59:59Z", "Europe/Amsterdam")).to.equal("2100-12-31");
    for (const start of ["1999-12-31T22:59:59Z", "2100-12-31T23:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
      expect(
        refused(() => workDate(start, "Europe/Amsterdam")),
        start,
      ).to.equal("started_at=errors.validation");
  });

  it("a week runs from Monday to Sunday, for any of its days", () => {
    const days = ["04", "05", "06", "07", "08", "09", "10"].map((day) => `2026-05-${day}`);
    for (const day of days) expect(weekOf(day)).to.deep.equal({ week_start: "2026-05-04", days });
    expect(weekOf("2026-05-11").week_start).to.equal("2026-05-11");
  });

  it("refuses a day outside the week", () => {
    for (const day of ["2026-05-04", "2026-05-10"]) expect(refused(() => checkDayInWeek(day, "2026-05-06"))).to.equal(null);
    for (const day of ["2026-05-03", "2026-05-11"])
      expect(refused(() => checkDayInWeek(day, "2026-05-06"))).to.equal("date=errors.validation");
  });
});

describe("days: timesheet", () => {
  it("worked example of §6", () => {
    const week = timesheetWeek("2026-05-04", [
      entry("2026-05-04T09:00:00Z", 90),
      entry("2026-05-04T13:00:00Z", 30, { task_id: T }),
      entry("2026-05-06T09:00:00Z", 45),
      entry("2026-05-10T20:50:00Z", 10),
      entry("2026-05-10T21:10:00Z", 60),
    ]);
    expect(week).to.deep.equal({
      week_start: "2026-05-04",
      days: weekOf("2026-05-04").days,
      rows: [
        { company_id: CLIENT, project_id: P, task_id: null, minutes: [90, 0, 45, 0, 0, 0, 10], total: 145 },
        { company_id: CLIENT, project_id: P, task_id: T, minutes: [30, 0, 0, 0, 0, 0, 0], total: 30 },
      ],
      day_totals: [120, 0, 45, 0, 0, 0, 10],
      total: 175,
    });
  });

  it("has rows in the order of their first entries, however the entries come, and one per distinct client, project and task", () => {
    const { rows } = timesheetWeek("2026-05-08", [
      entry("2026-05-08T09:00:00Z", 3),
      entry("2026-05-07T09:00:00Z", 1, { project_id: Q }),
      entry("2026-05-06T09:00:00Z", 2, { company_id: null }),
      entry("2026-05-05T09:00:00Z", 4, { project_id: Q }),
    ]);
    expect(rows.map(({ company_id, project_id, minutes }) => [company_id, project_id, minutes.join(" ")])).to.deep.equal([
      [CLIENT, Q, "0 4 0 1 0 0 0"],
      [null, P, "0 0 2 0 0 0 0"],
      [CLIENT, P, "0 0 0 0 3 0 0"],
    ]);
  });

  it("leaves out running timers and the days around the week", () => {
    const week = timesheetWeek("2026-05-04", [
      entry("2026-05-03T20:59:59Z", 5),
      entry("2026-05-05T09:00:00Z", 7, { ended_at: null }),
      entry("2026-05-11T00:00:00Z", 9),
    ]);
    expect([week.rows, week.total]).to.deep.equal([[], 0]);
  });

  it("totals of a day count no running timer", () => {
    const entries = [
      entry("2026-05-04T09:00:00Z", 60),
      entry("2026-05-04T10:00:00Z", 30, { billable: false }),
      entry("2026-05-04T11:00:00Z", 15, { ended_at: null }),
    ];
    expect(minuteTotals(entries)).to.deep.equal({ minutes: 90, billable_minutes: 60 });
    expect(minuteTotals([])).to.deep.equal({ minutes: 0, billable_minutes: 0 });
  });

  it("rows, days and total say the same, and weeks side by side lose no minute", () => {
    const anyEntry = fc.record({
      day: anyDate("2026-04-27", "2026-05-17"),
      minutes: fc.nat({ max: 1440 }),
      project: fc.nat({ max: 2 }),
      task: fc.option(fc.nat({ max: 2 })),
      running: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 25 }), (drawn) => {
        const entries = drawn.map(({ day, minutes, project, task, running }) =>
          entry(`${day}T12:00:00Z`, minutes, {
            project_id: id("p", project),
            task_id: task === null ? null : id("t", task),
            ended_at: running ? null : `${day}T13:00:00Z`,
          }),
        );
        const weeks = ["2026-04-29", "2026-05-04", "2026-05-17"].map((date) => timesheetWeek(date, entries));
        for (const { rows, day_totals, total } of weeks) {
          const add = (figures: readonly number[]) => figures.reduce((all, one) => all + one, 0);
          for (const row of rows) expect(row.total).to.equal(add(row.minutes));
          expect(day_totals).to.deep.equal(day_totals.map((_, day) => add(rows.map(({ minutes }) => minutes[day] ?? 0))));
          expect(total).to.equal(add(day_totals));
          expect(new Set(rows.map((row) => `${row.project_id} ${row.task_id}`)).size).to.equal(rows.length);
        }
        expect(weeks.reduce((all, { total }) => all + total, 0)).to.equal(minuteTotals(entries).minutes);
      }),
      CASES,
    );
  });
});

describe("timesheet reminder", () => {
  const person = (over: object = {}) => ({ user_id: id("u"), writes_time: true, entries: 0, fully_absent: false, ...over });

  it("goes to who may write time, logged nothing and was not away for all of it", () => {
    const rows: [over: object, reminded: boolean][] = [
      [{}, true],
      [{ writes_time: false }, false],
      [{ entries: 1 }, false],
      [{ fully_absent: true }, false],
    ];
    for (const [over, reminded] of rows) expect(remindedPeople([person(over)])).to.have.lengthOf(reminded ? 1 : 0);
  });

  it("is about the Monday–Sunday week before", () => {
    expect(remindedWeek("2026-07-13")).to.equal("2026-07-06"); // a Monday
    expect(remindedWeek("2026-07-12")).to.equal("2026-06-29"); // still Sunday west of Greenwich
  });

  it("always begins on a Monday, 7 to 13 days before", () => {
    fc.assert(
      fc.property(anyDate("2020-01-01", "2035-12-31"), (today) => {
        const week = remindedWeek(today);
        expect(isoWeekday(week)).to.equal(1);
        expect(week <= addDays(today, -7) && week >= addDays(today, -13)).to.equal(true);
      }),
      CASES,
    );
  });
});
