import { runtime } from "../../../config/runtime.ts";
import { providerAddress } from "../address.ts";
import type { ChannelAdapter } from "../channel.ts";
import { isTaken, postJson } from "../posting.ts";
import { messageText } from "../wording.ts";

const HOST = /^hooks\.slack\.com$/;
const PATH = /^\/services\/[A-Za-z0-9]+\/[A-Za-z0-9]+\/[A-Za-z0-9]+$/;
/** Slack truncates a text after this many characters. */
const MOST = 40_000;

/** Slack's three control characters (api.slack.com, "Formatting text for app surfaces"). */
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Incoming webhooks of Slack: `{text}`, answered with `ok` as plain text. */
const slack: ChannelAdapter = {
  kind: "slack",
  read: (typed) => providerAddress(typed, HOST, PATH),
  async send(address, message, { signal }) {
    const line = ({ text, link }: { text: string; link: string }) => `<${link}|${escaped(text)}>`;
    const plain = { ...message, title: escaped(message.title) };
    const json = { text: messageText(plain, MOST, line), unfurl_links: false, unfurl_media: false };
    const answer = await postJson(address, { json, base: runtime().config.slackApiUrl, signal });
    if (!isTaken(answer)) throw answer.failure();
  },
};
export default slack;
