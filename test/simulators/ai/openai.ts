import { Misunderstood, type Received, type Reply } from "../simulator.ts";
import { AiSimulator, type Scripted, USUAL } from "./ai-simulator.ts";

const FIELDS = new Set([
  "model",
  "messages",
  "max_tokens",
  "max_completion_tokens",
  "tools",
  "tool_choice",
  "stream",
  "stream_options",
]);

const chunk = (choices: object[], rest: object = {}): string =>
  `data: ${JSON.stringify({ id: "chatcmpl-simulated", object: "chat.completion.chunk", created: 1, model: "simulated", choices, ...rest })}\n\n`;
const refusal = (status: number, message: string, headers = {}): Reply => ({
  status,
  headers,
  body: { error: { message, type: "invalid_request_error", param: null, code: null } },
});

interface Message {
  role: string;
  tool_call_id?: string;
  tool_calls?: { id: string }[];
  content?: string | null;
}

/** A clip sent for transcription. */
export interface Clip {
  model: string;
  language: string | null;
  bytes: number;
}

/** OpenAI's API for chat completions, models and transcriptions; also stands for compatible providers. */
export class OpenAiSimulator extends AiSimulator {
  readonly clips: Clip[] = [];
  /** Text and length of the next clips. */
  speech = { text: "an hour of work", duration: 4.2 };

  /** Value of `SERVICE_AI_OPENAI_API_URL`. */
  get baseUrl(): string {
    return `${this.origin}/v1`;
  }

  override reset(): void {
    super.reset();
    this.clips.length = 0;
  }

  protected answer({ method, path, headers, body }: Received): Reply {
    if (headers.cookie !== undefined || headers["x-api-key"] !== undefined)
      throw new Misunderstood("another credential came along");
    if (headers.authorization !== `Bearer ${this.key}`) return refusal(401, "Incorrect API key provided.");
    if (method === "GET" && path === "/v1/models")
      return {
        status: 200,
        body: { object: "list", data: this.models.map((id) => ({ id, object: "model", created: 1, owned_by: "x" })) },
      };
    if (method === "POST" && path === "/v1/audio/transcriptions") return this.#transcription(headers["content-type"] ?? "", body);
    if (method !== "POST" || path !== "/v1/chat/completions") throw new Misunderstood("no such operation");
    const asked = this.#read(body);
    const scripted = this.next();
    if (scripted.refuses) return refusal(scripted.refuses.status, scripted.refuses.message, scripted.refuses.headers);
    return asked["stream"] ? this.#stream(scripted) : this.#whole(scripted);
  }

  #transcription(type: string, body: string): Reply {
    if (!type.startsWith("multipart/form-data")) throw new Misunderstood(`the body is ${type}`);
    const field = (name: string) => new RegExp(`name="${name}"\\r\\n\\r\\n([^\\r]*)`).exec(body)?.[1] ?? null;
    this.clips.push({ model: field("model") ?? "", language: field("language"), bytes: body.length });
    const { refuses } = this.script.shift() ?? {};
    if (refuses) return refusal(refuses.status, refuses.message);
    const { text, duration } = this.speech;
    return { status: 200, body: { text, usage: { type: "duration", seconds: Math.ceil(duration) }, duration } };
  }

  #read(body: string): Record<string, unknown> {
    const asked = JSON.parse(body) as Record<string, unknown>;
    const unknown = Object.keys(asked).find((field) => !FIELDS.has(field));
    if (unknown) throw new Misunderstood(`unknown field '${unknown}'`);
    const { model, messages, tools = [] } = asked;
    if (typeof model !== "string" || !Array.isArray(messages)) throw new Misunderstood("'model' or 'messages' is missing");
    const [system, ...turns] = messages as Message[];
    if (system?.role !== "system") throw new Misunderstood("no system message");
    const open = new Set<string>();
    for (const { role, tool_call_id: answered, tool_calls: calls = [] } of turns) {
      if (role === "tool" && !open.delete(answered as string))
        throw new Misunderstood("a result of a tool that was not asked for");
      if (role !== "tool" && open.size > 0) throw new Misunderstood("a tool was left without a result");
      for (const { id } of calls) open.add(id);
    }
    if (open.size > 0) throw new Misunderstood("a tool was left without a result");
    this.heard.push({
      model,
      system: system.content ?? "",
      turns: JSON.stringify(turns),
      tools: (tools as { function: { name: string } }[]).map((tool) => tool.function.name),
      toolChoice: asked["tool_choice"],
      maxTokens: Number(asked["max_tokens"] ?? asked["max_completion_tokens"]),
      streams: asked["stream"] === true,
      raw: asked,
    });
    return asked;
  }

  #usage({ tokensIn = USUAL.tokensIn, tokensOut = USUAL.tokensOut, silentOnCost }: Scripted) {
    return silentOnCost
      ? {}
      : { usage: { prompt_tokens: tokensIn, completion_tokens: tokensOut, total_tokens: tokensIn + tokensOut } };
  }

  #calls({ calls = [], rawInput }: Scripted) {
    return calls.map(({ name, input }, index) => ({
      index,
      id: `call_${this.heard.length}_${index}`,
      type: "function",
      function: { name, arguments: rawInput ?? JSON.stringify(input) },
    }));
  }

  #whole(scripted: Scripted): Reply {
    const calls = this.#calls(scripted);
    const message = {
      role: "assistant",
      content: this.pieces(scripted).join("") || null,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const finish_reason = scripted.cut ? "length" : calls.length > 0 ? "tool_calls" : "stop";
    const choices = [{ index: 0, message, finish_reason, logprobs: null }];
    const body = {
      id: "chatcmpl-simulated",
      object: "chat.completion",
      created: 1,
      model: "simulated",
      choices,
      ...this.#usage(scripted),
    };
    return { status: 200, parts: this.parts(scripted, "", [JSON.stringify(body)], "") };
  }

  #stream(scripted: Scripted): Reply {
    const calls = this.#calls(scripted);
    const start = chunk([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]);
    const texts = this.pieces(scripted).map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }]));
    const tools = calls.map(({ function: { name, arguments: json }, ...call }) => {
      const first = { ...call, function: { name, arguments: json.slice(0, 5) } };
      const second = { index: call.index, function: { arguments: json.slice(5) } };
      return [first, second].map((part) => chunk([{ index: 0, delta: { tool_calls: [part] }, finish_reason: null }])).join("");
    });
    const finish_reason = scripted.cut ? "length" : calls.length > 0 ? "tool_calls" : "stop";
    const end = chunk([{ index: 0, delta: {}, finish_reason }]) + chunk([], this.#usage(scripted));
    const parts = this.parts(scripted, start, [...texts, ...tools], `${end}data: [DONE]\n\n`);
    return { status: 200, headers: { "Content-Type": "text/event-stream" }, parts };
  }
}
