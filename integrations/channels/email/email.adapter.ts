import { isEmail } from "../../../core/declare/schema.ts";
import { isOneRecipient } from "../../../core/mail/mail.ts";
import { bareAddress, isWeb, plainAddress, redactedAddress, redactedMailbox, webAddress } from "../address.ts";
import { type ChannelAdapter, ChannelAddressRefused, ChannelFailure } from "../channel.ts";

const isMailbox = (text: string): boolean => isEmail(text) && isOneRecipient(text);

/** A mailbox, through the mail of the organisation. */
const email: ChannelAdapter = {
  kind: "email",
  read(typed) {
    const address = bareAddress(typed);
    if (!isMailbox(address)) throw new ChannelAddressRefused("input");
    return { stored: address, redacted: redactedMailbox(address), web: null };
  },
  send: (address, message, { mail }) => mail(address, message),
};

/** The mailbox in a `mailto` address (RFC 6068); headers behind it are left out. Null where there is none. */
function mailboxIn(address: string): string | null {
  const [bare = ""] = address.replace(/^mailto:(\/\/)?/i, "").split("?");
  try {
    const mailbox = decodeURIComponent(bare);
    return isMailbox(mailbox) ? mailbox : null;
  } catch {
    return null;
  }
}

/** A `mailto` address, taken as typed: one that names no single mailbox says so when something is to be sent. */
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
