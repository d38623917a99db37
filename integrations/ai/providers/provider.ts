import { redact } from "../../../core/outbound/redact.ts";
import type { ProviderKey } from "../models.ts";

/** Where a provider is reached and with what key. */
export interface AiAccess {
  provider: ProviderKey;
  apiKey: string;
  /** Null is the provider's own address. */
  baseUrl: string | null;
}

/** A tool as a model is told of it. */
export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of its input, an object. */
  schema: Record<string, unknown>;
}

/** A tool a model asks for. Its input is what the model wrote: anything at all. */
export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
}

export interface ToolResult {
  id: string;
  content: string;
  isError: boolean;
}

/** One turn of a conversation. */
export type ChatTurn =
  | { role: "user"; text: string }
  | { role: "assistant"; text: string; calls: readonly ToolCall[] }
  | { role: "tools"; results: readonly ToolResult[] };

export interface ChatQuestion {
  model: string;
  system: string;
  turns: readonly ChatTurn[];
  tools?: readonly ToolSpec[];
  /** Which tool the model has to use: any, none, or the one of that name. Without it the choice is the model's. */
  toolChoice?: "any" | "none" | { name: string };
  /** Most tokens of the answer. */
  maxTokens: number;
  signal?: AbortSignal;
  /** Takes text as it comes; the provider is read on once it is done. Without it the answer comes in one piece. */
  onText?: (text: string) => Promise<void>;
}

export interface TokensSpent {
  tokensIn: number;
  tokensOut: number;
}

export interface ChatAnswer extends TokensSpent {
  text: string;
  calls: readonly ToolCall[];
}

/** A provider of models that converse, with one account. */
export interface ChatProvider {
  /** Names of its models, as it orders them. @throws AiFailure */
  models(): Promise<string[]>;
  /** @throws AiFailure, with the tokens that were spent nevertheless; what `onText` throws */
  chat(question: ChatQuestion): Promise<ChatAnswer>;
}

/** A provider that gave no usable answer. The text is the provider's own, redacted and never empty. */
export class AiFailure extends Error {
  override name = "AiFailure";
  readonly spent: TokensSpent;

  constructor(message: string, spent: TokensSpent = { tokensIn: 0, tokensOut: 0 }, options?: ErrorOptions) {
    super(message, options);
    this.spent = spent;
  }
}

/** An answer that ended at the limit of its tokens: what there is of it is not what was asked for. */
export class AnswerCut extends AiFailure {
  override name = "AnswerCut";
}

/** Reasons why a model stops, in the words of both providers, and what is wrong with an answer that ends so. */
const INCOMPLETE: Readonly<Record<string, (spent: TokensSpent) => AiFailure>> = {
  max_tokens: (spent) => new AnswerCut("the answer was cut at the limit of its tokens", spent),
  length: (spent) => new AnswerCut("the answer was cut at the limit of its tokens", spent),
  model_context_window_exceeded: (spent) => new AnswerCut("the answer was cut at the end of the model's context window", spent),
  refusal: (spent) => new AiFailure("the model refused to answer", spent),
  content_filter: (spent) => new AiFailure("the provider's content filter stopped the answer", spent),
};

/**
 * Accepts an answer that its model brought to an end.
 * @param reason why the model stopped, as the provider says it; null where it does not
 * @throws AnswerCut, AiFailure for one that was stopped
 */
export function requireComplete(answer: ChatAnswer, reason: string | null | undefined): ChatAnswer {
  const failure = INCOMPLETE[reason ?? ""];
  if (failure) throw failure(answer);
  return answer;
}

/** Tokens a text comes to, where the provider did not say: four characters each. */
export const estimatedTokens = (characters: number): number => Math.ceil(characters / 4);

/** Characters of a question, as far as they are paid for. */
export const charactersOf = ({ system, turns, tools = [] }: Pick<ChatQuestion, "system" | "turns" | "tools">): number =>
  system.length + JSON.stringify(turns).length + JSON.stringify(tools).length;

/** What a provider, or the network, says in an error of its official client. */
function saidBy(error: unknown): string {
  const { error: body, message, cause } = error as { error?: unknown; message?: string; cause?: { message?: string } };
  const inner = (body as { error?: unknown } | null)?.error ?? body;
  const said = (inner as { message?: unknown } | null)?.message;
  if (typeof said === "string" && said !== "") return said;
  return cause?.message || message || "the provider gave no answer";
}

/** The input of a tool as it is repeated to the model: an object, whatever it wrote. */
export const repeatedInput = (input: unknown): object =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};

/** JSON a model wrote as the input of a tool; null for text that is not JSON. */
export function inputOf(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    return null;
  }
}

/** A reader that takes no more text: no provider has failed. The cause is what it threw. */
export class ReaderGone extends AiFailure {
  override name = "ReaderGone";
}

/** What a reader threw, on its way through an official client. */
class HandingOn extends Error {}

/** Hands text on. */
export async function handOn(onText: ChatQuestion["onText"], text: string): Promise<void> {
  try {
    await onText?.(text);
  } catch (cause) {
    throw new HandingOn("the reader has gone", { cause });
  }
}

/** The failure behind what a call threw: of the reader, or of the provider as its official client tells it. */
export function failureFrom(error: unknown, access: AiAccess, spent?: TokensSpent): AiFailure {
  if (error instanceof AiFailure) return error;
  if (error instanceof HandingOn) return new ReaderGone(error.message, spent, { cause: error.cause });
  return new AiFailure(redact(saidBy(error), [access.apiKey]) || "the provider gave no answer", spent, { cause: error });
}
