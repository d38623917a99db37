import { runtime } from "../../../config/runtime.ts";
import { providerAddress } from "../address.ts";
import type { ChannelAdapter } from "../channel.ts";
import { isTaken, postJson } from "../posting.ts";
import { messageText } from "../wording.ts";

const HOST = /^(?:(?:ptb|canary)\.)?(?:discord|discordapp)\.com$/;
const PATH = /^\/api(?:\/v\d+)?\/webhooks\/\d+\/[\w-]+$/;
/** Most characters of `content`. */
const MOST = 2000;

/** Escapes characters with a meaning in Discord's Markdown, including mentions. */
const escaped = (text: string): string => text.replace(/[\\*_~`|>#[\]@<]/g, (letter) => `\\${letter}`);

/** Discord's Execute Webhook: `{content}`, answered with 204; a rate limit names `retry_after` in seconds, with decimals. */
const discord: ChannelAdapter = {
  kind: "discord",
  read: (typed) => providerAddress(typed, HOST, PATH),
  async send(address, message, { signal }) {
    const line = ({ text, link }: { text: string; link: string }) => `${escaped(text)}\n<${link}>`;
    const plain = { ...message, title: escaped(message.title) };
    const json = { content: messageText(plain, MOST, line), allowed_mentions: { parse: [] } };
    const answer = await postJson(address, { json, base: runtime().config.discordApiUrl, signal });
    if (isTaken(answer)) return;
    const { message: said, retry_after } = (answer.json() ?? {}) as { message?: unknown; retry_after?: unknown };
    const wait = typeof retry_after === "number" ? Math.ceil(retry_after) : undefined;
    throw answer.failure(typeof said === "string" ? said : undefined, wait);
  },
};
export default discord;
