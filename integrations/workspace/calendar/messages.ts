import type { Logger } from "moleculer";
import { columns } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import type { Organisation } from "../../../core/declare/principal.ts";
import { schedule } from "../../../core/jobs/jobs.ts";
import { OrganisationModel, type OrganisationRow, organisationOf } from "../../../core/organisation/organisation.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { digest, sameDigest } from "../../../core/security/crypto.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { PULL_JOB, pullSoon } from "./pull-jobs.ts";
import { type ChannelRow, channelsOf, confirmChannel } from "./watching/channel-rows.ts";
import { readChannelToken } from "./watching/channel-token.ts";

/** The only statuses sent to Google. */
export type MessageStatus = 200 | 404;

const ACTION = "workspace.calendar";
const ORGANISATION = statement(`select ${columns(OrganisationModel)} from organisations where id = $1 and status = 'active'`);

/** The end of a channel according to a message; null if missing or malformed. */
function endOf(text: string | undefined): string | null {
  const ends = Date.parse(text ?? "");
  return Number.isNaN(ends) ? null : new Date(ends).toISOString();
}

/** The channel whose secret the message has; a channel id in the message must match too. */
function channelOf(channels: readonly ChannelRow[], secret: string, id: string | undefined): ChannelRow | undefined {
  const presented = digest(secret);
  return channels.find((channel) => sameDigest(presented, channel.secret_hash) && (id === undefined || id === channel.id));
}

/**
 * Handles a push message from Google about a changed calendar (workspace §2.3). The channel's token is the credential; an invalid one is
 * answered with 404. The first message of a channel, `sync`, only confirms a channel whose answer was lost. Any other message enqueues one
 * pull. The answer is 200 even if enqueueing fails, because the calendar is polled after half an hour anyway. The body is ignored.
 * @param headers by lower-case name
 */
export async function messageArrived(headers: Readonly<Record<string, string>>, logger: Logger): Promise<MessageStatus> {
  const token = readChannelToken(headers["x-goog-channel-token"] ?? "");
  if (!token) return 404;
  const { organisationId, connectionId, secret } = token;
  // Only the organisation's id is known here, and only the id binds the read.
  const within = <T>(organisation: Organisation, mode: "read" | "write", work: () => Promise<T>): Promise<T> =>
    inTenancy(() => systemRequest(ACTION, organisation, mode), work);
  const [row, channels] = await within({ id: organisationId } as Organisation, "read", () =>
    Promise.all([queryOne<OrganisationRow>(ORGANISATION, [organisationId]), channelsOf(connectionId)]),
  );
  const channel = channelOf(channels, secret, headers["x-goog-channel-id"]);
  if (!row || !channel) return 404;
  const [resourceId, endsAt] = [headers["x-goog-resource-id"], endOf(headers["x-goog-channel-expiration"])];
  const isConfirmed = channel.status === "opening" && resourceId !== undefined && endsAt !== null;
  const isChange = headers["x-goog-resource-state"] !== "sync";
  if (!isConfirmed && !isChange) return 200;
  try {
    await within(organisationOf(row), "write", async () => {
      if (isConfirmed) confirmChannel(connectionId, channel.id, resourceId, endsAt);
      if (isChange) schedule(PULL_JOB, { connection_id: connectionId }, pullSoon(connectionId));
    });
  } catch (error) {
    logger.warn(
      { event: "workspace.change_not_queued", connection: connectionId, reason: (error as Error).message },
      "a change of a calendar was not queued",
    );
  }
  return 200;
}
