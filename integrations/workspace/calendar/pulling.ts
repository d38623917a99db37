import { zoneOr } from "../../../core/calendar/calendar.ts";
import { DEFAULT_ZONE } from "../../../core/config/defaults.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { callGoogle, type GoogleAccess, googleAccess } from "../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { failPull, finishPull, forgetSyncToken, type PullTurn, storeEvents, TurnLost, takeTurn } from "./event-rows.ts";
import { compareOwnEvents } from "./mirror/moved-events.ts";
import { type CachedEvent, readEvents } from "./pulled-events.ts";

/** Events per page, Google's default. */
const PAGE = 250;
/** Days back that the first pull reads. */
const BACK_DAYS = 30;
/** Failures that a retry would hit again: the connection's owner or the operator of the OAuth client must act. */
const LASTING = new Set<GoogleFailure["kind"]>([
  "grant",
  "not_connected",
  "not_configured",
  "scope",
  "api_disabled",
  "forbidden",
]);

/** Whether a failure lasts until a person fixes it. */
export const isLasting = ({ kind }: GoogleFailure): boolean => LASTING.has(kind);

type Pulling = Pick<OrganisationRun, "organisation" | "read" | "write" | "call" | "signal" | "logger">;

async function pageOf(access: GoogleAccess, turn: PullTurn, timeMin: string, pageToken: string | undefined, signal: AbortSignal) {
  const { syncToken } = turn;
  return callGoogle(access, { api: "calendar", operation: "events.list", signal }, (client) =>
    client.events.list({
      calendarId: "primary",
      singleEvents: true,
      maxResults: PAGE,
      ...(syncToken === null ? { timeMin } : { syncToken }),
      ...(pageToken !== undefined && { pageToken }),
    }),
  );
}

/**
 * Reads a calendar page by page and stores each page before it requests the next.
 * @throws GoogleFailure `gone` if Google no longer knows the sync token
 * @throws TurnLost
 */
async function pullPages(run: Pulling, access: GoogleAccess, turn: PullTurn): Promise<void> {
  const now = Date.now();
  const timeMin = new Date(now - BACK_DAYS * 86_400_000).toISOString();
  const zone = zoneOr(run.organisation.timezone, DEFAULT_ZONE);
  const seen = new Set<string>();
  const own: CachedEvent[] = [];
  let pageToken: string | undefined;
  for (;;) {
    const { items = [], nextPageToken, nextSyncToken } = await pageOf(access, turn, timeMin, pageToken, run.signal);
    const events = readEvents(items, now, zone);
    own.push(...events.kept.filter(({ mirror_key }) => mirror_key !== null));
    if (events.unreadable > 0)
      run.logger.warn(
        { event: "workspace.events_skipped", connection: turn.connectionId, events: events.unreadable },
        "events without a readable time were left out",
      );
    if (nextPageToken) {
      if (seen.has(nextPageToken)) throw new GoogleFailure("unavailable", "Google gave the same page token twice");
      seen.add(nextPageToken);
      pageToken = nextPageToken;
      if (events.kept.length + events.gone.length > 0) await run.write(() => storeEvents(turn, events));
      continue;
    }
    // Before the sync token moves on: after a crash the next run compares them again.
    await compareOwnEvents(run, turn.connectionId, own, new Date(now).toISOString());
    await run.write(async () => {
      await storeEvents(turn, events);
      finishPull(turn, nextSyncToken ?? null);
    });
    return;
  }
}

/**
 * Pulls a calendar's changes, or everything if Google no longer knows the sync token; the earlier events stay visible until then (workspace
 * §2.3). Stops silently if another run takes over or only a person can fix the failure.
 * @throws GoogleFailure if a retry may succeed
 */
export async function pullCalendar(run: Pulling, connectionId: string): Promise<void> {
  const access = googleAccess({ id: connectionId }, run);
  const first = await run.write(() => takeTurn(connectionId));
  if (!first) return;
  let turn: PullTurn | undefined = first;
  try {
    try {
      await pullPages(run, access, turn);
    } catch (error) {
      if (!(error instanceof GoogleFailure && error.kind === "gone" && turn.syncToken !== null)) throw error;
      const lost: PullTurn = turn;
      await run.write(async () => forgetSyncToken(lost));
      turn = await run.write(() => takeTurn(connectionId, true));
      if (turn) await pullPages(run, access, turn);
    }
  } catch (error) {
    if (error instanceof TurnLost) return;
    if (!(error instanceof GoogleFailure)) throw error;
    const { message } = error;
    const held = turn ?? first;
    await run.write(async () => failPull(held, message));
    if (!isLasting(error)) throw error;
  }
}
