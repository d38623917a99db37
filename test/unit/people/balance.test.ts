import { expect } from "chai";
import {
  groupBalances,
  previewRemaining,
  remainingOfType,
  summaryRemaining,
  typeBalances,
} from "../../../services/people/pots/balance.ts";
import { nextLeave, type SummaryRequest, summary } from "../../../services/people/team/summary.ts";
import { balance, booking, person, pot, TYPES, typeOf } from "./support.ts";

const STATUTORY = "vacation_statutory";
const EXTRA = "vacation_extra";

describe("balance of a type", () => {
  it("a row per active tracking type in list order, zeros included", () => {
    expect(typeBalances(balance(), 2029).map((row) => [row.leave_type_id, row.remaining_hours, row.balance_group])).to.deep.equal(
      [
        [STATUTORY, "0.00", "vacation"],
        [EXTRA, "0.00", "vacation"],
        ["roostervrij", "0.00", null],
      ],
    );
  });

  it("approved and pending follow the booking and the start year, remaining the pot drawn", () => {
    const rows = typeBalances(
      balance({
        pots: [pot(STATUTORY, 2029, 20), pot(EXTRA, 2029, 20)],
        bookings: [
          booking(EXTRA, "2029-03-05", 8),
          booking(EXTRA, "2029-04-02", 4, { status: "approved" }),
          booking(EXTRA, "2028-12-28", 2, { status: "approved" }),
          booking(EXTRA, "2030-01-02", 16),
          booking("sick", "2029-06-01", 80),
        ],
      }),
      2029,
    );
    expect(rows[0]).to.include({
      approved_hours: "0.00",
      pending_hours: "0.00",
      remaining_hours: "8.00",
      entitled_hours: "20.00",
      year: 2029,
    });
    expect(rows[1]).to.include({
      approved_hours: "4.00",
      pending_hours: "8.00",
      remaining_hours: "20.00",
      entitled_hours: "20.00",
    });
  });

  it("leave of 1 January is of the new year, leave of 31 December of the old", () => {
    const sources = balance({
      pots: [pot(STATUTORY, 2028, 20), pot(STATUTORY, 2029, 20)],
      bookings: [booking(STATUTORY, "2028-12-31", 3), booking(STATUTORY, "2029-01-01", 5)],
    });
    expect(typeBalances(sources, 2028)[0]).to.include({ pending_hours: "3.00" });
    expect(typeBalances(sources, 2029)[0]).to.include({ pending_hours: "5.00" });
  });

  it("an older pot is entitled by what earlier years left, if it lives past 1 January", () => {
    const sources = balance({
      pots: [pot(STATUTORY, 2027, 50), pot(STATUTORY, 2028, 30), pot("roostervrij", 2028, 9)],
      bookings: [booking(STATUTORY, "2028-11-01", 60), booking(STATUTORY, "2029-01-01", 5)],
    });
    expect(typeBalances(sources, 2029)[0]).to.include({ entitled_hours: "0.00" });
    const less = { ...sources, bookings: [booking(STATUTORY, "2028-11-01", 12), booking(STATUTORY, "2029-01-01", 5)] };
    expect(typeBalances(less, 2029)[0]).to.include({ entitled_hours: "18.00", remaining_hours: "13.00" });
    expect(typeBalances(less, 2029)[2]).to.include({ entitled_hours: "0.00", remaining_hours: "0.00" });
  });

  it("shortfalls of other years stay there", () => {
    const sources = balance({
      pots: [pot(STATUTORY, 2029, 10)],
      bookings: [booking(STATUTORY, "2028-05-01", 8)],
      today: "2028-06-01",
    });
    expect(typeBalances(sources, 2028)[0]?.remaining_hours).to.equal("-8.00");
    expect(typeBalances(sources, 2029)[0]?.remaining_hours).to.equal("10.00");
  });

  it("pots of later years and hours of inactive types do not count", () => {
    const types = TYPES.map((type) => ({ ...type, active: type.key !== EXTRA }));
    const sources = balance({
      types,
      pots: [pot(STATUTORY, 2030, 10), pot(EXTRA, 2029, 10)],
      bookings: [booking(EXTRA, "2029-05-01", 8)],
    });
    const rows = typeBalances(sources, 2029);
    expect(rows.map((row) => row.leave_type_id)).to.deep.equal([STATUTORY, "roostervrij"]);
    expect(rows[0]).to.include({ remaining_hours: "0.00", entitled_hours: "0.00" });
  });

  it("a next-year read in December does not count pots that die on 1 January", () => {
    const sources = balance({ pots: [pot("roostervrij", 2029, 10)], today: "2029-12-20" });
    expect(typeBalances(sources, 2029)[2]?.remaining_hours).to.equal("10.00");
    expect(typeBalances(sources, 2030)[2]?.remaining_hours).to.equal("0.00");
  });
});

