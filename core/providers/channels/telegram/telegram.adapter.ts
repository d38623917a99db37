import { runtime } from "../../../config/runtime.ts";
import { bareAddress, redactedAddress } from "../address.ts";
import { type ChannelAdapter, ChannelAddressRefused } from "../channel.ts";
import { postJson } from "../posting.ts";
import { messageText } from "../wording.ts";

/** `bot-token/chat`: the chat is a number, negative for groups, or a channel's name. */
const ADDRESS = /^(\d{3,20}:[\w-]+)\/(-?\d{1,20}|@\w{3,64})$/;
/** Most characters of a message. */
const MOST = 4096;

/** Telegram bots: the Bot API's `sendMessage`, which answers `{ok, description, parameters: {retry_after}}`. */
const telegram: ChannelAdapter = {
  kind: "telegram",
  read(typed) {
    const address = bareAddress(typed);
    if (!ADDRESS.test(address)) throw new ChannelAddressRefused("input");
    return { stored: address, redacted: redactedAddress("telegram", address.slice(0, address.indexOf(":"))), web: null };
  },
  async send(address, message, { signal }) {
    const [, token = "", chat_id = ""] = ADDRESS.exec(address) ?? [];
    const json = { chat_id, text: messageText(message, MOST), link_preview_options: { is_disabled: true } };
    const { telegramApiUrl: base } = runtime().config;
    const url = `https://api.telegram.org/bot${token}/sendMessage`;
    const answer = await postJson(url, { json, base, signal, secrets: [token] });
    const { ok, description, parameters } = (answer.json() ?? {}) as {
      ok?: unknown;
      description?: unknown;
      parameters?: { retry_after?: unknown };
    };
    if (ok === true) return;
    const wait = typeof parameters?.retry_after === "number" ? parameters.retry_after : undefined;
    throw answer.failure(typeof description === "string" ? description : undefined, wait);
  },
};
export default telegram;
