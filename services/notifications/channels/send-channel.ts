import { unsealed } from "../../../core/database/sealed.ts";
import { type CallActor, handOver } from "../../../core/mail/mail-now.ts";
import { channelAdapter } from "../../../core/providers/channels/adapters.ts";
import { ChannelFailure, type ChannelMessage, type Outlet } from "../../../core/providers/channels/channel.ts";
import { Channel, type ChannelRow } from "../models.ts";

/** The outcome of a send. */
export type SendOutcome =
  | { ok: true }
  /** The provider's own words, as one redacted line; `retryAfter` in seconds if it named a pause. */
  | { ok: false; error: string; retryAfter: number | null };

/** A channel with the fields that sending needs. */
export type SendableChannel = Pick<ChannelRow, "id" | "organisation_id" | "kind" | "url">;

interface Sending {
  call: CallActor;
  /** The base address of the organisation, which starts the message's links. */
  base: string;
  signal?: AbortSignal;
}

/** Mails a channel: the same mail as for people, to a mailbox without a known owner. */
const mailTo = ({ call, base }: Sending): Outlet["mail"] => {
  return async (address, { id, locale, title, items, link }: ChannelMessage) => {
    const handed = await handOver(call, {
      id,
      kind: "notification",
      to: { address, name: null, locale },
      variables: { title, lines: items.map(({ text }) => text) },
      link: link.slice(base.length),
    });
    if (!handed.accepted) throw new ChannelFailure(handed.error);
  };
};

/** Sends a message to a channel, outside any transaction. Returns failures instead of throwing them. */
export async function sendToChannel(channel: SendableChannel, message: ChannelMessage, sending: Sending): Promise<SendOutcome> {
  const address = unsealed(Channel, channel, "url");
  if (address === null) return { ok: false, error: "errors.notification_channel_input", retryAfter: null };
  const { signal } = sending;
  try {
    await channelAdapter(channel.kind).send(address, message, { mail: mailTo(sending), ...(signal && { signal }) });
    return { ok: true };
  } catch (error) {
    if (!(error instanceof ChannelFailure)) throw error;
    return { ok: false, error: error.message, retryAfter: error.retryAfter };
  }
}