describe("balance of a group", () => {
  it("sums its types and shows its pots by expiry", () => {
    const [group, free] = groupBalances(
      balance({
        pots: [pot(STATUTORY, 2029, 20), pot(EXTRA, 2029, 4), pot(STATUTORY, 2028, 5)],
        bookings: [booking(EXTRA, "2029-08-06", 8, { status: "approved" }), booking(STATUTORY, "2029-09-06", 3)],
        today: "2029-08-01",
      }),
      2029,
    );
    expect(group).to.deep.equal({
      group: "vacation",
      label_i18n: { nl: "Vakantieverlof", en: "Vacation" },
      leave_type_ids: [STATUTORY, EXTRA],
      year: 2029,
      entitled_hours: "29.00",
      approved_hours: "8.00",
      pending_hours: "3.00",
      remaining_hours: "13.00",
      lapsed_hours: "5.00",
      expiring_soon_hours: "0.00",
      pots: [
        {
          leave_type_id: STATUTORY,
          accrual_year: 2028,
          entitled_hours: "5.00",
          remaining_hours: "5.00",
          expires_on: "2029-07-01",
          expired: true,
        },
        {
          leave_type_id: STATUTORY,
          accrual_year: 2029,
          entitled_hours: "20.00",
          remaining_hours: "9.00",
          expires_on: "2030-07-01",
          expired: false,
        },
        {
          leave_type_id: EXTRA,
          accrual_year: 2029,
          entitled_hours: "4.00",
          remaining_hours: "4.00",
          expires_on: "2035-01-01",
          expired: false,
        },
      ],
    });
    expect(free).to.include({ group: null, remaining_hours: "0.00" });
    expect(free?.label_i18n).to.deep.equal({ nl: "Vrije tijd", en: "Free time" });
  });

  it("live hours that expire within six months are expiring soon, dead ones are not", () => {
    const sources = balance({ pots: [pot(STATUTORY, 2028, 5), pot("roostervrij", 2029, 7)], today: "2029-08-01" });
    expect(groupBalances(sources, 2029).map((group) => group.expiring_soon_hours)).to.deep.equal(["0.00", "7.00"]);
    expect(groupBalances({ ...sources, today: "2029-06-30" }, 2029)[0]?.expiring_soon_hours).to.equal("5.00");
  });

  it("hours that died on 1 January of the year are last year's lapse", () => {
    const sources = balance({ pots: [pot("roostervrij", 2028, 7)], today: "2029-08-01" });
    expect(groupBalances(sources, 2029)[1]?.lapsed_hours).to.equal("0.00");
    expect(groupBalances(sources, 2028)[1]?.lapsed_hours).to.equal("7.00");
  });

  it("a shortfall sits on the representative", () => {
    const types = [
      typeOf("forever", { tracks_balance: true, balance_group: "g", carry_over_months: null }),
      typeOf("short", { tracks_balance: true, balance_group: "g", carry_over_months: 3, position: 4 }),
    ];
    const rows = typeBalances(balance({ types, bookings: [booking("forever", "2029-05-01", 8)] }), 2029);
    expect(rows.map((row) => [row.leave_type_id, row.remaining_hours])).to.deep.equal([
      ["forever", "0.00"],
      ["short", "-8.00"],
    ]);
  });
});

describe("what remains", () => {
  const sources = balance({
    pots: [pot(STATUTORY, 2029, 20), pot(EXTRA, 2029, 4), pot("roostervrij", 2029, 12)],
    bookings: [booking(EXTRA, "2029-08-06", 8)],
    today: "2029-02-01",
  });

  it("for a preview: of the whole group, null without a balance", () => {
    expect(previewRemaining(sources, EXTRA, 2029, null)).to.equal("16.00");
    expect(previewRemaining(sources, EXTRA, 2029, `${EXTRA} 2029-08-06`)).to.equal("24.00");
    expect(previewRemaining(sources, "roostervrij", 2029, null)).to.equal("12.00");
    expect(previewRemaining(sources, "sick", 2029, null)).to.equal(null);
    expect(previewRemaining(sources, "unknown", 2029, null)).to.equal(null);
  });

  it("of one type alone, for a pattern", () => {
    expect(remainingOfType(sources, EXTRA, 2029)?.toString()).to.equal("4");
    expect(remainingOfType(sources, STATUTORY, 2029)?.toString()).to.equal("12");
    expect(remainingOfType(sources, "sick", 2029)).to.equal(null);
  });

  it("for the summary: all tracking types but free time", () => {
    expect(summaryRemaining(sources, 2029)).to.equal("16.00");
  });
});

describe("summary", () => {
  const request = (id: string, start_date: string, end_date: string, status: SummaryRequest["status"]): SummaryRequest => ({
    id,
    start_date,
    end_date,
    status,
  });
  const requests = [
    request("far", "2029-08-01", "2029-08-02", "approved"),
    request("under way", "2029-01-30", "2029-02-01", "approved"),
    request("over", "2029-01-10", "2029-01-31", "approved"),
    request("asked", "2029-02-01", "2029-02-01", "pending"),
    request("asked long ago", "2027-02-01", "2027-02-01", "pending"),
    request("gone", "2029-02-02", "2029-02-02", "cancelled"),
  ];

  it("has the year's figures, own pending requests of all years and the next approved leave", () => {
    const sources = balance({ pots: [pot(STATUTORY, 2029, 20), pot("roostervrij", 2029, 12)], today: "2029-02-01" });
    expect(summary(sources, person({ profile: { schedule: null, hours_per_week: 32 } }), requests)).to.deep.equal({
      year: 2029,
      remaining_hours: "20.00",
      hours_per_week: "32.00",
      hours_per_day: "8.00",
      pending_count: 2,
      next_leave_id: "under way",
      next_leave_start: "2029-01-30",
      next_leave_end: "2029-02-01",
    });
  });

  it("has no next leave without approved leave ahead", () => {
    expect(nextLeave(requests, "2029-08-03")).to.equal(null);
    expect(nextLeave(requests, "2029-02-02")?.id).to.equal("far");
    expect(summary(balance(), person(), [])).to.include({
      next_leave_id: null,
      next_leave_start: null,
      next_leave_end: null,
      pending_count: 0,
    });
  });
});
