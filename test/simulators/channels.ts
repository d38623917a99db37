import { Misunderstood, type Received, type Reply, Simulator } from "./simulator.ts";

/** A message a channel accepted, as its provider parsed it. */
export interface TakenMessage {
  kind: "slack" | "discord" | "gchat" | "msteams" | "telegram" | "webhook";
  path: string;
  text: string;
  body: Record<string, unknown>;
}

const ok = (body: unknown, status = 200, type = "application/json"): Reply => ({
  status,
  headers: { "Content-Type": type },
  body,
});

/** Checks that an object has only these fields. @throws Misunderstood */
function only(given: Record<string, unknown>, ...fields: string[]): void {
  const unknown = Object.keys(given).find((field) => !fields.includes(field));
  if (unknown) throw new Misunderstood(`unknown field '${unknown}'`);
}

function textOf(value: unknown, most: number, size: (text: string) => number = (text) => text.length): string {
  if (typeof value !== "string" || value.trim() === "") throw new Misunderstood("there is no text");
  if (size(value) > most) throw new Misunderstood(`the text is longer than ${most}`);
  return value;
}

/** All chat providers' hosts in one: each accepts only its own paths, as documented. */
export class ChannelsSimulator extends Simulator {
  readonly taken: TakenMessage[] = [];
  readonly slackPath = "/services/T0SIM/B0SIM/simulatedSlackSecret01";
  readonly discordPath = "/api/webhooks/4711/simulated-discord_secret";
  readonly gchatPath = "/v1/spaces/AAASIM/messages";
  readonly gchatQuery = "?key=simulatedGchatKey&token=simulatedGchatToken";
  readonly msteamsPath = "/webhookb2/simulated-teams/IncomingWebhook/secret0123456789/one";
  readonly botToken = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
  readonly chat = "-100200300";

  override reset(): void {
    super.reset();
    this.taken.length = 0;
  }

  protected answer(request: Received): Reply {
    const { method, path, headers, body } = request;
    if (method !== "POST") throw new Misunderstood(`${method} is no way to send`);
    if (!/^application\/json(; ?charset=utf-8)?$/i.test(headers["content-type"] ?? ""))
      throw new Misunderstood(`the body is ${headers["content-type"]}`);
    if (headers.cookie ?? headers.authorization) throw new Misunderstood("a credential has no business here");
    const given = JSON.parse(body) as Record<string, unknown>;
    if (path.startsWith("/services/")) return this.#slack(request, given);
    if (path.startsWith("/api/webhooks/")) return this.#discord(request, given);
    if (path.startsWith("/v1/spaces/")) return this.#gchat(request, given);
    if (path.startsWith("/webhookb2/")) return this.#msteams(request, given);
    if (path.startsWith("/bot")) return this.#telegram(request, given);
    this.taken.push({ kind: "webhook", path, text: textOf(given["text"], 100_000), body: given });
    return ok({ received: true });
  }

  #take(kind: TakenMessage["kind"], path: string, text: string, body: Record<string, unknown>): void {
    this.taken.push({ kind, path, text, body });
  }

  #slack({ path }: Received, body: Record<string, unknown>): Reply {
    if (path !== this.slackPath) return ok("no_service", 404, "text/plain");
    only(body, "text", "blocks", "attachments", "unfurl_links", "unfurl_media", "mrkdwn");
    this.#take("slack", path, textOf(body["text"], 40_000), body);
    return ok("ok", 200, "text/plain");
  }

  #discord({ path }: Received, body: Record<string, unknown>): Reply {
    if (path !== this.discordPath) return ok({ message: "Unknown Webhook", code: 10015 }, 404);
    only(body, "content", "username", "avatar_url", "tts", "embeds", "allowed_mentions");
    this.#take("discord", path, textOf(body["content"], 2000), body);
    return { status: 204 };
  }

  #gchat({ path, query }: Received, body: Record<string, unknown>): Reply {
    if (`?${query}` !== this.gchatQuery || path !== this.gchatPath)
      return ok({ error: { code: 403, message: "The caller does not have permission", status: "PERMISSION_DENIED" } }, 403);
    only(body, "text", "cardsV2", "thread");
    this.#take("gchat", path, textOf(body["text"], 4096, Buffer.byteLength), body);
    return ok({ name: "spaces/AAASIM/messages/1" });
  }

  #msteams({ path, body: bytes }: Received, body: Record<string, unknown>): Reply {
    if (path !== this.msteamsPath) return ok("Invalid webhook URL", 404, "text/plain");
    if (Buffer.byteLength(bytes) > 28 * 1024) return ok("Message size is too large", 413, "text/plain");
    only(body, "type", "attachments");
    const [attachment] = body["attachments"] as { contentType: string; content: { type: string; body: { text: unknown }[] } }[];
    if (body["type"] !== "message" || attachment?.contentType !== "application/vnd.microsoft.card.adaptive")
      throw new Misunderstood("this is no message with an adaptive card");
    if (attachment.content.type !== "AdaptiveCard") throw new Misunderstood("this is no adaptive card");
    this.#take("msteams", path, textOf(attachment.content.body[0]?.text, 28_000), body);
    return ok("1", 200, "text/plain");
  }

  #telegram({ path }: Received, body: Record<string, unknown>): Reply {
    const refuse = (error_code: number, description: string) => ok({ ok: false, error_code, description }, error_code);
    if (path !== `/bot${this.botToken}/sendMessage`) return refuse(401, "Unauthorized");
    only(body, "chat_id", "text", "parse_mode", "link_preview_options", "disable_notification");
    if (body["chat_id"] !== this.chat) return refuse(400, "Bad Request: chat not found");
    this.#take("telegram", path, textOf(body["text"], 4096), body);
    return ok({ ok: true, result: { message_id: 1 } });
  }
}
