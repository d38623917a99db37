import { isOneRecipient } from "../../../mail/mail.ts";
import { isEmail } from "../../../schema/schema.ts";
import { bareAddress, isWeb, plainAddress, redactedAddress, redactedMailbox, webAddress } from "../address.ts";
import { type ChannelAdapter, ChannelAddressRefused, ChannelFailure } from "../channel.ts";

const isMailbox = (text: string): boolean => isEmail(text) && isOneRecipient(text);

/** A mailbox, reached through the organisation's mail. */
const email: ChannelAdapter = {
  kind: "email",
  read(typed) {
    const address = bareAddress(typed);
    if (!isMailbox(address)) throw new ChannelAddressRefused("input");
    return { stored: address, redacted: redactedMailbox(address), web: null };
  },
  send: (address, message, { mail }) => mail(address, message),
};

/** The mailbox in a `mailto` address (RFC 6068), without its headers; null if there is none. */
function mailboxIn(address: string): string | null {
  const [bare = ""] = address.replace(/^mailto:(\/\/)?/i, "").split("?");
  try {
    const mailbox = decodeURIComponent(bare);
    return isMailbox(mailbox) ? mailbox : null;
  } catch {
    return null;
  }
}

/** A `mailto` address, stored as typed; without a single mailbox it fails only on sending. */
const mailto: ChannelAdapter = {
  kind: "mailto",
  read(typed) {
    const address = plainAddress(typed);
    const mailbox = mailboxIn(address);
    const web = isWeb(address) ? webAddress(address).href : null;
    return { stored: address, redacted: mailbox ? redactedMailbox(mailbox) : redactedAddress("mailto", ""), web };
  },
  async send(address, message, { mail }) {
    const mailbox = mailboxIn(address);
    if (mailbox === null) throw new ChannelFailure("the address names no mailbox");
    return mail(mailbox, message);
  },
};

export default [email, mailto];
