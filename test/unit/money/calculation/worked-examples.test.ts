import { expect } from "chai";
import { addDays } from "../../../../core/calendar/calendar.ts";
import { addPeriod, nextBoundary, openPeriods } from "../../../../core/calendar/periods.ts";
import { dateIn } from "../../../../core/calendar/zones.ts";
import { increaseBase, increased, priceAt } from "../../../../core/values/prices.ts";
import { applicableCredit, isCovered, mirrored } from "../../../../services/money/calculation/credit.ts";
import { epcPayload } from "../../../../services/money/calculation/epc.ts";
import { billedHours, worthOf } from "../../../../services/money/calculation/hours.ts";
import { netsOf } from "../../../../services/money/calculation/nets.ts";
import { allocate, type Sequence } from "../../../../services/money/calculation/numbering.ts";
import { dueReminder } from "../../../../services/money/calculation/reminders.ts";
import { isSettled, outstandingOf } from "../../../../services/money/calculation/settlement.ts";
import { lineAmount, totalsOf } from "../../../../services/money/calculation/totals.ts";
import { eur, type Line, line } from "./support.ts";

/** `subtotal / tax / total` as the examples write it. */
const summary = (lines: readonly Line[], pricesIncludeTax = false) => {
  const { subtotal, tax_total, total } = totalsOf(lines, eur(pricesIncludeTax));
  return `${subtotal} / ${tax_total} / ${total}`;
};
const groups = (lines: readonly Line[], pricesIncludeTax = false) =>
  totalsOf(lines, eur(pricesIncludeTax)).tax_groups.map(
    ({ rate_pct, category, base, tax }) => `${rate_pct} ${category}: ${base} + ${tax}`,
  );

const MIXED = [line("7.5", "84.00", 21), line(1, "249.95", 21), line(1, "-75.00", 21), line(3, "16.65", 9)];
const TOTAL = "1028.44";

describe("worked examples of money §18: calculation", () => {
  it("1: mixed rates, discount, exclusive", () => {
    expect(MIXED.map(({ amount }) => amount)).to.deep.equal(["630.00", "249.95", "-75.00", "49.95"]);
    expect(groups(MIXED)).to.deep.equal(["21.00 standard: 804.95 + 169.04", "9.00 reduced: 49.95 + 4.50"]);
    expect(summary(MIXED)).to.equal("854.90 / 173.54 / 1028.44");
  });

  it("2: once per group", () => {
    expect(summary(Array.from({ length: 4 }, () => line(1, "0.37", 21)))).to.equal("1.48 / 0.31 / 1.79");
    expect(summary([line(1, "0.50", 21)])).to.equal("0.50 / 0.11 / 0.61");
  });

  it("3: inclusive", () => {
    const lines = [line(1, "119.99", 21), line(2, "8.47", 9)];
    expect(groups(lines, true)).to.deep.equal(["21.00 standard: 99.17 + 20.82", "9.00 reduced: 15.54 + 1.40"]);
    expect(summary(lines, true)).to.equal("114.71 / 22.22 / 136.93");
    expect(summary(lines)).to.equal("136.93 / 26.72 / 163.65");
  });

  it("4: untaxed", () => {
    const lines = [line(1, "1450.00", 21, "reverse_charge"), line(2, "80.00", 0, "exempt"), line(4, "62.50", 21)];
    expect(summary(lines)).to.equal("1860.00 / 52.50 / 1912.50");
    expect(groups(lines)).to.deep.equal([
      "21.00 reverse_charge: 1450.00 + 0.00",
      "21.00 standard: 250.00 + 52.50",
      "0.00 exempt: 160.00 + 0.00",
    ]);
  });

  it("14: UBL, inclusive", () => {
    const lines = [line(1, "10.00", 21), line(1, "10.00", 21), line(1, "10.00", 21), line(1, "5.45", 9)];
    expect(groups(lines, true)).to.deep.equal(["21.00 standard: 24.79 + 5.21", "9.00 reduced: 5.00 + 0.45"]);
    expect(netsOf(lines, eur(true))).to.deep.equal(["8.27", "8.26", "8.26", "5.00"]);
    expect(summary(lines, true)).to.equal("29.79 / 5.66 / 35.45");
  });
});

