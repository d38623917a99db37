import { runtime } from "../../../config/runtime.ts";
import { providerAddress } from "../address.ts";
import { type ChannelAdapter, ChannelAddressRefused } from "../channel.ts";
import { isTaken, postJson } from "../posting.ts";
import { messageText } from "../wording.ts";

const HOST = /^chat\.googleapis\.com$/;
const PATH = /^\/v1\/spaces\/[\w-]+\/messages$/;
/** Most bytes of a text message. */
const MOST = 4096;

/**
 * `<users/all>` mentions a room, and `<https://…|text>` hides where a link leads. Google Chat has no escape, so a zero-width space follows
 * each `<`.
 */
const harmless = (text: string): string => text.replaceAll("<", "<\u200b");

/** Incoming webhooks of Google Chat: `{text}`, with key and token in the query. */
const gchat: ChannelAdapter = {
  kind: "gchat",
  read(typed) {
    const address = providerAddress(typed, HOST, PATH);
    const { searchParams } = new URL(address.stored);
    if (!searchParams.get("key") || !searchParams.get("token")) throw new ChannelAddressRefused("input");
    return address;
  },
  async send(address, message, { signal }) {
    const line = ({ text, link }: { text: string; link: string }) => `${harmless(text)}\n${link}`;
    const json = { text: messageText({ ...message, title: harmless(message.title) }, MOST, line, Buffer.byteLength) };
    const contentType = "application/json; charset=UTF-8";
    const answer = await postJson(address, { json, contentType, base: runtime().config.gchatApiUrl, signal });
    if (isTaken(answer)) return;
    const { error } = (answer.json() ?? {}) as { error?: { message?: unknown } };
    throw answer.failure(typeof error?.message === "string" ? error.message : undefined);
  },
};
export default gchat;
