import { setTimeout as delay } from "node:timers/promises";
import { send } from "../test/support/http.ts";

const READERS = 4;

/** Durations of reads, in milliseconds. */
export interface Reads {
  p50: number;
  p99: number;
  count: number;
  /** Reads without a 200. */
  failed: number;
}

const quantile = (sorted: number[], at: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] as number;

/** The median of some figures. */
export const median = (values: number[]) =>
  quantile(
    values.toSorted((one, other) => one - other),
    0.5,
  );

/** Formats reads as a line of a report. */
export const shown = ({ p50, p99, count, failed }: Reads): string =>
  `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms over ${count} reads, ${failed} failed`;

/** Reads a list for a while on a few connections, with pauses. */
export async function readsOf(asked: { port: number; host: string; key: string; seconds: number }): Promise<Reads> {
  const { port, host, key, seconds } = asked;
  const times: number[] = [];
  let failed = 0;
  const until = performance.now() + seconds * 1000;
  const reader = async () => {
    while (performance.now() < until) {
      const began = performance.now();
      const { status } = await send(port, "GET", "/companies?limit=50", { host, key });
      if (status !== 200) failed += 1;
      times.push(performance.now() - began);
      await delay(10);
    }
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  times.sort((one, other) => one - other);
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), count: times.length, failed };
}
