import fc from "fast-check";
import { addDays, dateOfDayNumber, dayNumber, type IsoDate, timeOfMinutes } from "../../../core/calendar/calendar.ts";
import type { Contract } from "../../../services/people/working-time/contract.ts";
import type { WeekSources } from "../../../services/people/working-time/schedule.ts";
import type { TimeWindow, WorkDay, WorkWeek } from "../../../services/people/working-time/week.ts";
import { cases } from "../../support/cases.ts";

/** Every property runs this many cases. */
export const CASES = cases(1000);

export function anyDate(from: IsoDate, to: IsoDate): fc.Arbitrary<IsoDate> {
  return fc.integer({ min: dayNumber(from), max: dayNumber(to) }).map(dateOfDayNumber);
}

const minutes = fc.integer({ min: 0, max: 1439 });
export const anyTime = minutes.map(timeOfMinutes);

/** A working day cut at sorted minutes: a block and up to two disjoint breaks within it. */
const anyDay: fc.Arbitrary<WorkDay | null> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  {
    weight: 4,
    arbitrary: fc.uniqueArray(minutes, { minLength: 2, maxLength: 6 }).map((cuts) => {
      const sorted = [...cuts].sort((a, b) => a - b).map(timeOfMinutes);
      const inner = sorted.slice(1, -1);
      const breaks: TimeWindow[] = [];
      for (let index = 0; index + 1 < inner.length; index += 2)
        breaks.push({ start: inner[index] ?? "", end: inner[index + 1] ?? "" });
      return { start: sorted[0] ?? "", end: sorted.at(-1) ?? "", breaks };
    }),
  },
);

export const anyWeek: fc.Arbitrary<WorkWeek> = fc.record({
  mon: anyDay,
  tue: anyDay,
  wed: anyDay,
  thu: anyDay,
  fri: anyDay,
  sat: anyDay,
  sun: anyDay,
});

/** Hours 0.00–200.00. */
export const anyAmount = fc.integer({ min: 0, max: 20_000 }).map((hundredths) => (hundredths / 100).toFixed(2));

const anyHours = fc.integer({ min: 1, max: 8000 }).map((hundredths) => (hundredths / 100).toFixed(2));

/** Up to four contracts in a row, some of them freelance, with gaps; the last may be open. */
export const anyContracts: fc.Arbitrary<Contract[]> = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 1, max: 200 }),
      length: fc.integer({ min: 0, max: 500 }),
      freelance: fc.boolean(),
      hours: anyHours,
      free: fc.option(anyHours),
      schedule: fc.option(anyWeek),
    }),
    { maxLength: 4 },
  )
  .chain((parts) => fc.boolean().map((open) => ({ parts, open })))
  .map(({ parts, open }) => {
    let start = "2028-06-01";
    return parts.map(({ gap, length, freelance, hours, free, schedule }, index) => {
      const start_date = addDays(start, gap);
      const end = addDays(start_date, length);
      start = end;
      return {
        start_date,
        end_date: open && index === parts.length - 1 ? null : end,
        employment_type: freelance ? ("freelance" as const) : ("employee" as const),
        contract_hours_per_week: hours,
        schedule,
        free_time_hours_per_week: free,
      };
    });
  });

export const anyPerson: fc.Arbitrary<WeekSources> = fc.record({
  contracts: anyContracts,
  profile: fc.option(fc.record({ schedule: fc.option(anyWeek), hours_per_week: fc.option(anyHours) })),
  default_schedule: anyWeek,
});

export const anyHolidays: fc.Arbitrary<Set<IsoDate>> = fc
  .array(anyDate("2029-01-01", "2030-12-31"), { maxLength: 40 })
  .map((dates) => new Set(dates));
