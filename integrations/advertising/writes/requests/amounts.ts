import { type Decimal, decimal } from "../../../../core/values/money.ts";

const MICROS = 1_000_000;
/** The provider counts in 64 bits. */
const MOST_MICROS = "9223372036854775807";

/** An amount as the provider counts it, in millionths; null for parts of one, and for more than it can count. */
export function microsOf(amount: number | string): string | null {
  const micros = decimal(amount).times(MICROS);
  return micros.isInteger() && micros.abs().lessThanOrEqualTo(MOST_MICROS) ? micros.toFixed() : null;
}

/** The exact amount of so many millionths. */
export const amountOf = (micros: string | number): Decimal => decimal(micros).dividedBy(MICROS);
