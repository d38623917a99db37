import { unsealed } from "../../../core/database/sealed.ts";
import { type CallActor, handOver } from "../../../core/mail/mail-now.ts";
import { channelAdapter } from "../../../integrations/channels/adapters.ts";
import { ChannelFailure, type ChannelMessage, type Outlet } from "../../../integrations/channels/channel.ts";
import { Channel, type ChannelRow } from "../models.ts";

/** What became of something that was to be sent. */
export type Sent =
  | { ok: true }
  /** The provider's own words, one redacted line; `retryAfter` in seconds where it named a pause. */
  | { ok: false; error: string; retryAfter: number | null };

/** A channel as far as sending needs it. */
export type SendableChannel = Pick<ChannelRow, "id" | "organisation_id" | "kind" | "url">;

interface Sending {
  call: CallActor;
  /** The organisation's own address, which the links of the message begin with. */
  base: string;
  signal?: AbortSignal;
}

/** Mail to a channel: the kind of mail a person gets, to a mailbox whose owner is not known. */
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

/** Hands a message to a channel, outside of any transaction. What went wrong is the answer. */
export async function sendToChannel(channel: SendableChannel, message: ChannelMessage, sending: Sending): Promise<Sent> {
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
