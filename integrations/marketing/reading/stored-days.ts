import { roundHalfUp, sum } from "../../../core/values/money.ts";
import type { MarketingSource } from "../sources/source.ts";
import { storedName } from "./aggregates.ts";

type Figures = Readonly<Record<string, number>>;

/** The stored days of a link in a span, one entry per day in no order; all null without a stored day. */
export interface StoredDays {
  /** Days since the first day of the span. */
  at: readonly number[] | null;
  metrics: readonly Figures[] | null;
  /** Null for sources without channels, and on days without any. */
  channels: readonly (Figures | null)[] | null;
}

/** Decimals of figures. */
const PLACES = 4;
const SCALE = 10 ** PLACES;
/** Largest scaled figure whose fraction a float shows to the sixth decimal. */
const LARGEST = 1e9;
const CLOSE_TO_HALF = 1e-6;

/** A figure with 4 decimals, a half away from zero: what `round(…::numeric, 4)` gives. Decimals only decide where a float could not. */
export function roundedFigure(figure: number): number {
  if (Number.isInteger(figure)) return figure;
  const scaled = Math.abs(figure * SCALE);
  const isClear = scaled < LARGEST && Math.abs((scaled % 1) - 0.5) > CLOSE_TO_HALF;
  return isClear ? (Math.sign(figure) * Math.round(scaled)) / SCALE : roundHalfUp(figure, PLACES).toNumber();
}

/** By metric a value for each day of the span, 4 decimals, 0 if not reported. */
export function seriesOf(
  days: StoredDays,
  source: MarketingSource,
  names: readonly string[],
  length: number,
): Record<string, number[]> {
  const { at, metrics } = days;
  const series = names.map((name): [string, number[]] => {
    const values = new Array<number>(length).fill(0);
    const stored = storedName(source, name);
    for (const [index, day] of at?.entries() ?? []) values[day] = roundedFigure(metrics?.[index]?.[stored] ?? 0);
    return [name, values];
  });
  return Object.fromEntries(series);
}

const total = (values: readonly number[]): number => {
  const added = values.reduce((one, other) => one + other, 0);
  // Sums of whole numbers up to 2^53 are exact.
  const isExact =
    values.every(Number.isInteger) && values.reduce((one, other) => one + Math.abs(other), 0) <= Number.MAX_SAFE_INTEGER;
  return isExact ? added : roundHalfUp(sum(values), PLACES).toNumber();
};

/** Shorter names first, then by their bytes: the order of keys in `jsonb`. */
const inOrder = (one: string, other: string): number =>
  Buffer.byteLength(one) - Buffer.byteLength(other) || Buffer.compare(Buffer.from(one), Buffer.from(other));

/** The sums by channel over the first `counted` days of the span, 4 decimals. */
export function channelsOf({ at, channels }: StoredDays, counted: number): Record<string, number> {
  const visits = (at ?? []).flatMap((day, index) => (day < counted ? Object.entries(channels?.[index] ?? {}) : []));
  const byChannel = Map.groupBy(visits, ([name]) => name);
  const named = [...byChannel].sort(([one], [other]) => inOrder(one, other));
  return Object.fromEntries(named.map(([name, own]) => [name, total(own.map(([, value]) => value))]));
}
