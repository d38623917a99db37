import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { redact } from "../../../core/outbound/redact.ts";
import { organisationAddress } from "../../../core/request/organisation-address.ts";
import { callGoogle, type GoogleAccess, googleAccess } from "../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { inRequest } from "../../../mixins/google/transactions.ts";
import { calendarConnection } from "./calendar-connections.ts";
import { type ChannelRow, channelsOf, confirmChannel, forgetChannels, storeOpening } from "./channel-rows.ts";
import { channelToken, newChannelSecret } from "./channel-token.ts";

/** Milliseconds that the end of a connection waits for Google to stop a channel. */
const STOP_TIMEOUT = 10_000;

type Watching = Pick<OrganisationRun, "organisation" | "read" | "write" | "signal" | "logger">;

/** Has Google stop a channel. One that it does not know is stopped. @throws GoogleFailure */
async function stopChannel(access: GoogleAccess, id: string, resourceId: string, signal: AbortSignal): Promise<void> {
  try {
    await callGoogle(access, { api: "calendar", operation: "channels.stop", effect: "idempotent", signal }, (client) =>
      client.channels.stop({ requestBody: { id, resourceId } }),
    );
  } catch (error) {
    if (!(error instanceof GoogleFailure && (error.kind === "not_found" || error.kind === "gone"))) throw error;
  }
}

/** Stops channels as far as that succeeds. @returns the ids of those that are stopped, and why the others are not */
async function stopAll(access: GoogleAccess, ids: readonly string[], resourceId: string, signal: AbortSignal) {
  const stopped: string[] = [];
  const reasons: string[] = [];
  for (const id of ids) {
    try {
      await stopChannel(access, id, resourceId, signal);
      stopped.push(id);
    } catch (error) {
      if (!(error instanceof GoogleFailure)) throw error;
      reasons.push(error.message);
    }
  }
  return { stopped, reasons };
}

/** Asks Google for a channel. @throws GoogleFailure */
async function openChannel(access: GoogleAccess, id: string, token: string, address: string, signal: AbortSignal) {
  const answer = await callGoogle(access, { api: "calendar", operation: "events.watch", signal }, (client) =>
    client.events.watch({ calendarId: "primary", requestBody: { id, type: "web_hook", address, token } }),
  );
  const { resourceId, expiration } = answer;
  const ends = Number(expiration);
  if (!resourceId || !Number.isSafeInteger(ends) || ends <= 0)
    throw new GoogleFailure("unavailable", "Google opened a channel without its resource or its end", { status: 200 });
  return { resourceId, expiresAt: new Date(ends).toISOString() };
}

/** Whether Google has certainly not opened a channel: it refused. Without an answer, and after a failure of its own, it may have. */
const wasRefused = ({ status }: GoogleFailure): boolean => status !== null && status >= 400 && status < 500;

/** Channels that Google may have and that no message is taken from once there is another one. */
const left = (channels: readonly ChannelRow[]) => channels.filter(({ status }) => status !== "active").map(({ id }) => id);

/**
 * Has Google push changes of a calendar: stops the channel that ends soon, opens another one, and stops those of which an answer was lost. A
 * failed renewal leaves the record of the old channel, and the calendar is polled until another attempt succeeds (workspace §2.3).
 * @returns whether a channel was opened, so that the calendar is to be read once: while none was open nothing was pushed
 */
export async function watchCalendar(run: Watching, connectionId: string): Promise<boolean> {
  const { organisation, signal } = run;
  const [connection, channels, base] = await run.read(() =>
    Promise.all([calendarConnection(connectionId), channelsOf(connectionId), organisationAddress()]),
  );
  // Google pushes to addresses with TLS alone.
  if (!connection || !base.startsWith("https://")) return false;
  const access = googleAccess({ id: connectionId }, run);
  const active = channels.find(({ status }) => status === "active");
  if (active?.resource_id && active.lasts) {
    await clearLeft(run, access, connectionId, left(channels), active.resource_id);
    return false;
  }
  const secret = newChannelSecret();
  const id = await run.write(() => storeOpening(connectionId, secret));
  if (id === undefined) return false;
  if (active?.resource_id) {
    const { reasons } = await stopAll(access, [active.id], active.resource_id, signal);
    if (reasons.length > 0) run.logger.warn({ connection: connectionId, reasons }, "the channel that ends soon was not stopped");
  }
  try {
    const token = channelToken({ organisationId: organisation.id, connectionId, secret });
    const opened = await openChannel(access, id, token, `${base}/api/v1/workspace/calendar/webhook`, signal);
    await run.write(async () => confirmChannel(connectionId, id, opened.resourceId, opened.expiresAt));
    await clearLeft(
      run,
      access,
      connectionId,
      channels.map((one) => one.id),
      opened.resourceId,
      active?.id,
    );
    return true;
  } catch (error) {
    if (!(error instanceof GoogleFailure)) throw error;
    if (wasRefused(error)) await run.write(async () => forgetChannels(connectionId, [id]));
    const reason = redact(error.message, [secret]);
    run.logger.warn({ connection: connectionId, reason }, "no push channel: the calendar is polled");
    return false;
  }
}

/** Stops channels that another one has replaced, and forgets them. @param already stopped before, as far as that succeeded */
async function clearLeft(
  run: Watching,
  access: GoogleAccess,
  connectionId: string,
  ids: readonly string[],
  resourceId: string,
  already?: string,
): Promise<void> {
  const waiting = ids.filter((id) => id !== already);
  const { stopped } = await stopAll(access, waiting, resourceId, run.signal);
  const done = already === undefined ? stopped : [...stopped, already];
  if (done.length > 0) await run.write(async () => forgetChannels(connectionId, done));
}

/**
 * Has Google stop the channels of a connection that is about to end, as far as it answers. In the `prepare` of a request that acts outside,
 * or in a job.
 * @param transactions a job hands over its `run`
 * @returns why one was not stopped, as it may be logged; null where there is nothing to say
 */
export async function stopChannels(connectionId: string, transactions = inRequest): Promise<string | null> {
  const channels = await transactions.read(() => channelsOf(connectionId));
  const resourceId = channels.find(({ resource_id }) => resource_id !== null)?.resource_id ?? null;
  if (resourceId === null) return null;
  const access = googleAccess({ id: connectionId }, transactions);
  const ids = channels.map(({ id }) => id);
  const { reasons } = await stopAll(access, ids, resourceId, AbortSignal.timeout(STOP_TIMEOUT));
  return reasons[0] ?? null;
}
