import type { OrganisationRun } from "../../../../core/jobs/jobs.ts";
import { organisationAddress } from "../../../../core/organisation/organisation-address.ts";
import { redact } from "../../../../core/outbound/redact.ts";
import { callGoogle, type GoogleAccess, googleAccess } from "../../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../../mixins/google/failure.ts";
import { inRequest } from "../../../../mixins/google/transactions.ts";
import { calendarConnection } from "../calendar-connections.ts";
import { type ChannelRow, channelsOf, confirmChannel, forgetChannels, storeOpening } from "./channel-rows.ts";
import { channelToken, newChannelSecret } from "./channel-token.ts";

/** Milliseconds that ending a connection waits for Google to stop a channel. */
const STOP_TIMEOUT = 10_000;

type Watching = Pick<OrganisationRun, "organisation" | "read" | "write" | "signal" | "logger">;

/** Stops a channel at Google; an unknown channel counts as stopped. @throws GoogleFailure */
async function stopChannel(access: GoogleAccess, id: string, resourceId: string, signal: AbortSignal): Promise<void> {
  try {
    await callGoogle(access, { api: "calendar", operation: "channels.stop", effect: "idempotent", signal }, (client) =>
      client.channels.stop({ requestBody: { id, resourceId } }),
    );
  } catch (error) {
    if (!(error instanceof GoogleFailure && (error.kind === "not_found" || error.kind === "gone"))) throw error;
  }
}

/** Tries to stop several channels. @returns the ids of the stopped ones, and the failure reasons of the others */
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

/** Opens a channel at Google. @throws GoogleFailure */
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

/**
 * Whether Google certainly opened no channel, because it refused or the call was never sent. Without an answer, or after a server error, it
 * may have.
 */
const wasRefused = ({ status, isUnsent }: GoogleFailure): boolean =>
  isUnsent || (status !== null && status >= 400 && status < 500);

/** Channels that Google may still have although another one replaces them. */
const left = (channels: readonly ChannelRow[]) => channels.filter(({ status }) => status !== "active").map(({ id }) => id);

/**
 * Makes Google push a calendar's changes: opens a channel, and stops the one that ends soon and those whose answer was lost. If the renewal
 * fails, the old channel's row stays and the calendar is polled until an attempt succeeds (workspace §2.3).
 * @returns whether a channel was opened; the calendar must then be read once, because nothing was pushed before
 */
export async function watchCalendar(run: Watching, connectionId: string): Promise<boolean> {
  const { organisation, signal } = run;
  const [connection, channels, base] = await run.read(() =>
    Promise.all([calendarConnection(connectionId), channelsOf(connectionId), organisationAddress()]),
  );
  // Google pushes only to HTTPS addresses.
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
    if (reasons.length > 0)
      run.logger.warn(
        { event: "workspace.old_channel_not_stopped", connection: connectionId, reasons },
        "the channel that ends soon was not stopped",
      );
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
    run.logger.warn(
      { event: "workspace.channel_not_opened", connection: connectionId, reason },
      "no push channel: the calendar is polled",
    );
    return false;
  }
}

/** Stops replaced channels and deletes their rows. @param already a channel for which this was tried before */
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
 * Stops the channels of a connection before it ends, as far as Google answers. Runs in the `prepare` of a request that acts outside, or in
 * a job.
 * @param transactions the `run` of a job
 * @returns a loggable reason why one was not stopped; null if there is none
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
