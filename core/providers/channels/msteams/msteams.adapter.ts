import { runtime } from "../../../config/runtime.ts";
import { providerAddress } from "../address.ts";
import type { ChannelAdapter } from "../channel.ts";
import { isTaken, postJson } from "../posting.ts";
import { messageText } from "../wording.ts";

/** Hosts of a team's connectors, and of the workflows that replaced them. */
const HOST =
  /^(?:[\w-]+\.webhook\.office\.com|outlook\.office(?:365)?\.com|[\w.-]+\.logic\.azure\.com|[\w.-]+\.api\.powerplatform\.com)$/;
const PATH = /^\/(?:webhookb2|webhook|workflows|powerautomate)\/\S+$/;
/** A message can have 28 KB in all; the rest is for the card around the text. */
const MOST = 20_000;

/** Escapes Markdown, which adaptive cards render. */
const escaped = (text: string): string => text.replace(/[\\*_[\]()`#>~]/g, (letter) => `\\${letter}`);

/** Incoming webhooks of Microsoft Teams: a message with one adaptive card. */
const msteams: ChannelAdapter = {
  kind: "msteams",
  read: (typed) => providerAddress(typed, HOST, PATH),
  async send(address, message, { signal }) {
    const line = ({ text, link }: { text: string; link: string }) => `[${escaped(text)}](${link})`;
    const text = messageText({ ...message, title: escaped(message.title) }, MOST, line, Buffer.byteLength);
    const content = {
      $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
      type: "AdaptiveCard",
      version: "1.4",
      body: [{ type: "TextBlock", text, wrap: true }],
    };
    const attachment = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content };
    const json = { type: "message", attachments: [attachment] };
    const answer = await postJson(address, { json, base: runtime().config.msteamsApiUrl, signal });
    // A connector answers 200 even on failure, with Teams' own error in the text.
    if (!isTaken(answer) || /delivery failed with error/i.test(answer.text)) throw answer.failure();
  },
};
export default msteams;
