import { expect } from "chai";
import { type FreeTimeBooking, freeTimeOverview, overhangDays } from "../../../services/people/free-time/free-time.ts";
import { balance, pot, TYPES, typeOf } from "./support.ts";

const free = (start_date: string, hours: number, over: Partial<FreeTimeBooking> = {}): FreeTimeBooking => ({
  id: start_date,
  leave_type_id: "roostervrij",
  start_date,
  end_date: start_date,
  start_time: null,
  end_time: null,
  hours,
  status: "approved",
  recurring_day_id: "p",
  ...over,
});

describe("free time", () => {
  const sources = { ...balance({ pots: [pot("roostervrij", 2030, 40)], today: "2030-06-14" }) };
  const ids = (bookings: readonly { request_id: string }[]): string[] => bookings.map((one) => one.request_id);

  it("entitled, placed, taken, upcoming and unplaced", () => {
    const bookings = [
      free("2030-06-28", 8, { start_time: "13:00", end_time: "15:00" }),
      free("2030-06-14", 4),
      free("2030-06-13", 8),
      free("2030-06-01", 2, { end_date: "2030-06-20", recurring_day_id: null }),
      free("2029-12-31", 8),
      free("2031-01-01", 8),
      free("2030-07-01", 8, { leave_type_id: "vacation_statutory" }),
    ];
    const view = freeTimeOverview({ ...sources, bookings }, 2030);
    expect(view).to.include({
      year: 2030,
      entitled_hours: "40.00",
      placed_hours: "22.00",
      taken_hours: "8.00",
      upcoming_hours: "14.00",
      unplaced_hours: "18.00",
      overhang_hours: "0.00",
      next_date: "2030-06-01",
    });
    expect(ids(view.days)).to.deep.equal(["2030-06-01", "2030-06-14", "2030-06-28"]);
    expect(view.days[2]).to.deep.equal({
      request_id: "2030-06-28",
      date: "2030-06-28",
      start_time: "13:00",
      end_time: "15:00",
      hours: "8.00",
      from_pattern: true,
    });
    expect(view.days[0]?.from_pattern).to.equal(false);
    expect(view.overhang).to.deep.equal([]);
    expect(view.leave_type_ids).to.deep.equal(["roostervrij"]);
  });

  it("offers pattern days from the latest back until the excess is covered, the last may overshoot", () => {
    const bookings = [
      free("2030-07-05", 8),
      free("2030-08-02", 8),
      free("2030-09-06", 8),
      free("2030-10-04", 8, { recurring_day_id: null }),
    ];
    expect(overhangDays(bookings, 9).map((one) => one.id)).to.deep.equal(["2030-09-06", "2030-08-02"]);
    expect(overhangDays(bookings, 8).map((one) => one.id)).to.deep.equal(["2030-09-06"]);
    expect(overhangDays(bookings, 99).map((one) => one.id)).to.deep.equal(["2030-09-06", "2030-08-02", "2030-07-05"]);
    expect(overhangDays(bookings, 0)).to.deep.equal([]);
  });

  it("taken pattern days are not offered, past excess or not", () => {
    const bookings = [free("2030-01-04", 30), free("2030-07-05", 8), free("2030-06-13", 8)];
    const view = freeTimeOverview({ ...sources, bookings }, 2030);
    expect([view.overhang_hours, view.unplaced_hours, ...ids(view.overhang)]).to.deep.equal(["6.00", "0.00", "2030-07-05"]);
    const later = freeTimeOverview({ ...sources, today: "2030-12-01", bookings }, 2030);
    expect([later.overhang_hours, later.overhang.length, later.next_date]).to.deep.equal(["6.00", 0, null]);
  });

  it("is zero without an active free-time type, and does not depend on tracking", () => {
    const off = TYPES.map((type) => ({ ...type, active: type.key !== "roostervrij" }));
    expect(freeTimeOverview({ ...sources, types: off, bookings: [free("2030-07-05", 8)] }, 2030)).to.deep.equal({
      year: 2030,
      leave_type_ids: [],
      entitled_hours: "0.00",
      placed_hours: "0.00",
      taken_hours: "0.00",
      upcoming_hours: "0.00",
      unplaced_hours: "0.00",
      overhang_hours: "0.00",
      days: [],
      next_date: null,
      overhang: [],
    });
    const untracked = TYPES.map((type) => ({ ...type, tracks_balance: type.key !== "roostervrij" && type.tracks_balance }));
    expect(freeTimeOverview({ ...sources, types: untracked, bookings: [] }, 2030).entitled_hours).to.equal("40.00");
  });

  it("takes all free-time types together", () => {
    const types = [...TYPES, typeOf("adv", { accrues_schedule_gap: true, tracks_balance: true, position: 99 })];
    const pots = [pot("roostervrij", 2030, 40), pot("adv", 2030, 10)];
    const view = freeTimeOverview({ ...sources, types, pots, bookings: [free("2030-07-05", 8, { leave_type_id: "adv" })] }, 2030);
    expect(view).to.include({ entitled_hours: "50.00", placed_hours: "8.00" });
    expect(view.leave_type_ids).to.deep.equal(["roostervrij", "adv"]);
  });
});
