import { isDate } from "../../../core/calendar/calendar.ts";
import { JobFailure } from "../../../core/errors/job-failure.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { SourceFailure, type Span } from "../sources/source.ts";
import { pauseTurn, takeTurn } from "./link-turn.ts";
import { storePeriodValues } from "./period-rows.ts";
import { ask, readerOf } from "./reading.ts";

/** The spans of a link whose values a caller requested. Jobs of versions up to 0.4 have one, as `start` and `end`. */
export type SpanPayload = { link_id: string; spans: readonly string[] } | { link_id: string; start: string; end: string };

/** The spans of a payload; undefined if one is invalid. */
function requestedSpans(payload: SpanPayload): Span[] | undefined {
  const texts = "spans" in payload ? payload.spans : [`${payload.start}/${payload.end}`];
  const spans = texts.map((text) => {
    const [from = "", to = ""] = text.split("/");
    return { from, to };
  });
  return spans.every(({ from, to }) => isDate(from) && isDate(to) && from <= to) ? spans : undefined;
}

/**
 * Fetches the values of some spans and stores them. A failure does not affect the link's days.
 * @returns `held` if another run reads the link
 * @throws JobFailure if a retry may succeed
 */
export async function readSpanValues(run: OrganisationRun<SpanPayload>): Promise<"held" | "over"> {
  const { link_id: linkId } = run.payload;
  const spans = requestedSpans(run.payload);
  if (!spans) return "over";
  const turn = await run.write(() => takeTurn(linkId, run.id));
  if (turn === "held") return "held";
  const reader = turn && (await readerOf(run, turn));
  if (!turn || !reader) return "over";
  const { periodValues } = reader.calls;
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
