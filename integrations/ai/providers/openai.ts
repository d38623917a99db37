import type { OpenAI } from "openai";
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

type Params = OpenAI.ChatCompletionCreateParamsNonStreaming;

/** Imported when the first account is used, because it would slow every start. */
export async function openaiClient(access: AiAccess): Promise<OpenAI> {
  const { OpenAI } = await loaded("openai", () => import("openai"));
  const { apiKey } = access;
  return new OpenAI({ ...commonOptions(), apiKey, organization: null, project: null, baseURL: addressOf(access) });
}

function messagesOf(turn: ChatTurn): OpenAI.ChatCompletionMessageParam[] {
  if (turn.role === "user") return [{ role: "user", content: turn.text }];
  if (turn.role === "tools")
    return turn.results.map(({ id, content, isError }) => ({
      role: "tool",
      tool_call_id: id,
      content: isError ? `ERROR: ${content}` : content,
    }));
  const calls = turn.calls.map(({ id, name, input }) => ({
    id,
    type: "function" as const,
    function: { name, arguments: JSON.stringify(repeatedInput(input)) },
  }));
  return [{ role: "assistant", content: turn.text || null, ...(calls.length > 0 && { tool_calls: calls }) }];
}

function choiceOf(choice: ChatQuestion["toolChoice"]): OpenAI.ChatCompletionToolChoiceOption | undefined {
  if (choice === undefined || choice === "none") return choice;
  return choice === "any" ? "required" : { type: "function", function: { name: choice.name } };
}

function paramsOf(question: ChatQuestion, { provider }: AiAccess): Params {
  const { model, system, turns, tools, toolChoice, maxTokens } = question;
  const choice = choiceOf(toolChoice);
  return {
    model,
    messages: [{ role: "system", content: system }, ...turns.flatMap(messagesOf)],
    // Most OpenAI-compatible servers only support the older name.
    ...(provider === "openai" ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }),
    ...(tools && {
      tools: tools.map(({ name, description, schema }) => ({
        type: "function" as const,
        function: { name, description, parameters: schema },
      })),
      ...(choice && { tool_choice: choice }),
    }),
  };
}

/** The estimated cost if the response reports none. */
const guessed = (question: ChatQuestion, characters: number) => ({
  tokensIn: estimatedTokens(charactersOf(question)),
  tokensOut: estimatedTokens(characters),
});

async function whole(client: OpenAI, question: ChatQuestion, access: AiAccess): Promise<ChatAnswer> {
  const { choices, usage } = await client.chat.completions.create(paramsOf(question, access), { signal: question.signal });
  const message = choices?.[0]?.message;
  const calls = (message?.tool_calls ?? []).flatMap((call) =>
    call.type === "function" ? [{ id: call.id, name: call.function.name, input: inputOf(call.function.arguments) }] : [],
  );
  const text = message?.content ?? "";
  const { tokensIn, tokensOut } = guessed(question, text.length + JSON.stringify(calls).length);
  const spent = { tokensIn: usage?.prompt_tokens ?? tokensIn, tokensOut: usage?.completion_tokens ?? tokensOut };
  return requireComplete({ text, calls, ...spent }, choices?.[0]?.finish_reason);
}

/** Accumulates an answer from its chunks. */
class Gathered {
  text = "";
  isBegun = false;
  /** Why the model stopped; null until then. */
  finishReason: string | null = null;
  usage: OpenAI.CompletionUsage | null = null;
  characters = 0;
  readonly #calls = new Map<number, { id: string; name: string; json: string }>();

  /** Adds a chunk and returns its text. */
  take({ choices, usage }: OpenAI.ChatCompletionChunk): string {
    if (usage) this.usage = usage;
    const [choice] = choices ?? [];
    if (choice?.finish_reason) this.finishReason = choice.finish_reason;
    for (const { index, id, function: part } of choice?.delta.tool_calls ?? []) {
      const call = this.#calls.get(index) ?? { id: id ?? `call_${index}`, name: "", json: "" };
      call.name += part?.name ?? "";
      call.json += part?.arguments ?? "";
      this.characters += part?.arguments?.length ?? 0;
      this.#calls.set(index, call);
    }
    const text = choice?.delta.content ?? "";
    this.characters += text.length;
    this.text += text;
    return text;
  }

  get calls(): ToolCall[] {
    return [...this.#calls.values()].map(({ id, name, json }) => ({ id, name, input: inputOf(json) }));
  }

  /** The tokens used; none before the answer begins. */
  spent(question: ChatQuestion) {
    const { tokensIn, tokensOut } = guessed(question, this.characters);
    if (this.usage) return { tokensIn: this.usage.prompt_tokens, tokensOut: this.usage.completion_tokens };
    return this.isBegun ? { tokensIn, tokensOut } : { tokensIn: 0, tokensOut: 0 };
  }
}

async function streamed(client: OpenAI, question: ChatQuestion, access: AiAccess, gathered: Gathered): Promise<ChatAnswer> {
  const params = { ...paramsOf(question, access), stream: true as const, stream_options: { include_usage: true } };
  const chunks = await client.chat.completions.create(params, { signal: question.signal });
  gathered.isBegun = true;
  for await (const chunk of chunks) {
    const text = gathered.take(chunk);
    if (text !== "") await handOn(question.onText, text);
  }
  if (gathered.finishReason === null) throw new AiFailure("the answer broke off", gathered.spent(question));
  const answer = { text: gathered.text, calls: gathered.calls, ...gathered.spent(question) };
  return requireComplete(answer, gathered.finishReason);
}

/** OpenAI's Chat Completions API and compatible ones. */
export const openai = (access: AiAccess): ChatProvider => ({
  async models() {
    try {
      const page = await (await openaiClient(access)).models.list();
      return modelNames(page.data).sort();
    } catch (error) {
      throw failureFrom(error, access);
    }
  },
  async chat(question) {
    const gathered = new Gathered();
    try {
      const client = await openaiClient(access);
      return await (question.onText ? streamed(client, question, access, gathered) : whole(client, question, access));
    } catch (error) {
      throw failureFrom(error, access, gathered.spent(question));
    }
  },
});
