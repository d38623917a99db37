/**
 * Mutation check of the calculation core of leave: each mutant changes one rule in a temporary copy of the files, and the
 * unit tests must notice. Run: `node test/mutation/people.ts [part of a file name]`. Exit 1 when fewer than 90 % are
 * killed, 2 when a mutant no longer fits its source or the tests are red without one.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

type Mutant = readonly [file: string, source: string, replacement: string];

const MUTANTS: readonly Mutant[] = [
  ["core/calendar/dates.ts", "year % 100 !== 0) || year % 400 === 0", "year % 100 !== 0)"],
  ["core/calendar/dates.ts", "Math.min(day, daysInMonth(newYear, newMonth))", "Math.min(day, 28)"],
  ["core/calendar/dates.ts", "daysBetween(from, to) + 1", "daysBetween(from, to)"],
  ["core/calendar/dates.ts", "weekdayOfDayNumber(number) + 4", "weekdayOfDayNumber(number) + 3"],
  ["core/calendar/dates.ts", "const start = later(from, otherFrom)", "const start = earlier(from, otherFrom)"],
  ["core/calendar/zones.ts", "isZone(zone) ? zone : fallback", "zone ? zone : fallback"],
  ["core/calendar/zones.ts", "steady ? start.offset : null", "start.offset"],
  [
    "core/values/money.ts",
    "toDecimalPlaces(places, DecimalJs.ROUND_HALF_EVEN)",
    "toDecimalPlaces(places, DecimalJs.ROUND_HALF_UP)",
  ],
  [
    "core/values/money.ts",
    "toDecimalPlaces(places, DecimalJs.ROUND_HALF_UP)",
    "toDecimalPlaces(places, DecimalJs.ROUND_HALF_DOWN)",
  ],
  ["core/values/money.ts", "index === largest ? share.plus(residue) : share", "index === 0 ? share.plus(residue) : share"],
  ["services/people/working-time/hours.ts", "(minutes * 10 + 3) / 6", "(minutes * 10) / 6"],
  ["services/people/working-time/hours.ts", "formatDecimal(roundHalfEven(hours))", "formatDecimal(roundHalfUp(hours))"],
  ["services/people/working-time/week.ts", "subtract([blockOf(day)], breaksOf(day))", "[blockOf(day)]"],
  ["services/people/working-time/week.ts", "Math.floor(weekMinutes(week) / days)", "Math.ceil(weekMinutes(week) / days)"],
  ["services/people/working-time/week.ts", "Math.floor(weekMinutes(week) / days)", "Math.floor(weekMinutes(week) / 5)"],
  ["services/people/working-time/week-validation.ts", "sharedMinutes(one, other) > 0", "sharedMinutes(one, other) >= 0"],
  ["services/people/working-time/week-validation.ts", "end > block.end", "end > block.end + 60"],
  ["services/people/working-time/week-validation.ts", "dayMinutes(day) === 0 ?", "dayMinutes(day) < 0 ?"],
  ["services/people/working-time/schedule.ts", "inForce(person.contracts, date)?.schedule ?? person.profile", "person.profile"],
  ["services/people/working-time/schedule.ts", "person.profile?.schedule ?? person.default_schedule", "person.default_schedule"],
  [
    "services/people/working-time/schedule.ts",
    "own === null ? currentWeeklyHours(person) : weekHours(own)",
    "weekHours(schedule)",
  ],
  ["services/people/working-time/schedule.ts", "profile.schedule !== null) {", "false) {"],
  ["services/people/working-time/period.ts", "period.end_date >= date", "period.end_date > date"],
  ["services/people/working-time/period.ts", "period.end_date >= today", "period.end_date > today"],
  ["services/people/contracts/contract.ts", 'if (contract.employment_type === "freelance") return "0.00";', ""],
  ["services/people/contracts/contract.ts", "Decimal.max(0, gap)", "gap"],
  [
    "services/people/contracts/contract.ts",
    "contract.free_time_hours_per_week !== null) return",
    "contract.free_time_hours_per_week) return",
  ],
  ["services/people/working-time/span-cost.ts", 'if (holidays.has(date)) return free("holiday");', ""],
  ["services/people/working-time/span-cost.ts", "date === span.end_date && span.end_time !== null", "span.end_time !== null"],
  [
    "services/people/working-time/span-cost.ts",
    "date === span.start_date && span.start_time !== null",
    "span.start_time !== null",
  ],
  [
    "services/people/working-time/span-cost.ts",
    "const inOrder = minutesOfTime(end_time) > ",
    "const inOrder = minutesOfTime(end_time) >= ",
  ],
  [
    "services/people/working-time/span-cost.ts",
    "scheduledDay(person, span.end_date)?.end",
    "scheduledDay(person, span.start_date)?.end",
  ],
  ["services/people/limits.ts", "export const MAX_SPAN_DAYS = 366", "export const MAX_SPAN_DAYS = 367"],
  ["services/people/limits.ts", "> MAX_WINDOW_DAYS", ">= MAX_WINDOW_DAYS"],
  [
    "services/people/holidays/holidays.ts",
    "isoWeekday(date) === 7 ? addDays(date, -1)",
    "isoWeekday(date) === 7 ? addDays(date, 1)",
  ],
  ["services/people/holidays/holidays.ts", "addDays(easter, 39)", "addDays(easter, 40)"],
  ["services/people/holidays/holidays.ts", "- 7 * late", "- 0 * late"],
  ["services/people/holidays/holiday-generator.ts", 'if (holiday.type !== "public") continue;', ""],
  ["services/people/holidays/holiday-generator.ts", "nth === 1 ? holiday.rule :", "nth >= 1 ? holiday.rule :"],
  ["services/people/holidays/holiday-import.ts", "|| row?.active === false", ""],
  ["services/people/holidays/holiday-import.ts", "rows.filter((row) => yearOf(row.date) === year)", "rows"],
  ["services/people/holidays/holiday-import.ts", "held.delete(row.date);", ""],
  ["services/people/types/leave-types.ts", "type.carry_over_months ?? Number.POSITIVE_INFINITY", "type.carry_over_months ?? -1"],
  ["services/people/types/leave-types.ts", "type.active && type.tracks_balance", "type.tracks_balance"],
  ["services/people/pots/proration.ts", 'contract.employment_type === "employee" && daysCovered', "daysCovered"],
  ["services/people/pots/proration.ts", "dividedBy(daysInYear(year))", "dividedBy(365)"],
  ["services/people/pots/proration.ts", "person.contracts.length > 0 || person.ever_contracted ||", ""],
  ["services/people/pots/proration.ts", "person.ever_contracted || !person.writes_time", "person.ever_contracted"],
  ["services/people/pots/proration.ts", "contracts.at(-1)?.schedule", "contracts.at(0)?.schedule"],
  ["services/people/pots/proration.ts", "roundHalfUp(total.dividedBy(halfDay), 0)", "total.dividedBy(halfDay).floor()"],
  ["services/people/pots/proration.ts", "if (!type.active) continue;", ""],
  ["services/people/pots/derivation.ts", 'pot.source === "manual" || !concerns', "!concerns"],
  ["services/people/pots/derivation.ts", "overlaps ? derived : []", "derived"],
  ["services/people/pots/derivation.ts", "derived.filter((pot) => generated.has(keyOf(pot)))", "[...derived]"],
  ["services/people/pots/derivation.ts", "filter((year) => year >= now)", "filter((year) => year > 0)"],
  ["services/people/pots/derivation.ts", 'stored.source : "manual"', 'stored.source : "generated"'],
  ["services/people/pots/expiry.ts", "expiresOn > date", "expiresOn >= date"],
  ["services/people/pots/expiry.ts", "later(today, firstOfYear(year))", "today"],
  ["services/people/pots/expiry.ts", "firstOfYear(accrualYear + 1)", "firstOfYear(accrualYear)"],
  ["services/people/pots/expiry.ts", "expiresOn > firstOfYear(year)", "expiresOn >= firstOfYear(year)"],
  ["services/people/pots/expiry.ts", "if (one.expires_on === null) return 1;", "if (one.expires_on === null) return -1;"],
  ["services/people/pots/consumption.ts", "pot.accrual_year <= year && ", ""],
  ["services/people/pots/consumption.ts", "Decimal.min(open, entry.undrawn)", "open"],
  ["services/people/pots/consumption.ts", "[...pots].sort(byExpiry)", "[...pots]"],
  ["services/people/pots/balance.ts", "aliveOn(pot.expires_on, first) ?", "true ?"],
  [
    "services/people/pots/balance.ts",
    "({ booking }) => booking.start_date >= first)",
    "({ booking }) => booking.start_date > first)",
  ],
  ["services/people/pots/balance.ts", "if (booking.start_date >= first) continue;", "if (booking.start_date > first) continue;"],
  ["services/people/pots/balance.ts", "type.id === carrier.id ? undrawn.minus(shortfall) : undrawn", "undrawn.minus(shortfall)"],
  [
    "services/people/pots/balance.ts",
    "sum(inYear.map((consumed) => consumed.shortfall))",
    "sum(ledger.bookings.map((consumed) => consumed.shortfall))",
  ],
  ["services/people/pots/balance.ts", "dead && lapsesIn(expiry, year)", "lapsesIn(expiry, year)"],
  ["services/people/pots/balance.ts", "booking.id !== editedRequestId", "booking.id !== null"],
  ["services/people/pots/balance.ts", "pot.leave_type_id === type.id && pot.year <= year", "pot.leave_type_id === type.id"],
  ["services/people/pots/free-time.ts", "booking.end_date >= sources.today", "booking.end_date > sources.today"],
  ["services/people/pots/free-time.ts", "if (booking.recurring_day_id === null) continue;", ""],
  ["services/people/pots/free-time.ts", "a.start_date < b.start_date ? 1 : -1", "a.start_date < b.start_date ? -1 : 1"],
  ["services/people/recurring/recurrence.ts", "(index + 1) * target + count - 1", "(index + 1) * target"],
  ["services/people/recurring/recurrence.ts", "(2 * a + b) / (2 * b)", "a / b"],
  ["services/people/recurring/recurrence.ts", "|| ends.length < contracts.length", ""],
  ["services/people/recurring/recurrence.ts", "planner.user_id !== userId || type.requires_approval", "type.requires_approval"],
  ["services/people/recurring/placement.ts", "if (candidate.date < sources.today) continue;", ""],
  ["services/people/recurring/placement.ts", 'if (spent.has(date)) return "spent";', ""],
  ["services/people/recurring/placement.ts", "for (const date of sources.spent) this.#use(date);", ""],
  ["services/people/recurring/placement.ts", "this.#remaining.clear();", ""],
  ["services/people/recurring/placement.ts", 'if (bookings.some((booking) => covers(booking, date))) return "occupied";', ""],
  ["services/people/availability/availability.ts", "7 * rule.repeat_weeks", "7"],
  ["services/people/availability/availability.ts", "day <= last;", "day < last;"],
  ["services/people/availability/availability.ts", "date: later(move.from_date, move.to_date)", "date: move.to_date"],
  [
    "services/people/availability/availability-day.ts",
    "typicalStretches(person, date), extras), breaksOf(scheduledDay(person, date)))",
    "typicalStretches(person, date), extras), [])",
  ],
  ["services/people/availability/availability-day.ts", "Math.max(start, end)", "DAY_MINUTES"],
  ["services/people/availability/availability-day.ts", "windowOn(rule, held) ?? { start", "windowOn(rule, base) ?? { start"],
  ["services/people/availability/availability-day.ts", 'if (base.length === 0) return "added";', ""],
  ["services/people/powers.ts", "setting || otherApprovers === 0", "setting"],
  ["services/people/powers.ts", "caller.approves && (caller.user_id !== ownerId || selfApproval)", "caller.approves"],
  [
    "services/people/powers.ts",
    'caller.writes === "any" && (caller.user_id !== ownerId || selfApproval)',
    'caller.writes === "any"',
  ],
  ["services/people/requests/status.ts", "startDate < today", "startDate <= today"],
  ["services/people/requests/status.ts", "&& request.id !== exceptId", ""],
  ["services/people/requests/transitions.ts", "if (cost.minutes === 0 && override === null)", "if (cost.minutes === 0)"],
  ["services/people/requests/transitions.ts", 'status !== "pending") return', 'status === "cancelled") return'],
  ["services/people/requests/transitions.ts", "!ownSelfService && !actsAsApprover", "!actsAsApprover"],
  [
    "services/people/requests/preview.ts",
    "touches_past || (type?.requires_approval ?? false)",
    "type?.requires_approval ?? false",
  ],
  [
    "services/people/requests/edit.ts",
    "if (moved || request.hours_override === null) return null;",
    "if (request.hours_override === null) return null;",
  ],
  ["services/people/requests/edit.ts", "type.requires_approval || touchesPast", "type.requires_approval"],
  [
    "services/people/requests/edit.ts",
    "isPast(request.start_date, today) || isPast(span.start_date, today)",
    "isPast(span.start_date, today)",
  ],
  ["services/people/requests/edit.ts", "if (moved && touchesPast", "if (touchesPast"],
  ["services/people/requests/edit.ts", 'request.status === "approved" && relevant', "relevant"],
  ["services/people/requests/edit.ts", "!sameHours(priced.hours, request.hours) ||", ""],
  ["services/people/team/team-layout.ts", "allocate(hours, minutes, roundHalfEven)", "minutes.map(() => hours)"],
  [
    "services/people/requests/preview.ts",
    "averageDayHours(weekOn(person, asked.span.start_date))",
    "averageDayHours(weekOn(person, today))",
  ],
  ["services/people/requests/preview.ts", "edited.user_id === asked.user_id", "true"],
  ["services/people/requests/preview.ts", "occupies(own.status)", "true"],
  ["services/people/recurring/recurrence.ts", "patch.days_per_year === undefined ?", "!patch.days_per_year ?"],
  ["services/people/limits.ts", "date_from && date_to ?", "false ?"],
  ["services/people/working-time/coverage.ts", "date === span.end_date && span.end_time !== null", "span.end_time !== null"],
  ["services/people/team/summary.ts", "request.end_date >= today", "request.start_date >= today"],
  ["services/people/calendar/calendar-feed.ts", "end: addDays(request.end_date, 1)", "end: request.end_date"],
  ["services/people/imports/historic-import.ts", '?? "approved"', '?? "pending"'],
  ["services/people/imports/historic-import.ts", "occupies(status) ? [...member.requests", "true ? [...member.requests"],
  ["services/people/clearable.ts", "!clearable.includes(key)", "clearable.includes(key)"],
  ["services/people/settings/settings.ts", "own ?? organisation", "own || organisation"],
  ["services/people/dossier/dossier.ts", "[...text].slice(0, count)", "[...text].slice(0, count + 1)"],
];

const SURVIVORS_ALLOWED = 0.1;
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const COPIED = ["core/calendar", "core/values/money.ts", "services/people", "test/unit/people"];
const TESTS = ["test/unit/core/calendar.test.ts", "test/unit/core/money.test.ts"];

function testsPass(folder: string): boolean {
  const mocha = join(ROOT, "node_modules/mocha/bin/mocha.js");
  const run = spawnSync(process.execPath, [mocha, "--bail", "--reporter", "min", "test/unit/people/**/*.test.ts", ...TESTS], {
    cwd: folder,
    stdio: "ignore",
    timeout: 120_000, // a mutant that never ends is a dead one
  });
  return run.status === 0;
}

