import { addDays, dateIn, earlier, later, zoneOr } from "../../../core/calendar/calendar.ts";
import { DEFAULT_ZONE } from "../../../core/config/defaults.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { QUOTA_USED_UP, UNREADABLE } from "../sources/failures.ts";
import { sources } from "../sources/registry.ts";
import {
  type MarketingSource,
  reachOf,
  type SourceAccess,
  type SourceCalls,
  type SourceDays,
  SourceFailure,
  type Span,
} from "../sources/source.ts";
import { storeDays } from "./day-rows.ts";
import { continueBackfill, type SyncPayload } from "./link-jobs.ts";
import {
  completeBackfill,
  endTurn,
  failTurn,
  keepTurn,
  type LinkTurn,
  markRead,
  releaseTurn,
  TurnLost,
  takeTurn,
} from "./link-turn.ts";
import { forgetPeriodValues, storePeriodValues, wantedSpans } from "./period-rows.ts";
import { knownDays, spansIn, unreadChunks } from "./read-days.ts";

/** Days per backfill chunk; each chunk is stored separately. */
const CHUNK_DAYS = 30;
/** Days read every night. */
const NIGHTLY_DAYS = 7;
/** Days per nightly request. */
const NIGHTLY_CHUNK = 90;
/** Milliseconds after which a backfill yields to the other jobs of its order key. */
const BUDGET = 600_000;

type Reading = Pick<OrganisationRun, "id" | "organisation" | "read" | "write" | "today" | "signal" | "logger">;

/** The context for reading one link. */
interface Reader {
  run: Reading;
  turn: LinkTurn;
  source: MarketingSource;
  calls: SourceCalls;
  access: SourceAccess;
}

/**
 * Asks a source, outside any transaction. An unexpected error of the source becomes a SourceFailure.
 * @throws SourceFailure
 * @throws the abort reason of the run
 */
export async function ask<T>({ run, turn }: Pick<Reader, "run" | "turn">, question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    // An aborted run says nothing about its source.
    run.signal.throwIfAborted();
    if (error instanceof SourceFailure) throw error;
    const { id: link, source } = turn.link;
    run.logger.error(
      { event: "marketing.source_failed", link, source, error: (error as Error).message },
      "a source failed unexpectedly",
    );
    throw new SourceFailure(UNREADABLE, { cause: error });
  }
}

/** Splits a span into chunks, oldest first. */
export function chunksOf({ from, to }: Span, days: number): Span[] {
  const chunks: Span[] = [];
  for (let start = from; start <= to; start = addDays(start, days))
    chunks.push({ from: start, to: earlier(addDays(start, days - 1), to) });
  return chunks;
}

/**
 * Reads a span, stores its days under the lease and marks them as read.
 * @param isLast whether it completes the backfill
 * @throws SourceFailure also if part of the days is missing; the days that arrived are stored, and stay unread
 */
async function readDays(reader: Reader, span: Span, isLast = false): Promise<SourceDays> {
  const { run, turn, source, calls, access } = reader;
  const days = await ask(reader, () => calls.days(access, turn.link, span));
  const known = knownDays(span, days, source, run.today());
  await run.write(async () => {
    await keepTurn(turn);
    storeDays(turn.link, span, days);
    if (days.failure) return;
    if (known) markRead(turn, known);
    if (isLast) completeBackfill(turn);
  });
  if (days.failure) throw days.failure;
  return days;
}

/**
 * Fetches and stores the values of the spans in use. A failure does not affect the stored days.
 * @returns when the quota resets, if it is used up
 */
async function readPeriodValues(reader: Reader): Promise<string | null> {
  const { run, turn, calls, access } = reader;
  const { periodValues } = calls;
  if (!periodValues) return null;
  try {
    const { inUse, toAsk } = await run.read(() => wantedSpans(turn.link, run.today()));
    const values = toAsk.length === 0 ? [] : await ask(reader, () => periodValues(access, turn.link, toAsk));
    await run.write(async () => {
      await keepTurn(turn);
      storePeriodValues(turn.link.id, toAsk, values);
      forgetPeriodValues(turn.link.id, inUse);
    });
    return access.pausedUntil ?? null;
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    run.logger.warn({ event: "marketing.spans_not_read", link: turn.link.id, error: error.key }, "no values of whole spans");
    return error.pausedUntil;
  }
}