/** A document while payments and credits come and go. */
const state = (paid: readonly number[], values: { total?: string; credited?: string; applied?: string } = {}) => {
  const { total = TOTAL, credited = "0.00", applied = "0.00" } = values;
  const paid_total = String(paid.reduce((sum, cents) => sum + cents, 0) / 100);
  const balance = { total, paid_total, credited_total: credited, applied_total: applied };
  const status = isSettled({ ...balance, payments: paid.length }) ? "paid" : "open";
  return `${status}, ${outstandingOf(balance)}`;
};

describe("worked examples of money §18: settlement and credit", () => {
  it("5: credit mirror", () => {
    const note = MIXED.map(mirrored);
    expect(note.map(({ amount }) => amount)).to.deep.equal(["-630.00", "-249.95", "75.00", "-49.95"]);
    expect(note.map(({ unit_price }) => unit_price)).to.deep.equal(["-84.00", "-249.95", "75.00", "-16.65"]);
    expect(summary(note)).to.equal("-854.90 / -173.54 / -1028.44");
    expect(isCovered(TOTAL, ["-1028.44"])).to.equal(true);
  });

  it("5: crediting an unpaid source", () => {
    const applied = applicableCredit({ total: TOTAL, paid_total: "0.00", credited_total: "0.00" }, { total: "-1028.44" });
    expect(applied).to.equal("1028.44");
    expect(state([], { total: "-1028.44", applied })).to.equal("paid, 0.00");
    expect(state([], { credited: applied })).to.equal("open, 0.00");
  });

  it("5: crediting a part-paid source, then paying back", () => {
    const applied = applicableCredit({ total: TOTAL, paid_total: "600.00", credited_total: "0.00" }, { total: "-1028.44" });
    expect(applied).to.equal("428.44");
    expect(state([], { total: "-1028.44", applied })).to.equal("open, -600.00");
    expect(state([-60000], { total: "-1028.44", applied })).to.equal("paid, 0.00");
    expect(state([60000], { credited: applied })).to.equal("paid, 0.00");
  });

  it("6: partial credit", () => {
    const { total } = totalsOf([line(1, "-120.00", 21)], eur(false));
    expect(total).to.equal("-145.20");
    const credited = applicableCredit({ total: TOTAL, paid_total: "0.00", credited_total: "0.00" }, { total });
    expect(credited).to.equal("145.20");
    expect(isCovered(TOTAL, [total])).to.equal(false);
    expect(state([], { credited })).to.equal("open, 883.24");
    expect(state([88324], { credited })).to.equal("paid, 0.00");
  });

  it("7: payments", () => {
    expect(state([40000])).to.equal("open, 628.44");
    expect(state([40000, 70000])).to.equal("paid, -71.56");
    expect(state([70000])).to.equal("open, 328.44");
  });
});

