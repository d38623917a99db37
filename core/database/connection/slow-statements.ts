import { currentRequest } from "../../request/context.ts";
import { currentTally } from "../../request/statement-count.ts";
import type { Bound } from "../../sql/statement.ts";
import { tracing } from "../../tracing/tracing.ts";
import { shortened } from "../../values/stored-text.ts";
import { spanOf, withoutFrame } from "./statement-span.ts";

/** Statements that took long, sent to PostgreSQL as one message. Never holds a parameter. */
export interface SlowStatements {
  /** Name of the action or job that sent them; null outside of both. */
  action: string | null;
  /** `X-Request-Id` of the request, or the id of the job; null outside of both. */
  requestId: string | null;
  /** Milliseconds from sending to the end of the answer, to a tenth; waiting for a connection does not count. */
  ms: number;
  /** Number of statements in the message, without those that open and close its transaction. */
  statements: number;
  /** Beginnings of the first texts, without values. */
  sql: string[];
}

/** Most characters of a text, and most texts of a message, in a report. */
const LONGEST = 300;
const MOST = 5;
let watch: { threshold: number; report: (slow: SlowStatements) => void } | null = null;

/**
 * Reports every message to PostgreSQL that takes at least so long; the latest call counts.
 * @param threshold milliseconds; 0 measures nothing
 * @returns ends the reports, so that a stopped node is not held by its logger
 */
export function watchSlowStatements(threshold: number, report: (slow: SlowStatements) => void): () => void {
  const own = threshold === 0 ? null : { threshold, report };
  watch = own;
  return () => {
    if (watch === own) watch = null;
  };
}

/** Milliseconds from which statements are collected for the list of the slowest. */
const COLLECTED = 10;
const collectors = new Set<(slow: SlowStatements) => void>();

/**
 * Reports every message to PostgreSQL that takes 10 ms or longer, whatever `SERVICE_SLOW_STATEMENT_MS` is.
 * @returns ends the reports
 */
export function collectSlowStatements(report: (slow: SlowStatements) => void): () => void {
  collectors.add(report);
  return () => void collectors.delete(report);
}

const beginningOf = (text: string): string => (text.length > LONGEST ? `${shortened(text, LONGEST)}…` : text);

function slowStatements(bound: readonly Bound[], took: number): SlowStatements {
  const [store, tally] = [currentRequest(), currentTally()];
  const inner = withoutFrame(bound);
  const named = inner.length > 0 ? inner : bound.map(([{ text }]) => text);
  return {
    action: store?.action ?? tally?.request?.action ?? null,
    requestId: store?.requestId ?? tally?.request?.requestId ?? null,
    ms: Math.round(took * 10) / 10,
    statements: inner.length,
    sql: named.slice(0, MOST).map(beginningOf),
  };
}

/**
 * Sends a message, and reports it to those who watch if it was slow. A message that fails is reported as well. In a trace that is recorded,
 * the message has a span.
 */
export function timed<T>(bound: readonly Bound[], send: () => Promise<T>): Promise<T> {
  if (tracing?.isRecording()) return tracing.run(spanOf(bound), () => watched(bound, send));
  return watched(bound, send);
}

const watched = <T>(bound: readonly Bound[], send: () => Promise<T>): Promise<T> =>
  watch || collectors.size > 0 ? measured(bound, send) : send();

async function measured<T>(bound: readonly Bound[], send: () => Promise<T>): Promise<T> {
  const own = watch;
  const began = performance.now();
  try {
    return await send();
  } finally {
    const took = performance.now() - began;
    const isWatched = own !== null && took >= own.threshold;
    const isCollected = took >= COLLECTED && collectors.size > 0;
    if (isWatched || isCollected) {
      const slow = slowStatements(bound, took);
      if (isWatched) own.report(slow);
      if (isCollected) for (const report of collectors) report(slow);
    }
  }
}
