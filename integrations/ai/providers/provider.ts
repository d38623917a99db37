import { redact } from "../../../core/outbound/redact.ts";
import type { ProviderKey } from "../models.ts";

/** The address and key of a provider. */
export interface AiAccess {
  provider: ProviderKey;
  apiKey: string;
  /** Null: the provider's own address. */
  baseUrl: string | null;
}

/** A tool as described to a model. */
export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of its input object. */
  schema: Record<string, unknown>;
}

/** A tool call by a model. Its input is whatever the model wrote. */
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
  /** The tool the model must use: any, none, or the named one. By default the model chooses. */
  toolChoice?: "any" | "none" | { name: string };
  /** Most output tokens. */
  maxTokens: number;
  signal?: AbortSignal;
  /** Receives text as it streams; reading waits for it. Without it the answer is not streamed. */
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

/** A chat model provider with one account. */
export interface ChatProvider {
  /** Its model names, in its own order. @throws AiFailure */
  models(): Promise<string[]>;
  /** @throws AiFailure, with the tokens used anyway; the errors of `onText` */
  chat(question: ChatQuestion): Promise<ChatAnswer>;
}

/** A provider gave no usable answer. The message is the provider's, redacted and never empty. */
export class AiFailure extends Error {
  override name = "AiFailure";
  readonly spent: TokensSpent;

  constructor(message: string, spent: TokensSpent = { tokensIn: 0, tokensOut: 0 }, options?: ErrorOptions) {
    super(message, options);
    this.spent = spent;
  }
}

/** An answer cut at its token limit, so it is incomplete. */
export class AnswerCut extends AiFailure {
  override name = "AnswerCut";
}

/** The stop reasons of both providers that make an answer unusable, with their failures. */
const INCOMPLETE: Readonly<Record<string, (spent: TokensSpent) => AiFailure>> = {
  max_tokens: (spent) => new AnswerCut("the answer was cut at the limit of its tokens", spent),
  length: (spent) => new AnswerCut("the answer was cut at the limit of its tokens", spent),
  model_context_window_exceeded: (spent) => new AnswerCut("the answer was cut at the end of the model's context window", spent),
  refusal: (spent) => new AiFailure("the model refused to answer", spent),
  content_filter: (spent) => new AiFailure("the provider's content filter stopped the answer", spent),
};

/**
 * Accepts an answer that the model completed.
 * @param reason the provider's stop reason, or null
 * @throws AnswerCut, AiFailure if it was stopped
 */
export function requireComplete(answer: ChatAnswer, reason: string | null | undefined): ChatAnswer {
  const failure = INCOMPLETE[reason ?? ""];
  if (failure) throw failure(answer);
  return answer;
}

/** The names of listed models, in their order; a compatible server may list anything. */
export const modelNames = (listed: readonly unknown[]): string[] =>
  listed.flatMap((one) => {
    const { id } = (one ?? {}) as { id?: unknown };
    return typeof id === "string" ? [id] : [];
  });

/** The estimated tokens of a text: four characters each. Used if the provider reports none. */
export const estimatedTokens = (characters: number): number => Math.ceil(characters / 4);

/** The billed characters of a question. */
export const charactersOf = ({ system, turns, tools = [] }: Pick<ChatQuestion, "system" | "turns" | "tools">): number =>
  system.length + JSON.stringify(turns).length + JSON.stringify(tools).length;

/** The message of a provider or network error, from its official client. */
function saidBy(error: unknown): string {
  const { error: body, message, cause } = error as { error?: unknown; message?: string; cause?: { message?: string } };
  const inner = (body as { error?: unknown } | null)?.error ?? body;
  const said = (inner as { message?: unknown } | null)?.message;
  if (typeof said === "string" && said !== "") return said;
  return cause?.message || message || "the provider gave no answer";
}

/** A tool input in the form to send back to the model: an object, whatever it wrote. */
export const repeatedInput = (input: unknown): object =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};

/** Parses the tool input a model wrote; null if it is not JSON. */
export function inputOf(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    return null;
  }
}

/** The reader stopped accepting text; the provider did not fail. The cause is the reader's error. */
export class ReaderGone extends AiFailure {
  override name = "ReaderGone";
}

/** Carries a reader's error through an official client. */
class HandingOn extends Error {}

/** Passes text to the reader. */
export async function handOn(onText: ChatQuestion["onText"], text: string): Promise<void> {
  try {
    await onText?.(text);
  } catch (cause) {
    throw new HandingOn("the reader has gone", { cause });
  }
}

/** The failure for a call's error: of the reader, or of the provider as its official client reports it. */
export function failureFrom(error: unknown, access: AiAccess, spent?: TokensSpent): AiFailure {
  if (error instanceof AiFailure) return error;
  if (error instanceof HandingOn) return new ReaderGone(error.message, spent, { cause: error.cause });
  return new AiFailure(redact(saidBy(error), [access.apiKey]) || "the provider gave no answer", spent, { cause: error });
}
