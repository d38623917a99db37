import { Misunderstood, type Received, type Reply } from "../simulator.ts";
import { AiSimulator, type Scripted, USUAL } from "./ai-simulator.ts";

const FIELDS = new Set(["model", "system", "max_tokens", "messages", "tools", "tool_choice", "stream"]);

const event = (type: string, rest: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
const refusal = (status: number, type: string, message: string, headers = {}): Reply => ({
  status,
  headers,
  body: { type: "error", error: { type, message }, request_id: "req_simulated" },
});

interface Block {
  type: string;
  text?: string;
  id?: string;
  tool_use_id?: string;
}

/** Anthropic's API for messages and models. */
export class AnthropicSimulator extends AiSimulator {
  /** Value of `SERVICE_AI_ANTHROPIC_API_URL`. */
  get baseUrl(): string {
    return this.origin;
  }

  protected answer({ method, path, headers, body, query }: Received): Reply {
    if (headers.cookie !== undefined || headers["x-api-key"] !== undefined)
      throw new Misunderstood("another credential came along");
    if (typeof headers["anthropic-version"] !== "string") throw new Misunderstood("no version is named");
    if (headers.authorization !== `Bearer ${this.key}`) return refusal(401, "authentication_error", "invalid API key");
    if (method === "GET" && path === "/v1/models") {
      const most = Number(query.get("limit") ?? 20);
      const data = this.models
        .slice(0, most)
        .map((id) => ({ type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" }));
      return { status: 200, body: { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null } };
    }
    if (method !== "POST" || path !== "/v1/messages") throw new Misunderstood("no such operation");
    const asked = this.#read(body);
    const scripted = this.next();
    const { refuses } = scripted;
    if (refuses) return refusal(refuses.status, "api_error", refuses.message, refuses.headers);
    return asked["stream"] ? this.#stream(scripted) : this.#whole(scripted);
  }

  #read(body: string): Record<string, unknown> {
    const asked = JSON.parse(body) as Record<string, unknown>;
    const unknown = Object.keys(asked).find((field) => !FIELDS.has(field));
    if (unknown) throw new Misunderstood(`unknown field '${unknown}'`);
    const { model, system, max_tokens: maxTokens, messages, tools = [] } = asked;
    if (typeof model !== "string" || typeof maxTokens !== "number" || !Array.isArray(messages) || messages.length === 0)
      throw new Misunderstood("'model', 'max_tokens' or 'messages' is missing");
    let open: string[] = [];
    for (const { role, content } of messages as { role: string; content: string | Block[] }[]) {
      if (role !== "user" && role !== "assistant") throw new Misunderstood(`a turn of '${role}'`);
      if (content === "") throw new Misunderstood("an empty turn");
      const blocks = typeof content === "string" ? [] : content;
      if (blocks.some(({ type, text }) => type === "text" && !text?.trim())) throw new Misunderstood("a text of blanks alone");
      const results = blocks.flatMap(({ tool_use_id: id }) => (id === undefined ? [] : [id]));
      if (open.sort().join() !== results.sort().join())
        throw new Misunderstood("tool results that do not match what was asked for");
      open = blocks.flatMap(({ type, id }) => (type === "tool_use" ? [id as string] : []));
    }
    if (open.length > 0) throw new Misunderstood("a tool was left without a result");
    this.heard.push({
      model,
      system: String(system ?? ""),
      turns: JSON.stringify(messages),
      tools: (tools as { name: string }[]).map(({ name }) => name),
      toolChoice: asked["tool_choice"],
      maxTokens,
      streams: asked["stream"] === true,
      raw: asked,
    });
    return asked;
  }

  #usage({ tokensIn = USUAL.tokensIn, tokensOut = USUAL.tokensOut }: Scripted) {
    return { input_tokens: tokensIn, output_tokens: tokensOut, cache_creation_input_tokens: null, cache_read_input_tokens: null };
  }

  #message(scripted: Scripted) {
    const calls = scripted.calls ?? [];
    const uses = calls.map(({ name, input }, index) => ({
      type: "tool_use",
      id: `toolu_${this.heard.length}_${index}`,
      name,
      input,
    }));
    const stop_reason = scripted.cut ? "max_tokens" : uses.length > 0 ? "tool_use" : "end_turn";
    return {
      id: "msg_simulated",
      type: "message",
      role: "assistant",
      model: "simulated",
      stop_reason,
      stop_sequence: null,
      uses,
    };
  }

  #whole(scripted: Scripted): Reply {
    const { uses, ...message } = this.#message(scripted);
    const content = [...this.pieces(scripted).map((text) => ({ type: "text", text })), ...uses];
    const body = JSON.stringify({ ...message, content, usage: this.#usage(scripted) });
    const parts = this.parts(scripted, "", [body], "");
    return { status: 200, parts };
  }

  #stream(scripted: Scripted): Reply {
    const { uses, stop_reason, ...message } = this.#message(scripted);
    const usage = this.#usage(scripted);
    const start = event("message_start", {
      message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    });
    const texts = this.pieces(scripted).map((text, index) => {
      const opened = index === 0 ? event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }) : "";
      return opened + event("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
    });
    const tools = uses.map(({ input, ...use }, at) => {
      const index = at + 1;
      const json = scripted.rawInput ?? JSON.stringify(input);
      const deltas = [json.slice(0, 5), json.slice(5)].map((partial_json) =>
        event("content_block_delta", { index, delta: { type: "input_json_delta", partial_json } }),
      );
      const opened = event("content_block_start", { index, content_block: { ...use, input: {} } });
      return opened + deltas.join("") + event("content_block_stop", { index });
    });
    const end =
      event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: usage.output_tokens } }) +
      event("message_stop", {});
    return {
      status: 200,
      headers: { "Content-Type": "text/event-stream" },
      parts: this.parts(scripted, start, [...texts, ...tools], end),
    };
  }
}
