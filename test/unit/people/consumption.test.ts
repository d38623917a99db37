import { expect } from "chai";
import { consume, type LedgerPot } from "../../../services/people/pots/consumption.ts";
import { aliveOn, byExpiry, expiresSoon, expiryOf, isDead, lapsesIn } from "../../../services/people/pots/expiry.ts";
import { booking } from "./support.ts";

describe("expiry", () => {
  it("is 1 January after the accrual year plus the months carried over", () => {
    expect([6, 60, 0, 1, null].map((months) => expiryOf(2029, months))).to.deep.equal([
      "2030-07-01",
      "2035-01-01",
      "2030-01-01",
      "2030-02-01",
      null,
    ]);
  });

  it("is the first day the pot is dead", () => {
    expect([aliveOn("2030-07-01", "2030-06-30"), aliveOn("2030-07-01", "2030-07-01"), aliveOn(null, "2099-01-01")]).to.deep.equal(
      [true, false, true],
    );
  });

  it("counts from today, or from 1 January of the year read when that is later", () => {
    expect(isDead("2030-01-01", "2029-12-10", 2030)).to.equal(true);
    expect(isDead("2030-01-01", "2029-12-10", 2029)).to.equal(false);
    expect(isDead("2030-01-01", "2030-01-01", 2029)).to.equal(true);
    expect(isDead("2030-07-01", "2029-12-10", 2030)).to.equal(false);
    expect(isDead(null, "2099-12-10", 2029)).to.equal(false);
  });

  it("lapses in the year it expires in, not on its 1 January", () => {
    expect([
      lapsesIn("2030-07-01", 2030),
      lapsesIn("2030-01-01", 2030),
      lapsesIn("2031-01-01", 2030),
      lapsesIn(null, 2030),
    ]).to.deep.equal([true, false, true, false]);
  });

  it("is soon within six months, the day itself included", () => {
    expect([
      expiresSoon("2030-01-01", "2029-07-01"),
      expiresSoon("2030-01-02", "2029-07-01"),
      expiresSoon(null, "2029-07-01"),
    ]).to.deep.equal([true, false, false]);
    expect(expiresSoon("2030-02-28", "2029-08-31")).to.equal(true);
  });

  it("orders soonest first, never-expiring last, then older accrual", () => {
    const row = (expires_on: string | null, accrual_year: number) => ({ expires_on, accrual_year });
    const sorted = [
      row(null, 2020),
      row("2031-01-01", 2029),
      row("2030-01-01", 2029),
      row(null, 2019),
      row("2031-01-01", 2025),
    ].sort(byExpiry);
    expect(sorted.map((one) => `${one.expires_on} ${one.accrual_year}`)).to.deep.equal([
      "2030-01-01 2029",
      "2031-01-01 2025",
      "2031-01-01 2029",
      "null 2019",
      "null 2020",
    ]);
    expect(byExpiry(row("2030-01-01", 2029), row(null, 2029))).to.equal(-1);
  });
});

describe("consumption", () => {
  const ledgerPot = (leave_type_id: string, accrual_year: number, hours: number, expires_on: string | null): LedgerPot => ({
    leave_type_id,
    accrual_year,
    hours,
    expires_on,
  });
  const left = (pots: LedgerPot[], bookings: ReturnType<typeof booking>[]): string[] =>
    consume(pots, bookings).pots.map(({ pot: one, undrawn }) => `${one.accrual_year} ${undrawn}`);
  const short = (pots: LedgerPot[], bookings: ReturnType<typeof booking>[]): number[] =>
    consume(pots, bookings).bookings.map((one) => one.shortfall.toNumber());

  it("draws in date order, soonest expiry first, for any type booked", () => {
    const pots = [ledgerPot("a", 2029, 10, null), ledgerPot("b", 2029, 10, "2031-01-01"), ledgerPot("a", 2028, 10, "2029-07-01")];
    expect(left(pots, [booking("b", "2029-08-01", 5), booking("a", "2029-02-01", 12)])).to.deep.equal([
      "2028 0",
      "2029 3",
      "2029 10",
    ]);
  });

  it("a pot dying 1 July funds June, not July", () => {
    const pots = [ledgerPot("a", 2028, 10, "2029-07-01")];
    expect(short(pots, [booking("a", "2029-06-30", 4), booking("a", "2029-07-01", 4)])).to.deep.equal([0, 4]);
  });

  it("a pot does not fund leave of an earlier year", () => {
    expect(short([ledgerPot("a", 2030, 10, null)], [booking("a", "2029-12-31", 4), booking("a", "2030-01-01", 4)])).to.deep.equal(
      [4, 0],
    );
  });

  it("what no pot covers is a shortfall", () => {
    const consumed = consume(
      [ledgerPot("a", 2029, 10, null)],
      [booking("a", "2029-05-01", "12.34"), booking("a", "2029-06-01", 1)],
    );
    expect(consumed.bookings.map((one) => one.shortfall.toString())).to.deep.equal(["2.34", "1"]);
    expect(consumed.bookings[0]?.draws.map((draw) => draw.hours.toString())).to.deep.equal(["10"]);
    expect(consumed.bookings[1]?.draws).to.deep.equal([]);
  });
});
