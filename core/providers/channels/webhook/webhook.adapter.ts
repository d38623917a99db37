import { isWeb, plainAddress, redactedAddress, schemeOf, webAddress } from "../address.ts";
import { type ChannelAdapter, ChannelFailure, type ChannelMessage, type Outlet } from "../channel.ts";
import { isTaken, postJson } from "../posting.ts";
import { messageText } from "../wording.ts";

/** Longest text, in characters, besides the items. */
const MOST = 20_000;

/** Posts a message as JSON: its text for people, and its items for programs. */
async function post(address: string, message: ChannelMessage, { signal }: Outlet): Promise<void> {
  const { id, title, items, link } = message;
  const answer = await postJson(address, { json: { id, title, text: messageText(message, MOST), link, items }, signal });
  if (!isTaken(answer)) throw answer.failure();
}

/** Any web address that accepts JSON. */
const webhook: ChannelAdapter = {
  kind: "webhook",
  read(typed) {
    const { href, protocol, hostname } = webAddress(typed);
    return { stored: href, redacted: redactedAddress(protocol.slice(0, -1), hostname), web: href };
  },
  send: post,
};

/** A free-form address, stored as typed. Web addresses are guarded and called like a webhook; no other scheme can be sent to. */
const custom: ChannelAdapter = {
  kind: "custom",
  read(typed) {
    const address = plainAddress(typed);
    if (isWeb(address)) return { ...webhook.read(address), stored: address };
    return { stored: address, redacted: redactedAddress(schemeOf(address) ?? "custom", ""), web: null };
  },
  async send(address, message, outlet) {
    if (!isWeb(address)) throw new ChannelFailure(`nothing here sends to '${schemeOf(address) ?? "custom"}' addresses`);
    return post(address, message, outlet);
  },
};

export default [webhook, custom];
