import {
  addDays,
  dateOf,
  daysInclusive,
  daysInYear,
  earlier,
  type IsoDate,
  lastOfYear,
  yearOf,
} from "../../../../core/calendar/calendar.ts";
import { roundIn } from "../../../../core/values/currencies.ts";
import { type DecimalInput, type DecimalText, decimal, formatDecimal } from "../../../../core/values/money.ts";
import { type Debtor, type InterestRate, knownUntil } from "./rates.ts";

/** What was open from a day on, until the next one. */
export interface Principal {
  readonly from: IsoDate;
  readonly amount: DecimalInput;
}

/** Interest over days with one rate, one amount and one calendar year. Amounts have 2 decimals. */
export interface InterestPart {
  from: IsoDate;
  to: IsoDate;
  days: number;
  /** What was open of the document. */
  principal: DecimalText;
  /** Interest of whole years before, on which interest runs as well. */
  compounded: DecimalText;
  /** Percent a year. */
  rate: DecimalText;
  amount: DecimalText;
  /** Whether the rate of these days was not known yet: it is the last known one. */
  provisional: boolean;
}

/** The day on which the nth year of interest begins; for 29 February the first of March where there is none. */
function anniversary(first: IsoDate, years: number): IsoDate {
  const [, month = 1, day = 1] = first.split("-").map(Number);
  const year = yearOf(first) + years;
  return month === 2 && day === 29 && daysInYear(year) === 365 ? dateOf(year, 3, 1) : dateOf(year, month, day);
}

/** The entry of a list by days that holds on a day: the last one that begins by then. */
const validOn = <T extends { readonly from: IsoDate }>(entries: readonly T[], day: IsoDate): T | undefined =>
  entries.findLast(({ from }) => from <= day);

/**
 * Statutory interest on what is open, a part for each rate, open amount and calendar year: amount × rate × days ÷ days of that year, each
 * part rounded once to the currency's smallest unit. After a whole year its interest bears interest itself (art. 6:119 lid 2, 6:119a lid 3 BW), as long as something of
 * the document is open.
 * @param principals ascending; the first one begins by the first day
 * @param rates ascending; before the first one its rate holds
 * @param first the first day of interest, the day after the due date
 * @param last the last one, included; nothing if it comes before the first
 */
export function interestParts(debt: {
  readonly debtor: Debtor;
  readonly currency: string;
  readonly principals: readonly Principal[];
  readonly rates: readonly InterestRate[];
  readonly first: IsoDate;
  readonly last: IsoDate;
}): InterestPart[] {
  const { debtor, currency, principals, rates, first, last } = debt;
  const known = knownUntil(rates);
  const changes = rates.filter((rate, index) => index > 0 && !decimal(rate[debtor]).equals(rates[index - 1]?.[debtor] ?? 0));
  const parts: InterestPart[] = [];
  let [compounded, ofYear, years] = [decimal(0), decimal(0), 1];
  for (let from = first; from <= last; ) {
    if (from === anniversary(first, years)) {
      compounded = compounded.plus(ofYear);
      ofYear = decimal(0);
      years += 1;
    }
    const starts = [...principals, ...changes].map((entry) => entry.from).filter((day) => day > from);
    const ends = [...starts, anniversary(first, years), addDays(known, 1)]
      .filter((day) => day > from)
      .map((day) => addDays(day, -1));
    const to = [...ends, last, lastOfYear(yearOf(from))].reduce(earlier);
    const open = decimal(validOn(principals, from)?.amount ?? 0);
    if (open.greaterThan(0)) {
      const rate = decimal((validOn(rates, from) ?? rates[0])?.[debtor] ?? 0);
      const days = daysInclusive(from, to);
      const exact = open
        .plus(compounded)
        .times(rate)
        .times(days)
        .dividedBy(100 * daysInYear(yearOf(from)));
      const amount = roundIn(exact, currency);
      ofYear = ofYear.plus(amount);
      parts.push({
        ...{ from, to, days, principal: formatDecimal(open), compounded: formatDecimal(compounded) },
        ...{ rate: formatDecimal(rate), amount: formatDecimal(amount), provisional: from > known },
      });
    }
    from = addDays(to, 1);
  }
  return parts;
}
