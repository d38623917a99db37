import type { IsoDate } from "../../../core/calendar/calendar.ts";
import type { ActionContext } from "../../../core/declare/action.ts";
import type { Ask, MeteredQuestion } from "../gate/gate.ts";
import { submission } from "../gate/submission.ts";
import type { ToolCall, ToolSpec } from "../providers/provider.ts";
import { asData, DATA_RULE } from "../texts/untrusted.ts";
import { groundedEntry, type ParsedEntry } from "./grounding.ts";
import { groundOf, lookUp, type Shortlist } from "./shortlist.ts";

/** Most output tokens (platform §1.2). */
const MOST_TOKENS = 1024;

const nullableText = { type: ["string", "null"] };
const SUBMIT: ToolSpec = {
  name: "submit_entry",
  description: "Submit the entry. Whatever was not said is null.",
  schema: {
    type: "object",
    properties: {
      date: { ...nullableText, description: "YYYY-MM-DD" },
      start: { ...nullableText, description: "HH:MM" },
      end: { ...nullableText, description: "HH:MM" },
      duration_minutes: { type: ["integer", "null"] },
      company_id: nullableText,
      project_id: nullableText,
      task_id: nullableText,
      description: nullableText,
      entry_type_key: nullableText,
      billable: { type: ["boolean", "null"], description: "null unless it was stated" },
      break_minutes: { type: ["integer", "null"] },
    },
  },
};
const LOOK_UP: ToolSpec = {
  name: "look_up",
  description: "Find clients, projects and tasks by name, once, where none of the list fits.",
  schema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
};

/** The first prompt for a time entry. */
export function parseQuestion(text: string, today: IsoDate, shown: Shortlist): MeteredQuestion {
  const system = [
    "You turn one sentence about work that was done into a time entry, and submit it by the tool submit_entry.",
    `Today is ${today}; 'yesterday' and weekdays are relative to it.`,
    "Use only ids of the lists below or of a look-up. Whatever was not said stays null; billable too, unless it was stated.",
    DATA_RULE,
    `Records to choose from:\n${asData(JSON.stringify(shown))}`,
  ];
  return {
    system: system.join("\n\n"),
    turns: [{ role: "user", text: asData(text) }],
    tools: [LOOK_UP, SUBMIT],
    toolChoice: "any",
    maxTokens: MOST_TOKENS,
  };
}

const queryOf = ({ input }: ToolCall): string => {
  const { query } = (input ?? {}) as { query?: unknown };
  return typeof query === "string" ? query : "";
};

/**
 * Asks for an entry, looks up records at most once, and returns its valid parts.
 * @throws 502 ai_provider_error if the answer cannot be read
 */
export async function parsedEntry(
  ctx: ActionContext,
  question: MeteredQuestion,
  shown: Shortlist,
  ask: Ask,
): Promise<ParsedEntry> {
  const first = await ask(question);
  const wanted = first.calls.find(({ name }) => name === LOOK_UP.name);
  if (!wanted || first.calls.some(({ name }) => name === SUBMIT.name))
    return groundedEntry(await submission(ask, question, SUBMIT.name, first), groundOf([shown]));
  const more = await lookUp(ctx, queryOf(wanted));
  const results = first.calls.map(({ id }) =>
    id === wanted.id
      ? { id, content: asData(JSON.stringify(more)), isError: false }
      : { id, content: "no such tool, or too many look-ups", isError: true },
  );
  const turns = [
    ...question.turns,
    { role: "assistant", text: first.text, calls: first.calls },
    { role: "tools", results },
  ] as const;
  const lookedUp: MeteredQuestion = { ...question, turns, toolChoice: { name: SUBMIT.name } };
  const submitted = await submission(ask, lookedUp, SUBMIT.name, await ask(lookedUp));
  return groundedEntry(submitted, groundOf([shown, more]));
}
