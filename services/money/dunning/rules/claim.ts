import { addDays, daysBetween, type IsoDate } from "../../../../core/calendar/calendar.ts";
import { type Decimal, type DecimalInput, type DecimalText, decimal, formatDecimal, sum } from "../../../../core/values/money.ts";
import { collectionCosts } from "./costs.ts";
import { type InterestPart, interestParts, type Principal } from "./interest.ts";
import { announcement, announcesCosts, type DunningLevel, payBy, type SentNotice } from "./levels.ts";
import type { Debtor, InterestRate } from "./rates.ts";

/** What a claim follows from: an issued invoice with its payments and notices. */
export interface Debt {
  readonly due_date: IsoDate;
  readonly currency: string;
  readonly debtor: Debtor;
  readonly total: DecimalInput;
  /** What credit notes took off it; it was never owed. */
  readonly credited_total: DecimalInput;
  /** By day, ascending; refunds are negative. */
  readonly payments: readonly { paid_on: IsoDate; amount: DecimalInput }[];
  readonly notices: readonly SentNotice[];
}

/** What can be claimed on a day. Amounts have 2 decimals. */
export interface Claim {
  /** `none` until the due date is over, `open` while something of the invoice is open, `settled` afterwards. */
  state: "none" | "open" | "settled";
  days_late: number;
  principal: DecimalText;
  interest: DecimalText;
  interest_parts: InterestPart[];
  /** Fees of the notices. */
  fees: DecimalText;
  /** Statutory costs beyond the fees; null in another currency than the euro. */
  costs: DecimalText | null;
  /** The day from which costs are owed; null for a consumer without the letter, and in another currency. */
  costs_from: IsoDate | null;
  total: DecimalText;
}

/** What was open of a document at the end of a day: credit notes count from the beginning, payments from their day. */
function openOn({ total, credited_total, payments }: Debt, day: IsoDate): Decimal {
  const paid = sum(payments.filter(({ paid_on }) => paid_on <= day).map(({ amount }) => amount));
  return decimal(total).minus(credited_total).minus(paid);
}

const atLeastZero = (amount: Decimal): Decimal => (amount.isNegative() ? decimal(0) : amount);

function principalsOf(debt: Debt, first: IsoDate): Principal[] {
  const days = [...new Set([first, ...debt.payments.map(({ paid_on }) => paid_on).filter((day) => day > first)])].toSorted();
  return days.map((from) => ({ from, amount: atLeastZero(openOn(debt, from)) }));
}

/** From which day costs are owed: a business owes them once it is late, a consumer after the letter (art. 6:96 lid 4 and 6 BW). */
function costsFrom({ debtor, due_date, notices, currency }: Debt): IsoDate | null {
  if (currency !== "EUR") return null;
  if (debtor === "business") return addDays(due_date, 1);
  const letter = announcement(notices);
  return letter ? addDays(letter.pay_by, 1) : null;
}

/** Statutory costs on a day: of what was open on the day before they were owed. */
function statutoryCosts(debt: Debt, on: IsoDate): DecimalText {
  const from = costsFrom(debt);
  return from === null || on < from ? "0.00" : collectionCosts(atLeastZero(openOn(debt, addDays(from, -1))));
}

const beyond = (costs: DecimalText, fees: Decimal): Decimal => atLeastZero(decimal(costs).minus(fees));

/** The claim on a document on a day: principal, statutory interest, fees and costs. The fees count towards the costs. */
export function claimOn(debt: Debt, on: IsoDate, rates: readonly InterestRate[]): Claim {
  const { due_date, debtor, currency } = debt;
  const days_late = Math.max(0, daysBetween(due_date, on));
  const open = atLeastZero(openOn(debt, on));
  const first = addDays(due_date, 1);
  const parts = interestParts({ debtor, currency, principals: principalsOf(debt, first), rates, first, last: on });
  const interest = sum(parts.map(({ amount }) => amount));
  const owed = openOn(debt, due_date).greaterThan(0);
  const fees = owed ? sum(debt.notices.filter(({ sent_on }) => sent_on <= on).map(({ fee }) => fee)) : decimal(0);
  const costs = beyond(statutoryCosts(debt, on), fees);
  return {
    state: days_late === 0 || !owed ? "none" : open.isZero() ? "settled" : "open",
    days_late,
    principal: formatDecimal(open),
    interest: formatDecimal(interest),
    interest_parts: parts,
    fees: formatDecimal(fees),
    costs: currency === "EUR" ? formatDecimal(costs) : null,
    costs_from: costsFrom(debt),
    total: formatDecimal(open.plus(interest).plus(fees).plus(costs)),
  };
}

/** What a notice claims. */
export interface Notice extends SentNotice {
  principal: DecimalText;
  interest: DecimalText;
  interest_parts: InterestPart[];
  /** Fees of this notice and those before it. */
  fees: DecimalText;
  costs: DecimalText;
  /** The costs that a consumer owes if it does not pay in time; null unless the notice announces them. */
  announced: DecimalText | null;
  total: DecimalText;
}

/**
 * A notice of a level on a day: the principal, and interest, fees and costs as the level claims them. The first one to a consumer that
 * would claim costs announces them instead, and gives at least fourteen days.
 * @param byPost whether it is not mailed
 */
export function noticeOn(
  debt: Debt,
  [number, level]: readonly [number, DunningLevel],
  { on, byPost, rates }: { on: IsoDate; byPost: boolean; rates: readonly InterestRate[] },
): Notice {
  const claim = claimOn(debt, on, rates);
  const announces_costs = announcesCosts(level, debt.debtor, debt.notices) && debt.currency === "EUR";
  const fee = debt.debtor === "business" && debt.currency === "EUR" ? level.fee : "0.00";
  const fees = decimal(claim.fees).plus(fee);
  const costs = level.costs ? beyond(statutoryCosts(debt, on), fees) : decimal(0);
  const interest = level.interest ? claim.interest : "0.00";
  return {
    ...{ level: number, sent_on: on, pay_by: payBy(on, level, announces_costs, byPost), announces_costs, fee },
    ...{ principal: claim.principal, interest, interest_parts: level.interest ? claim.interest_parts : [] },
    ...{ fees: formatDecimal(fees), costs: formatDecimal(costs) },
    announced: announces_costs ? collectionCosts(claim.principal) : null,
    total: formatDecimal(decimal(claim.principal).plus(interest).plus(fees).plus(costs)),
  };
}
