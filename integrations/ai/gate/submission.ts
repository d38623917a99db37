import { refusal } from "../../../core/errors/errors.ts";
import { UNREADABLE_ANSWER } from "../../../core/errors/reasons.ts";
import type { ChatAnswer, ChatTurn, ToolCall } from "../providers/provider.ts";
import type { Ask, MeteredQuestion } from "./gate.ts";

/** The input of the call of a tool; null without such a call, and for arguments that are not a JSON object. */
function inputIn(calls: readonly ToolCall[], tool: string): Record<string, unknown> | null {
  const input = calls.find(({ name }) => name === tool)?.input;
  return typeof input === "object" && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : null;
}

/** Tells the model what was wrong with its answer. */
function corrected({ text, calls }: ChatAnswer, tool: string): ChatTurn[] {
  const sentence = `Call the tool ${tool} once, with one JSON object as its arguments.`;
  const answer: ChatTurn = { role: "assistant", text, calls };
  if (calls.length > 0)
    return [answer, { role: "tools", results: calls.map(({ id }) => ({ id, content: sentence, isError: true })) }];
  return [...(text === "" ? [] : [answer]), { role: "user", text: sentence }];
}

/**
 * The arguments that a model submits by a tool. An answer that cannot be read is asked for once more, with the error (work §3.11).
 * @param first the model's answer to the question
 * @throws 502 ai_provider_error if the second answer cannot be read either
 */
export async function submission(
  ask: Ask,
  question: MeteredQuestion,
  tool: string,
  first: ChatAnswer,
): Promise<Record<string, unknown>> {
  const submitted = inputIn(first.calls, tool);
  if (submitted) return submitted;
  const turns = [...question.turns, ...corrected(first, tool)];
  const { calls } = await ask({ ...question, turns, toolChoice: { name: tool } });
  const again = inputIn(calls, tool);
  if (!again) throw refusal("ai_provider_error", undefined, { details: { reason: UNREADABLE_ANSWER } });
  return again;
}
