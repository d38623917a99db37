import { expect } from "chai";
import { type FreeTimeBooking, freeTimeOverview } from "../../../services/people/free-time/free-time.ts";
import { groupBalances, previewRemaining, typeBalances } from "../../../services/people/pots/balance.ts";
import { derivedPots, type PotHolder } from "../../../services/people/pots/proration.ts";
import { type PlacementSources, place } from "../../../services/people/recurring/placement.ts";
import { type Pattern, storedCadence } from "../../../services/people/recurring/recurrence.ts";
import { spanCost } from "../../../services/people/working-time/span-cost.ts";
import { balance, booking, contract, HOLIDAYS, holder, person, pot, span, TYPES } from "./support.ts";

describe("people chapter §15: balances", () => {
  const vacation = (sources: Parameters<typeof balance>[0], year: number) => groupBalances(balance(sources), year)[0];
  const ofType = (sources: Parameters<typeof balance>[0], year: number, id: string) =>
    typeBalances(balance(sources), year).find((row) => row.leave_type_id === id);

  it("13 consumption order", () => {
    const sources = {
      pots: [
        pot("vacation_statutory", 2028, 30),
        pot("vacation_extra", 2028, 16),
        pot("vacation_statutory", 2029, 128),
        pot("vacation_extra", 2029, 32),
      ],
      bookings: [booking("vacation_statutory", "2029-05-14", 40), booking("vacation_statutory", "2029-09-03", 16)],
      today: "2029-01-10",
    };
    expect(vacation(sources, 2029)).to.include({
      entitled_hours: "206.00",
      pending_hours: "56.00",
      remaining_hours: "150.00",
    });
    expect(vacation(sources, 2029)?.pots.map((one) => [one.accrual_year, one.leave_type_id, one.remaining_hours])).to.deep.equal([
      [2028, "vacation_statutory", "0.00"],
      [2029, "vacation_statutory", "102.00"],
      [2028, "vacation_extra", "16.00"],
      [2029, "vacation_extra", "32.00"],
    ]);
    expect(ofType(sources, 2029, "vacation_statutory")?.remaining_hours).to.equal("102.00");
    expect(ofType(sources, 2029, "vacation_extra")?.remaining_hours).to.equal("48.00");
    expect(vacation(sources, 2030)).to.include({ entitled_hours: "150.00", remaining_hours: "150.00" });
  });

  it("14 lapse", () => {
    const sources = {
      pots: [pot("vacation_statutory", 2028, 30), pot("vacation_statutory", 2029, 128)],
      bookings: [booking("vacation_statutory", "2029-03-05", 16), booking("vacation_statutory", "2029-10-01", 8)],
    };
    expect(vacation({ ...sources, today: "2029-02-15" }, 2029)).to.include({
      remaining_hours: "134.00",
      expiring_soon_hours: "14.00",
      lapsed_hours: "0.00",
    });
    expect(vacation({ ...sources, today: "2029-07-01" }, 2029)).to.include({
      remaining_hours: "120.00",
      expiring_soon_hours: "0.00",
      lapsed_hours: "14.00",
    });
  });

  it("15 negative", () => {
    const sources = {
      pots: [pot("vacation_statutory", 2029, 10), pot("vacation_extra", 2029, 6), pot("vacation_statutory", 2030, 40)],
      bookings: [booking("vacation_extra", "2029-05-14", 24)],
      today: "2029-01-10",
    };
    expect(vacation(sources, 2029)?.remaining_hours).to.equal("-8.00");
    expect(vacation(sources, 2029)?.pots.map((one) => one.remaining_hours)).to.deep.equal(["0.00", "0.00"]);
    expect(ofType(sources, 2029, "vacation_statutory")).to.include({ remaining_hours: "-8.00", pending_hours: "0.00" });
    expect(ofType(sources, 2029, "vacation_extra")).to.include({ remaining_hours: "0.00", pending_hours: "24.00" });
    expect(vacation(sources, 2030)?.remaining_hours).to.equal("40.00");
  });

  it("16 New Year", () => {
    const first = booking("vacation_statutory", "2029-12-19", 16);
    const sources = {
      pots: [pot("vacation_statutory", 2029, 24), pot("vacation_statutory", 2030, 0)],
      bookings: [first],
      today: "2029-01-10",
    };
    expect(previewRemaining(balance(sources), "vacation_statutory", 2030, null)).to.equal("8.00");
    expect(previewRemaining(balance(sources), "vacation_statutory", 2030, first.id)).to.equal("24.00");
    expect(spanCost(span("2029-12-27", "2030-01-04"), person(), HOLIDAYS).hours).to.equal("48.00");
    const over = { ...sources, bookings: [first, booking("vacation_statutory", "2029-12-27", 48)] };
    expect(vacation(over, 2029)?.remaining_hours).to.equal("-40.00");
    expect(vacation(over, 2030)?.remaining_hours).to.equal("0.00");
  });
});