describe("worked examples of money §18: hours, numbers, agreements and mails", () => {
  it("8: from time", () => {
    expect(billedHours([50, 35])).to.equal("1.4167");
    expect(billedHours([25])).to.equal("0.4167");
    const lines = [line(billedHours([50, 35]), "92.50", 21), line(billedHours([25]), "70.00", 21)];
    expect(lines.map(({ amount }) => amount)).to.deep.equal(["131.04", "29.17"]);
    expect(totalsOf(lines, eur(false)).subtotal).to.equal("160.21");
    expect(
      worthOf(
        [
          { minutes: 50, rate: "92.50" },
          { minutes: 35, rate: "92.50" },
          { minutes: 25, rate: "70.00" },
        ],
        "EUR",
      ),
    ).to.equal("160.21");
  });

  const sequence = (values: Partial<Sequence>): Sequence => ({
    format: "{year}-{seq:4}",
    next_seq: 413,
    seq_year: 2026,
    reset_yearly: true,
    ...values,
  });
  const numbers: [what: string, sequence: Sequence, taken: string[], number: string][] = [
    ["starts anew on 1 January", sequence({}), [], "2027-0001"],
    ["runs on with reset off", sequence({ reset_yearly: false }), [], "2027-0413"],
    ["another format", sequence({ format: "F{yy}{seq:5}", next_seq: 88, seq_year: 2027 }), [], "F2700088"],
    ["walks past what exists", sequence({ next_seq: 411, seq_year: 2027 }), ["2027-0411", "2027-0412"], "2027-0413"],
  ];
  for (const [what, from, taken, number] of numbers)
    it(`9: numbers: ${what}`, () => {
      expect(allocate(from, 2027, (one) => taken.includes(one))?.number).to.equal(number);
    });

  it("10: agreement", () => {
    const prices = [
      { amount: "90.00", valid_from: "2026-01-15" },
      { amount: "99.00", valid_from: "2026-03-01" },
    ];
    expect(nextBoundary("2026-01-15", 1, null)).to.equal("2026-02-15");
    const cycle = { start_date: "2026-01-15", end_date: null, created_on: "2026-01-15", months: 1, today: "2026-05-15" };
    const { periods, truncated } = openPeriods({ ...cycle, next_invoice_date: "2026-05-15" });
    expect(truncated).to.equal(false);
    expect(periods.map(({ period_end }) => [period_end, priceAt(prices, period_end)])).to.deep.equal([
      ["2026-02-15", "90.00"],
      ["2026-03-15", "99.00"],
      ["2026-04-15", "99.00"],
      ["2026-05-15", "99.00"],
    ]);
    expect([1, 2, 3, 4, 5].map((steps) => addPeriod("2026-07-31", 1, -steps))).to.deep.equal([
      "2026-06-30",
      "2026-05-30",
      "2026-04-30",
      "2026-03-30",
      "2026-02-28",
    ]);
  });

  it("11: increase", () => {
    const before = [{ amount: "80.55", valid_from: "2026-01-01" }];
    const first = increased(increaseBase(before, "2026-07-01") ?? "0", "percent", 5, "EUR");
    expect(first).to.equal("84.58");
    const after = [...before, { amount: first, valid_from: "2026-07-01" }];
    expect(increased(increaseBase(after, "2026-07-01") ?? "0", "percent", 10, "EUR")).to.equal("88.61");
  });

  /** The days from 1 June a scheduled mail goes out on, with its step; one run a day. */
  const mails = (from: number, until: number, had = 0): [day: number, level: number][] => {
    let count = had;
    const sent: [day: number, level: number][] = [];
    for (let day = from; day <= until; day++) {
      const due = dueReminder({ days: [7, 14, 30], count, overdueDays: day - 1 });
      if (!due) continue;
      sent.push([day, due.level]);
      count++;
    }
    return sent;
  };

  it("12: reminders", () => {
    expect(mails(16, 400)).to.deep.equal([
      [16, 1],
      [17, 2],
      [31, 3],
    ]);
    expect(addDays("2026-06-01", 31 - 1)).to.equal("2026-07-01");
    expect(mails(6, 400, 1)[0]).to.deep.equal([15, 2]);
  });

  it("13: EPC", () => {
    const seller = { name: "Vela Works B.V.", iban: "NL91 ABNA 0417 1643 00", bic: null };
    expect(epcPayload({ currency: "EUR", outstanding: "628.44", number: "2026-0031", seller })).to.equal(
      "BCD\n002\n1\nSCT\n\nVela Works B.V.\nNL91ABNA0417164300\nEUR628.44\n\n\n2026-0031",
    );
  });

  it("15: summary, what each document adds to it", () => {
    const open = outstandingOf({ total: TOTAL, paid_total: "400.00", credited_total: "0.00", applied_total: "0.00" });
    expect([open, lineAmount("500.00", "0.92", "EUR")]).to.deep.equal(["628.44", "460.00"]);
    expect(outstandingOf({ total: "-242.00", paid_total: "0", credited_total: "0", applied_total: "0" })).to.equal("-242.00");
  });

  it("16: settlement day", () => {
    expect(dateIn("Europe/Amsterdam", "2026-03-31T22:40Z")).to.equal("2026-04-01");
  });
});