/** The context for reading a link; null if its source is unknown. */
export async function readerOf(run: Reading, turn: LinkTurn): Promise<Reader | null> {
  const source = sources.get(turn.link.source);
  if (!source) return null;
  const { connection_id: connectionId, website_id: websiteId } = turn.link;
  const access = { transactions: run, connectionId, websiteId, signal: run.signal };
  return { run, turn, source, calls: await source.calls(), access };
}

/**
 * Reads a link under its lease, so only one run over all nodes reads it. A refusal by the source fails the link, not the run.
 * @returns `held` if another run reads the link
 */
async function inTurn(run: Reading, linkId: string, read: (reader: Reader) => Promise<void>): Promise<"held" | "over"> {
  const turn = await run.write(() => takeTurn(linkId, run.id));
  if (turn === "held") return "held";
  const reader = turn && (await readerOf(run, turn));
  if (!turn || !reader) return "over";
  try {
    await read(reader);
  } catch (error) {
    if (error instanceof TurnLost) return "over";
    if (!(error instanceof SourceFailure)) throw error;
    const { key, pausedUntil } = error;
    await run.write(async () => failTurn(turn, key, pausedUntil));
  }
  return "over";
}

/** Reads the whole-span values and ends the turn. */
async function finish(reader: Reader, pausedUntil: string | null): Promise<void> {
  const paused = pausedUntil ?? (await readPeriodValues(reader));
  await reader.run.write(async () => endTurn(reader.turn, paused));
}

const dayOf = ({ organisation }: Reading, instant: string): string =>
  dateIn(zoneOr(organisation.timezone, DEFAULT_ZONE), Date.parse(instant));

/** The first day of a nightly read. A link that was not read for a while starts where its days became final. */
function firstDay({ run, turn, source }: Reader, days: number): string {
  const { last_synced_at } = turn.link;
  const today = run.today();
  const usual = addDays(today, -days);
  const since = last_synced_at === null ? usual : addDays(dayOf(run, last_synced_at), 1 - NIGHTLY_DAYS);
  return later(earlier(usual, since), addDays(today, -reachOf(source)));
}

/** Reads the latest days of a link (marketing-ads §2.10). @returns `held` if another run reads it */
export const syncLink = (run: OrganisationRun<SyncPayload>): Promise<"held" | "over"> =>
  inTurn(run, run.payload.link_id, async (reader) => {
    const days = run.payload.weekly ? Math.max(reader.source.restatedDays ?? 0, NIGHTLY_DAYS) : NIGHTLY_DAYS;
    const whole = { from: firstDay(reader, days), to: addDays(run.today(), -1) };
    let pausedUntil: string | null = null;
    for (const span of chunksOf(whole, NIGHTLY_CHUNK)) {
      if (pausedUntil !== null) throw new SourceFailure(QUOTA_USED_UP, { pausedUntil });
      pausedUntil = (await readDays(reader, span)).pausedUntil ?? null;
    }
    await finish(reader, pausedUntil);
  });

/**
 * Reads the unread days that a source reaches back to, newest first, and stores each chunk separately: the next run resumes before the last
 * stored chunk (marketing-ads §2.10).
 * @returns `held` if another run reads the link
 */
export const backfillLink = (run: OrganisationRun<{ link_id: string }>): Promise<"held" | "over"> =>
  inTurn(run, run.payload.link_id, async (reader) => {
    const { turn, source } = reader;
    const today = run.today();
    const reach = { from: addDays(today, -reachOf(source)), to: addDays(today, -1) };
    const chunks = unreadChunks(reach, spansIn(turn.link.read_days), CHUNK_DAYS);
    const began = performance.now();
    let pausedUntil: string | null = null;
    // An earlier run may have stopped right after storing its last chunk.
    if (chunks.length === 0) await run.write(async () => completeBackfill(turn));
    for (const span of chunks) {
      if (pausedUntil !== null) return run.write(async () => failTurn(turn, QUOTA_USED_UP, pausedUntil));
      if (performance.now() - began > BUDGET)
        return run.write(async () => {
          releaseTurn(turn);
          continueBackfill(turn.link);
        });
      const days = await readDays(reader, span, span === chunks.at(-1));
      pausedUntil = days.pausedUntil ?? null;
    }
    await finish(reader, pausedUntil);
  });
