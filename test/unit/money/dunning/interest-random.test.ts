import { expect } from "chai";
import { addDays, daysInYear, yearOf } from "../../../../core/calendar/calendar.ts";
import { interestParts } from "../../../../services/money/dunning/rules/interest.ts";
import { type Debtor, STATUTORY_RATES } from "../../../../services/money/dunning/rules/rates.ts";
import { rounds } from "../../../support/tier.ts";

interface Case {
  first: string;
  last: string;
  debtor: Debtor;
  /** Cents that are open from a day on. */
  open: Map<string, bigint>;
}

/** The rate of a day in hundredths of a percent. */
const rateOf = (day: string, debtor: Debtor): bigint => {
  const rate = STATUTORY_RATES.filter(({ from }) => from <= day).at(-1) ?? STATUTORY_RATES[0];
  return BigInt(Math.round(Number(rate?.[debtor]) * 100));
};

/** Whether a year of interest is over on a day: the same day and month as the first, or 1 March in a year without a 29 February. */
const isNewYear = (day: string, first: string): boolean =>
  day > first &&
  (day.slice(5) === first.slice(5) || (first.endsWith("02-29") && day.endsWith("03-01") && daysInYear(yearOf(day)) === 365));

/** Interest in cents, day by day in whole numbers: an independent second computation. */
function dayByDay({ first, last, debtor, open }: Case): bigint {
  let [total, ofYear, compounded, principal, numerator, run] = [0n, 0n, 0n, 0n, 0n, ""];
  let divisor = 1n;
  const close = () => {
    const cents = (2n * numerator + divisor) / (2n * divisor);
    [total, ofYear, numerator] = [total + cents, ofYear + cents, 0n];
  };
  for (let day = first; day <= last; day = addDays(day, 1)) {
    const change = open.get(day);
    const rate = rateOf(day, debtor);
    const key = [change === undefined ? principal : change, rate, yearOf(day), isNewYear(day, first) ? day : ""].join();
    if (isNewYear(day, first) || change !== undefined || !run.startsWith([principal, rate, yearOf(day)].join())) close();
    if (isNewYear(day, first)) [compounded, ofYear] = [compounded + ofYear, 0n];
    if (change !== undefined) principal = change;
    divisor = 10_000n * BigInt(daysInYear(yearOf(day)));
    numerator += principal > 0n ? (principal + compounded) * rate : 0n;
    run = key;
  }
  close();
  return total;
}

describe("statutory interest of random debts", () => {
  it("is the same by parts and day by day", () => {
    let state = 20260601;
    const random = (below: number): number => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return Math.floor((state / 2147483648) * below);
    };
    for (let round = 0; round < rounds(150, 3000); round += 1) {
      const first = round % 10 === 0 ? "2016-02-29" : addDays("2013-01-01", random(4700));
      const open = new Map([[first, BigInt(random(5_000_000))]]);
      for (let payment = random(4); payment > 0; payment -= 1)
        open.set(addDays(first, 1 + random(900)), BigInt(random(2_000_000)));
      const debtor = random(2) === 0 ? "business" : "consumer";
      const last = addDays(first, random(1500) - 5);
      const parts = interestParts({
        ...{ debtor, currency: "EUR", rates: STATUTORY_RATES, first, last },
        principals: [...open.keys()].toSorted().map((from) => ({ from, amount: Number(open.get(from)) / 100 })),
      });
      const cents = parts.reduce((sum, { amount }) => sum + BigInt(amount.replace(".", "")), 0n);
      expect(cents, `${debtor} ${first} to ${last}`).to.equal(dayByDay({ first, last, debtor, open }));
      expect(parts.every(({ from, to }) => from <= to)).to.equal(true);
    }
  });
});
