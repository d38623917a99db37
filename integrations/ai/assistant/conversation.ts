import type { EventWriter } from "../../../core/declare/event-stream.ts";
import { isApiError } from "../../../core/errors/errors.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import type { Ask, MeteredQuestion } from "../gate/gate.ts";
import type { ChatTurn, ToolCall, ToolResult } from "../providers/provider.ts";
import type { AssistantEvents, Source } from "../texts/events.ts";
import { shownText } from "../texts/model-text.ts";
import { asData } from "../texts/untrusted.ts";
import { type ReadTool, sourcesIn } from "./tools.ts";

/** The most rounds with tools; then the model must answer (platform §1.3). */
const MOST_ROUNDS = 5;
/** Tool calls per round, and characters per result. */
const MOST_CALLS = 8;
const MOST_CHARACTERS = 20_000;
const FAILED = "errors.ai_tool_failed";
const NO_INPUT = `${FAILED} (the arguments are not a JSON object)`;

type Out = EventWriter<typeof AssistantEvents>;

const isInput = (input: unknown): boolean => typeof input === "object" && input !== null && !Array.isArray(input);

/** Runs one tool as the caller. Errors become results for the model and never fail the request. */
async function used(
  call: ToolCall,
  tools: ReadonlyMap<string, ReadTool>,
  out: Out,
  sources: Map<string, Source>,
): Promise<ToolResult> {
  const tool = tools.get(call.name);
  if (!tool) return { id: call.id, content: FAILED, isError: true };
  await out.send("tool", { name: call.name });
  if (!isInput(call.input)) return { id: call.id, content: NO_INPUT, isError: true };
  try {
    const answer = await out.call<unknown>(tool.action, tool.read(call.input));
    for (const source of sourcesIn(answer, tool.entity)) sources.set(`${source.type} ${source.id}`, source);
    return { id: call.id, content: asData(shortened(JSON.stringify(answer ?? null), MOST_CHARACTERS)), isError: false };
  } catch (error) {
    out.signal.throwIfAborted();
    const why = isApiError(error) ? ` (${error.message})` : "";
    return { id: call.id, content: `${FAILED}${why}`, isError: true };
  }
}

/**
 * Answers a conversation with read-only tools that run as the caller.
 * @param question the conversation so far
 */
export async function converse(question: MeteredQuestion, offered: readonly ReadTool[], ask: Ask, out: Out): Promise<void> {
  const tools = new Map(offered.map((tool) => [tool.spec.name, tool]));
  const sources = new Map<string, Source>();
  const turns: ChatTurn[] = [...question.turns];
  const seen = question.turns.flatMap((turn) =>
    turn.role === "tools" ? turn.results.map(({ content }) => content) : [turn.text],
  );
  const { onText, end } = shownText(seen, (text) => out.send("text", { text }));
  for (let round = 1; ; round++) {
    const isLast = round > MOST_ROUNDS;
    const { text, calls } = await ask({
      ...question,
      turns,
      ...(offered.length > 0 && { tools: offered.map(({ spec }) => spec) }),
      ...(isLast && offered.length > 0 && { toolChoice: "none" as const }),
      signal: out.signal,
      onText,
    });
    if (calls.length === 0 || isLast) break;
    const results: ToolResult[] = [];
    for (const [at, call] of calls.entries())
      results.push(at < MOST_CALLS ? await used(call, tools, out, sources) : { id: call.id, content: FAILED, isError: true });
    seen.push(...results.map(({ content }) => content));
    turns.push({ role: "assistant", text, calls }, { role: "tools", results });
  }
  await end();
  if (sources.size > 0) await out.send("sources", { sources: [...sources.values()] });
}