describe("people chapter §15: patterns and free time", () => {
  const pattern = (over: Partial<Pattern>): Pattern => ({
    leave_type_id: "roostervrij",
    anchor_date: "2030-01-04",
    interval_weeks: 1,
    days_per_year: null,
    start_time: null,
    end_time: null,
    active: true,
    ...over,
  });
  const placement = (over: Partial<PlacementSources>): PlacementSources => ({
    ...balance(),
    person: person(),
    holidays: HOLIDAYS,
    bookings: [],
    spent: new Set(),
    horizon_months: 12,
    today: "2029-12-01",
    ...over,
  });
  const asBookings = (placed: ReturnType<typeof place>["placed"], recurring_day_id: string | null): FreeTimeBooking[] =>
    placed.map((day) => ({
      ...day,
      id: `r ${day.start_date}`,
      leave_type_id: "roostervrij",
      status: "approved",
      recurring_day_id,
    }));
  const derivedFree = (who: PotHolder, year: number) =>
    derivedPots(TYPES, who, year).filter((derived) => derived.leave_type_id === "roostervrij");

  it("17 interval pattern", () => {
    const who = holder({ contracts: [contract("2030-01-01", "2030-06-30", 36)] });
    const free = derivedFree(who, 2030);
    expect(free[0]?.hours).to.equal("104.00");
    const mondays = place(
      pattern({ anchor_date: "2030-04-08", interval_weeks: 2 }),
      placement({ person: who, pots: free, today: "2030-01-02" }),
    );
    expect(mondays.placed.map((day) => day.start_date)).to.deep.equal([
      "2030-04-08",
      "2030-05-06",
      "2030-05-20",
      "2030-06-03",
      "2030-06-17",
    ]);
    expect(mondays.skipped).to.deep.equal([{ date: "2030-04-22", reason: "not_worked" }]);
    const booked = asBookings(mondays.placed, "mondays");
    const afternoons = place(
      pattern({ anchor_date: "2030-05-01", start_time: "13:30" }),
      placement({ person: who, pots: free, today: "2030-01-02", bookings: booked }),
    );
    expect(afternoons.placed.map((day) => day.hours)).to.deep.equal(Array(9).fill("3.50"));
    const bookings = [...booked, ...asBookings(afternoons.placed, "afternoons")];
    expect(freeTimeOverview({ ...balance({ pots: free, today: "2030-01-02" }), bookings }, 2030)).to.include({
      entitled_hours: "104.00",
      placed_hours: "71.50",
      unplaced_hours: "32.50",
    });
  });

  it("18 spread pattern", () => {
    const who = holder({ contracts: [contract("2030-01-01", "2030-12-31", 36)] });
    const spread = pattern({ anchor_date: "2030-03-01", days_per_year: 13 });
    const sources = placement({ person: who, pots: derivedFree(who, 2030), today: "2030-01-02" });
    const { placed } = place(spread, sources);
    const dates = placed.map((day) => day.start_date);
    expect(dates).to.deep.equal([
      "2030-03-01",
      "2030-03-29",
      "2030-04-26",
      "2030-05-24",
      "2030-06-21",
      "2030-07-19",
      "2030-08-16",
      "2030-09-13",
      "2030-10-11",
      "2030-11-08",
      "2030-12-06",
    ]);
    expect(storedCadence(1, 13)).to.equal(4);
    const again = { ...sources, bookings: asBookings(placed, "p"), spent: new Set(dates) };
    expect(place(spread, again).placed).to.deep.equal([]);
  });

  it("19 overhang", () => {
    const who = holder({ contracts: [contract("2030-01-01", "2030-12-31", 36)] });
    const fridays = pattern({ interval_weeks: 2 });
    const sources = placement({ person: who, pots: derivedFree(who, 2030) });
    expect(sources.pots[0]?.hours).to.equal("208.00");
    const { placed } = place(fridays, sources);
    expect(placed).to.have.length(26);
    const byHand = { ...asBookings(placed, null)[0], id: "by hand", start_date: "2030-12-30", end_date: "2030-12-30" };
    const bookings = [...asBookings(placed, "p"), byHand as FreeTimeBooking];
    const raised = derivedFree(holder({ contracts: [contract("2030-01-01", "2030-12-31", 38)] }), 2030);
    const view = freeTimeOverview({ ...balance({ pots: raised, today: "2029-12-01" }), bookings }, 2030);
    expect(view).to.include({ entitled_hours: "104.00", placed_hours: "216.00", overhang_hours: "112.00" });
    const dates = view.overhang.map((day) => day.date);
    expect([dates.length, dates[0], dates.at(-1)]).to.deep.equal([14, "2030-12-20", "2030-06-21"]);
    const kept = bookings.filter((one) => !view.overhang.some((day) => day.request_id === one.id));
    const after = freeTimeOverview({ ...balance({ pots: raised, today: "2029-12-01" }), bookings: kept }, 2030);
    expect(after).to.include({ placed_hours: "104.00", overhang_hours: "0.00" });
    const spent = new Set(placed.map((day) => day.start_date));
    expect(place(fridays, { ...sources, pots: raised, bookings: kept, spent }).placed).to.deep.equal([]);
  });

  it("20 pot cap", () => {
    const mondays = pattern({ anchor_date: "2030-02-04", interval_weeks: 4 });
    const sources = placement({ pots: [pot("roostervrij", 2030, 20)], today: "2030-01-02" });
    const { placed } = place(mondays, sources);
    expect(placed.map((day) => day.start_date)).to.deep.equal(["2030-02-04", "2030-03-04"]);
    const more = place(mondays, {
      ...sources,
      pots: [pot("roostervrij", 2030, 32)],
      bookings: asBookings(placed, "p"),
      spent: new Set(placed.map((day) => day.start_date)),
    });
    expect(more.placed.map((day) => day.start_date)).to.deep.equal(["2030-04-01", "2030-04-29"]);
  });
});
