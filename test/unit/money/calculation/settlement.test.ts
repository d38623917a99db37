import { expect } from "chai";
import fc from "fast-check";
import { decimal, fromCents } from "../../../../core/values/money.ts";
import { isPayable } from "../../../../mixins/payments/payable.ts";
import { applicableCredit, isCovered } from "../../../../services/money/calculation/credit.ts";
import { isSettled, outstandingOf } from "../../../../services/money/calculation/settlement.ts";
import { CASES } from "./support.ts";

const balance = (total: string, paid: string, credited = "0.00", applied = "0.00") => ({
  total,
  paid_total: paid,
  credited_total: credited,
  applied_total: applied,
});

describe("the amount due", () => {
  it("is the total less payments and credits, more the amounts applied elsewhere", () => {
    expect(outstandingOf(balance("100.00", "30.00", "20.00"))).to.equal("50.00");
    expect(outstandingOf(balance("-100.00", "-30.00", "0.00", "20.00"))).to.equal("-50.00");
    expect(outstandingOf(balance("100.00", "100.01"))).to.equal("-0.01");
  });
});

describe("whether there is something to pay", () => {
  const rows: [kind: string, status: string, outstanding: string, payable: boolean][] = [
    ["invoice", "open", "0.01", true],
    ["invoice", "open", "0.00", false],
    ["invoice", "open", "-0.01", false],
    ["invoice", "draft", "10.00", false],
    ["invoice", "paid", "10.00", false],
    ["invoice", "cancelled", "10.00", false],
    ["credit_note", "open", "10.00", false],
  ];
  for (const [kind, status, outstanding, payable] of rows)
    it(`is ${payable} of ${status} ${kind} with ${outstanding}`, () => {
      expect(isPayable({ kind, status, outstanding })).to.equal(payable);
    });
});