function main(only: string): number {
  const folder = mkdtempSync(join(tmpdir(), "people-mutants-"));
  try {
    for (const path of [...COPIED, ...TESTS]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    }
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    if (!testsPass(folder)) {
      console.error("the tests are red without a mutant");
      return 2;
    }
    const chosen = MUTANTS.filter(([file]) => file.includes(only));
    const misfits = chosen.filter(([file, source]) => readFileSync(join(folder, file), "utf8").split(source).length !== 2);
    for (const [file, source] of misfits) console.error(`not exactly once in ${file}: ${source}`);
    if (misfits.length > 0) return 2;
    const survivors: Mutant[] = [];
    for (const mutant of chosen) {
      const [file, source, replacement] = mutant;
      const original = readFileSync(join(folder, file), "utf8");
      writeFileSync(
        join(folder, file),
        original.replace(source, () => replacement),
      );
      if (testsPass(folder)) survivors.push(mutant);
      writeFileSync(join(folder, file), original);
    }
    for (const [file, source, replacement] of survivors)
      console.log(`survived: ${file}: ${source} -> ${replacement || "(removed)"}`);
    const killed = chosen.length - survivors.length;
    console.log(`${killed}/${chosen.length} mutants killed (${((100 * killed) / chosen.length).toFixed(1)} %)`);
    return survivors.length > chosen.length * SURVIVORS_ALLOWED ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = main(process.argv[2] ?? "");
