import { Decimal as DecimalJs } from "decimal.js";

/**
 * Exact decimals with 40 significant digits: enough that a quotient of amounts never shows a false tie at the half cent. Arithmetic never
 * rounds automatically at the scale of money; use the named functions below.
 */
export const Decimal = DecimalJs.clone({ precision: 40, rounding: DecimalJs.ROUND_HALF_UP });
/** An exact decimal. */
export type Decimal = DecimalJs;

/** Input of a decimal: decimal text, a number from JSON, or a decimal. */
export type DecimalInput = string | number | Decimal;

/** A decimal number as text, in requests and answers: `"12.50"`, `"-3"`. */
export type DecimalText = string;

const DECIMAL_TEXT = /^[+-]?\d+(?:\.\d+)?$/;

/** Whether `value` is decimal text (`-12.50`; no exponent, no spaces) or a finite number. */
export function isDecimal(value: unknown): value is string | number {
  return typeof value === "number" ? Number.isFinite(value) : typeof value === "string" && DECIMAL_TEXT.test(value);
}

/** The exact decimal of `value`; a JSON number counts as its written digits (0.1 is 0.1). Throws RangeError otherwise. */
export function decimal(value: DecimalInput): Decimal {
  if (typeof value === "object") return value;
  if (!isDecimal(value)) throw new RangeError(`not a decimal: ${value}`);
  return new Decimal(value);
}

/** Whether a JavaScript number, as JSON and `jsonb` return it, has all digits of a numeric text (`"0.10"`, `"1e3"`). */
export function isExactNumber(text: string): boolean {
  const number = Number(text);
  return Number.isFinite(number) && new Decimal(text).equals(number);
}

/** The exact sum; 0 for no values. */
export function sum(values: Iterable<DecimalInput>): Decimal {
  let total: Decimal = new Decimal(0);
  for (const value of values) total = total.plus(decimal(value));
  return total;
}

/** Rounded to `places` decimals, a half away from zero: 0.105 → 0.11, −0.105 → −0.11 (money chapter, "Amounts"). */
export function roundHalfUp(value: DecimalInput, places = 2): Decimal {
  return decimal(value).toDecimalPlaces(places, DecimalJs.ROUND_HALF_UP);
}

/** Rounded to `places` decimals, a half to the even neighbour: 0.125 → 0.12, 0.135 → 0.14 (people chapter §1, "Hours"). */
export function roundHalfEven(value: DecimalInput, places = 2): Decimal {
  return decimal(value).toDecimalPlaces(places, DecimalJs.ROUND_HALF_EVEN);
}

/**
 * Decimal text with exactly `places` decimals and no negative zero: `"12.50"`, `"0.00"`. Throws RangeError if digits would be lost: round
 * explicitly first.
 */
export function formatDecimal(value: DecimalInput, places = 2): DecimalText {
  const exact = decimal(value);
  if (exact.decimalPlaces() > places) throw new RangeError(`more than ${places} decimals: ${exact.toString()}`);
  return exact.isZero() ? new Decimal(0).toFixed(places) : exact.toFixed(places);
}

/** Decimal text with the decimals of the value, at least 2 and at most `most`: `"2.00"`, `"0.0025"`. Throws RangeError beyond `most`. */
export function formatExact(value: DecimalInput, most: number): DecimalText {
  const exact = decimal(value);
  return formatDecimal(exact, Math.max(2, Math.min(most, exact.decimalPlaces())));
}

/** An amount of money as text: rounded half up to 2 decimals. */
export function formatAmount(value: DecimalInput): DecimalText {
  return formatDecimal(roundHalfUp(value));
}

/** Whole cents of an amount. Throws RangeError for fractions of a cent or an amount too large to count exactly. */
export function toCents(amount: DecimalInput): number {
  const cents = decimal(amount).times(100);
  if (!cents.isInteger()) throw new RangeError(`not whole cents: ${decimal(amount).toString()}`);
  if (cents.abs().greaterThan(Number.MAX_SAFE_INTEGER)) throw new RangeError("amount too large");
  return cents.isZero() ? 0 : cents.toNumber();
}

/** The amount of whole cents as text with 2 decimals: 1250 → `"12.50"`. Throws RangeError unless `cents` is a safe integer. */
export function fromCents(cents: number): DecimalText {
  if (!Number.isSafeInteger(cents)) throw new RangeError(`not whole cents: ${cents}`);
  return formatDecimal(new Decimal(cents).dividedBy(100));
}

/**
 * Distributes `total` in proportion to non-negative `weights`, with each share rounded by `round` to `places` decimals. The remainder goes
 * to the largest weight, the first among equals, so the shares always add up to `total`. If all weights are zero, every share is 0 and the
 * caller decides. Throws RangeError for a negative weight.
 */
export function allocate(
  total: DecimalInput,
  weights: readonly number[],
  round: (value: Decimal, places: number) => Decimal = roundHalfUp,
  places = 2,
): Decimal[] {
  if (weights.some((weight) => !(weight >= 0))) throw new RangeError("a weight is negative");
  const whole = decimal(total);
  const all = sum(weights);
  if (all.isZero()) return weights.map(() => new Decimal(0));
  const shares = weights.map((weight) => round(whole.times(weight).dividedBy(all), places));
  const largest = weights.indexOf(weights.reduce((most, weight) => Math.max(most, weight), 0));
  const residue = whole.minus(sum(shares));
  return shares.map((share, index) => (index === largest ? share.plus(residue) : share));
}