describe("whether a document is settled", () => {
  const rows: [what: string, document: ReturnType<typeof balance>, payments: number, settled: boolean][] = [
    ["nothing paid", balance("100.00", "0.00"), 0, false],
    ["a cent short", balance("100.00", "99.99"), 1, false],
    ["paid exactly", balance("100.00", "100.00"), 1, true],
    ["paid too much", balance("100.00", "100.01"), 2, true],
    ["credited in full, never paid", balance("100.00", "0.00", "100.00"), 0, false],
    ["credited and paid together", balance("100.00", "60.00", "40.00"), 1, true],
    ["credited in full, paid and paid back", balance("100.00", "0.00", "100.00"), 2, true],
    ["credited and paid, a cent short", balance("100.00", "59.99", "40.00"), 1, false],
    ["a total of zero", balance("0.00", "0.00"), 0, false],
    ["a total of zero, with payments", balance("0.00", "5.00"), 1, false],
    ["a note that nothing was done with", balance("-100.00", "0.00"), 0, false],
    ["a note applied in full", balance("-100.00", "0.00", "0.00", "100.00"), 0, true],
    ["a note applied in part", balance("-100.00", "0.00", "0.00", "99.99"), 0, false],
    ["a note paid back", balance("-100.00", "-100.00"), 1, true],
    ["a note applied and paid back", balance("-100.00", "-60.00", "0.00", "40.00"), 1, true],
    ["a note paid back too much", balance("-100.00", "-100.01"), 1, true],
    ["a note paid back a cent short", balance("-100.00", "-99.99"), 1, false],
  ];
  for (const [what, document, payments, settled] of rows)
    it(`${what}: ${settled ? "paid" : "open"}`, () => {
      expect(isSettled({ ...document, payments })).to.equal(settled);
    });

  it("depends on the rows there are, not on how they came to be", () => {
    const cents = fc.integer({ min: -200_000, max: 200_000 });
    const history = fc.record({
      total: cents,
      credited: fc.integer({ min: 0, max: 200_000 }),
      kept: fc.array(cents, { maxLength: 6 }),
      deleted: fc.array(cents, { maxLength: 4 }),
    });
    const settled = (total: number, credited: number, payments: readonly number[]) => {
      const paid = fromCents(payments.reduce((all, one) => all + one, 0));
      return isSettled({ ...balance(fromCents(total), paid, fromCents(credited)), payments: payments.length });
    };
    const shuffled = history.chain((one) =>
      fc.tuple(
        fc.constant(one),
        fc.shuffledSubarray([...one.kept, ...one.deleted], { minLength: one.kept.length + one.deleted.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([{ total, credited, kept, deleted }, order]) => {
        // Booked in any order, then those to go are deleted, each an exact inverse of its booking.
        let rows = [...order];
        for (const payment of deleted) {
          const at = rows.indexOf(payment);
          rows = [...rows.slice(0, at), ...rows.slice(at + 1)];
        }
        expect(settled(total, credited, rows)).to.equal(settled(total, credited, kept));
      }),
      CASES,
    );
  });
});

describe("the credit that is applied", () => {
  const rows: [what: string, source: [total: string, paid: string, credited: string], note: string, applied: string][] = [
    ["all of it to an unpaid source", ["100.00", "0.00", "0.00"], "-100.00", "100.00"],
    ["a part", ["100.00", "0.00", "0.00"], "-30.00", "30.00"],
    ["what is left after payments", ["100.00", "75.00", "0.00"], "-30.00", "25.00"],
    ["what is left after other credits", ["100.00", "0.00", "75.00"], "-30.00", "25.00"],
    ["nothing to a paid source", ["100.00", "100.00", "0.00"], "-30.00", "0.00"],
    ["nothing to an overpaid source", ["100.00", "120.00", "0.00"], "-30.00", "0.00"],
    ["nothing of a note above zero", ["100.00", "0.00", "0.00"], "30.00", "0.00"],
    ["nothing of an empty note", ["100.00", "0.00", "0.00"], "0.00", "0.00"],
    ["nothing to a source below zero", ["-100.00", "0.00", "0.00"], "-30.00", "0.00"],
    ["as much as was paid back", ["100.00", "-20.00", "0.00"], "-130.00", "120.00"],
  ];
  for (const [what, [total, paid_total, credited_total], note, applied] of rows)
    it(what, () => {
      expect(applicableCredit({ total, paid_total, credited_total }, { total: note })).to.equal(applied);
    });

  it("never exceeds the remainder, for any number of notes", () => {
    const amounts = fc.record({
      total: fc.integer({ min: 0, max: 100_000 }),
      paid: fc.integer({ min: 0, max: 120_000 }),
      notes: fc.array(fc.integer({ min: -120_000, max: 1000 }), { maxLength: 8 }),
    });
    fc.assert(
      fc.property(amounts, ({ total, paid, notes }) => {
        let credited = decimal(0);
        for (const note of notes) {
          const source = { total: fromCents(total), paid_total: fromCents(paid), credited_total: credited };
          credited = credited.plus(applicableCredit(source, { total: fromCents(note) }));
        }
        expect(credited.toNumber()).to.be.within(0, Math.max(0, total - paid) / 100);
        const asked = notes.reduce((all, note) => all + Math.max(0, -note), 0);
        expect(credited.toNumber()).to.equal(Math.min(asked, Math.max(0, total - paid)) / 100);
      }),
      CASES,
    );
  });
});

describe("whether notes cover their source", () => {
  const rows: [total: string, notes: string[], covered: boolean][] = [
    ["100.00", [], false],
    ["100.00", ["-99.99"], false],
    ["100.00", ["-99.99", "-0.01"], true],
    ["100.00", ["-100.01"], true],
    ["100.00", ["100.00"], false],
    ["100.00", ["-110.00", "20.00"], false],
    ["0.00", ["0.00"], false],
    ["-100.00", ["100.00"], false],
    ["-100.00", [], false],
  ];
  for (const [total, notes, covered] of rows)
    it(`${notes.join(" and ") || "none"} ${covered ? "cover" : "do not cover"} ${total}`, () => {
      expect(isCovered(total, notes)).to.equal(covered);
    });
});
