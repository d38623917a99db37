import { isDate } from "../../../core/calendar/calendar.ts";
import { JobFailure } from "../../../core/errors/job-failure.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { SourceFailure } from "../sources/source.ts";
import { pauseTurn, takeTurn } from "./link-turn.ts";
import { storePeriodValues } from "./period-rows.ts";
import { ask, readerOf } from "./reading.ts";

/** A span of a link whose value a caller requested. */
export type SpanPayload = { link_id: string; start: string; end: string };

/**
 * Fetches the value of one span and stores it. A failure does not affect the link's days.
 * @returns `held` if another run reads the link
 * @throws JobFailure if a retry may succeed
 */
export async function readSpanValue(run: OrganisationRun<SpanPayload>): Promise<"held" | "over"> {
  const { link_id: linkId, start, end } = run.payload;
  if (!isDate(start) || !isDate(end) || start > end) return "over";
  const turn = await run.write(() => takeTurn(linkId, run.id));
  if (turn === "held") return "held";
  const reader = turn && (await readerOf(run, turn));
  if (!turn || !reader) return "over";
  const { periodValues } = reader.calls;
  const spans = [{ from: start, to: end }];
  try {
    const values = periodValues ? await ask(reader, () => periodValues(reader.access, turn.link, spans)) : [];
    await run.write(async () => {
      storePeriodValues(linkId, spans, values);
      pauseTurn(turn, reader.access.pausedUntil ?? null);
    });
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    const { key, pausedUntil } = error;
    await run.write(async () => pauseTurn(turn, pausedUntil));
    if (pausedUntil === null) throw new JobFailure(key, 60_000, { cause: error });
  }
  return "over";
}
