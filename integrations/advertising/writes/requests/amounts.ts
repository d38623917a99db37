import { type Decimal, decimal } from "../../../../core/values/money.ts";

const MICROS = 1_000_000;
/** The largest amount: the provider uses 64-bit integers. */
const MOST_MICROS = "9223372036854775807";

/** An amount in the provider's micros (millionths); null for fractions of one and for amounts beyond 64 bits. */
export function microsOf(amount: number | string): string | null {
  const micros = decimal(amount).times(MICROS);
  return micros.isInteger() && micros.abs().lessThanOrEqualTo(MOST_MICROS) ? micros.toFixed() : null;
}

/** The exact amount of some micros. */
export const amountOf = (micros: string | number): Decimal => decimal(micros).dividedBy(MICROS);

/** A sent amount as a number, which is exact for the amounts that schemas allow; undefined without one. */
export const sentAmount = (amount: number | string | null | undefined): number | undefined =>
  amount === null || amount === undefined ? undefined : decimal(amount).toNumber();
