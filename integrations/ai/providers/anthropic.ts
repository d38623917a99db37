import type { Anthropic } from "@anthropic-ai/sdk";
import { addressOf, commonOptions, loaded } from "./outside.ts";
import {
  type AiAccess,
  AiFailure,
  type ChatAnswer,
  type ChatProvider,
  type ChatQuestion,
  type ChatTurn,
  charactersOf,
  estimatedTokens,
  failureFrom,
  handOn,
  inputOf,
  modelNames,
  repeatedInput,
  requireComplete,
  type ToolCall,
} from "./provider.ts";

type Params = Anthropic.MessageCreateParamsNonStreaming;

/** Imported when the first account is used, because it would slow every start. */
async function clientOf(access: AiAccess): Promise<Anthropic> {
  const { Anthropic } = await loaded("@anthropic-ai/sdk", () => import("@anthropic-ai/sdk"));
  return new Anthropic({ ...commonOptions(), apiKey: access.apiKey, authToken: null, baseURL: addressOf(access) });
}

function messageOf(turn: ChatTurn): Anthropic.MessageParam {
  if (turn.role === "user") return { role: "user", content: turn.text };
  if (turn.role === "tools")
    return {
      role: "user",
      content: turn.results.map(({ id, content, isError }) => ({
        type: "tool_result",
        tool_use_id: id,
        content,
        is_error: isError,
      })),
    };
  if (turn.calls.length === 0) return { role: "assistant", content: turn.text };
  const calls = turn.calls.map(({ id, name, input }) => ({ type: "tool_use" as const, id, name, input: repeatedInput(input) }));
  // The API refuses a blank text block.
  const texts = turn.text.trim() === "" ? [] : [{ type: "text" as const, text: turn.text }];
  return { role: "assistant", content: [...texts, ...calls] };
}

function choiceOf(choice: ChatQuestion["toolChoice"]): Anthropic.ToolChoice | undefined {
  if (choice === undefined) return undefined;
  if (choice === "any" || choice === "none") return { type: choice };
  return { type: "tool", name: choice.name };
}

function paramsOf({ model, system, turns, tools, toolChoice, maxTokens }: ChatQuestion): Params {
  const choice = choiceOf(toolChoice);
  return {
    model,
    system,
    max_tokens: maxTokens,
    messages: turns.map(messageOf),
    ...(tools && {
      tools: tools.map(({ name, description, schema }) => ({
        name,
        description,
        input_schema: { ...schema, type: "object" as const },
      })),
      ...(choice && { tool_choice: choice }),
    }),
  };
}

const inputTokens = ({
  input_tokens,
  cache_creation_input_tokens,
  cache_read_input_tokens,
}: Pick<Anthropic.Usage, "input_tokens" | "cache_creation_input_tokens" | "cache_read_input_tokens">): number =>
  input_tokens + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0);

async function whole(client: Anthropic, question: ChatQuestion): Promise<ChatAnswer> {
  const { content, usage, stop_reason } = await client.messages.create(paramsOf(question), { signal: question.signal ?? null });
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const calls = content.flatMap((block) =>
    block.type === "tool_use" ? [{ id: block.id, name: block.name, input: block.input }] : [],
  );
  const answer = { text: texts.join(""), calls, tokensIn: inputTokens(usage), tokensOut: usage.output_tokens };
  return requireComplete(answer, stop_reason);
}

/** Accumulates an answer from its events. */
class Gathered {
  text = "";
  tokensIn = 0;
  tokensOut = 0;
  isWhole = false;
  stopReason: Anthropic.StopReason | null = null;
  #characters = 0;
  readonly #calls = new Map<number, { id: string; name: string; json: string }>();

  /** Adds an event and returns its text. */
  take(event: Anthropic.MessageStreamEvent): string {
    if (event.type === "message_start") this.tokensIn = inputTokens(event.message.usage);
    else if (event.type === "message_delta") {
      this.tokensOut = event.usage.output_tokens;
      this.stopReason = event.delta.stop_reason;
    } else if (event.type === "message_stop") this.isWhole = true;
    else if (event.type === "content_block_start" && event.content_block.type === "tool_use")
      this.#calls.set(event.index, { id: event.content_block.id, name: event.content_block.name, json: "" });
    else if (event.type === "content_block_delta" && event.delta.type === "input_json_delta") {
      this.#characters += event.delta.partial_json.length;
      const call = this.#calls.get(event.index);
      if (call) call.json += event.delta.partial_json;
    } else if (event.type === "content_block_delta" && event.delta.type === "text_delta") {
      this.#characters += event.delta.text.length;
      this.text += event.delta.text;
      return event.delta.text;
    }
    return "";
  }

  get calls(): ToolCall[] {
    return [...this.#calls.values()].map(({ id, name, json }) => ({ id, name, input: inputOf(json) }));
  }

  /** The tokens used; the provider reports output tokens at the end. */
  get spent() {
    return { tokensIn: this.tokensIn, tokensOut: Math.max(this.tokensOut, estimatedTokens(this.#characters)) };
  }
}

async function streamed(client: Anthropic, question: ChatQuestion, gathered: Gathered): Promise<ChatAnswer> {
  const events = await client.messages.create({ ...paramsOf(question), stream: true }, { signal: question.signal ?? null });
  // The question costs from the first response on; its first event reports how much.
  gathered.tokensIn = estimatedTokens(charactersOf(question));
  for await (const event of events) {
    const text = gathered.take(event);
    if (text !== "") await handOn(question.onText, text);
  }
  if (!gathered.isWhole) throw new AiFailure("the answer broke off", gathered.spent);
  const { text, calls, tokensIn, tokensOut } = gathered;
  return requireComplete({ text, calls, tokensIn, tokensOut }, gathered.stopReason);
}

/** Anthropic's Messages API. */
export const anthropic = (access: AiAccess): ChatProvider => ({
  async models() {
    try {
      const page = await (await clientOf(access)).models.list({ limit: 200 });
      return modelNames(page.data);
    } catch (error) {
      throw failureFrom(error, access);
    }
  },
  async chat(question) {
    const gathered = new Gathered();
    try {
      const client = await clientOf(access);
      return await (question.onText ? streamed(client, question, gathered) : whole(client, question));
    } catch (error) {
      throw failureFrom(error, access, gathered.spent);
    }
  },
});
