import type { Static } from "../../../core/schema/schema.ts";
import { flag, nullable, Type } from "../../../core/schema/schema.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import type { MeteredQuestion } from "../gate/gate.ts";
import type { ToolSpec } from "../providers/provider.ts";
import { asData, DATA_RULE } from "../texts/untrusted.ts";

const nullableText = () => nullable(Type.String());

/** A task and its source message, sent by another actor. */
export const SuggestionRequest = Type.Object({
  title: Type.String(),
  description: nullableText(),
  subject: nullableText(),
  text: Type.String(),
  participants: Type.Array(Type.Object({ name: nullableText(), email: nullableText(), role: Type.String() })),
  occurred_at: Type.String(),
  today: Type.String(),
});

/** Possible additions to a task. The task's own rules decide whether to apply them. */
export const TaskSuggestion = Type.Object({
  description: nullableText(),
  due_date: nullableText(),
  requires_interaction: flag(),
  checklist: Type.Object({
    title: nullableText(),
    items: Type.Array(Type.Object({ title: Type.String(), description: nullableText() })),
  }),
  links: Type.Array(Type.Object({ url: Type.String(), title: nullableText() })),
  comment: nullableText(),
});

/** Most characters of a message and of a description in a prompt. */
const MOST_CHARACTERS = 40_000;

const orNull = { type: ["string", "null"] };
/** The tool by which the model submits. */
export const SUBMIT: ToolSpec = {
  name: "submit_suggestion",
  description: "Submit what can be added to the task. Whatever the message does not say is null, or an empty list.",
  schema: {
    type: "object",
    properties: {
      description: { ...orNull, description: "Markdown: the request, with the facts that the task does not contain yet" },
      due_date: { ...orNull, description: "YYYY-MM-DD, where the message names a date" },
      requires_interaction: { type: "boolean", description: "Whether the sender asks for a reply when it is done" },
      checklist: {
        type: "object",
        properties: {
          title: orNull,
          items: {
            type: "array",
            maxItems: 20,
            items: { type: "object", properties: { title: { type: "string" }, description: orNull }, required: ["title"] },
          },
        },
      },
      links: {
        type: "array",
        maxItems: 10,
        description: "Addresses that stand in the message, letter by letter",
        items: { type: "object", properties: { url: { type: "string" }, title: orNull }, required: ["url"] },
      },
      comment: { ...orNull, description: "What a colleague has to know before starting, if anything" },
    },
  },
};

/** The prompt for a task. */
export function suggestionQuestion(given: Static<typeof SuggestionRequest>, locale: string): MeteredQuestion {
  const { today, title, description, text, ...message } = given;
  const system = [
    "You prepare a task of an agency from a message of a client, and submit by the tool submit_suggestion what the message adds to it.",
    "State only what the message says. What the task says already is not repeated.",
    `Today is ${today}. Write in the language '${locale}'.`,
    DATA_RULE,
    `The task:\n${asData(JSON.stringify({ title, description: description == null ? null : shortened(description, MOST_CHARACTERS) }))}`,
  ];
  const content = JSON.stringify({ ...message, text: shortened(text, MOST_CHARACTERS) });
  return {
    system: system.join("\n\n"),
    turns: [{ role: "user", text: asData(content) }],
    tools: [SUBMIT],
    toolChoice: { name: SUBMIT.name },
  };
}

const objectIn = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
const listOf = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.map(objectIn) : []);
const textOf = (value: unknown): string | null => (typeof value === "string" && value.trim() !== "" ? value : null);

/** A model's submission, whatever it contains, as a valid suggestion. */
export function suggestionIn(given: Record<string, unknown>): Static<typeof TaskSuggestion> {
  const checklist = objectIn(given["checklist"]);
  const items = listOf(checklist["items"]).flatMap((item) => {
    const title = textOf(item["title"]);
    return title === null ? [] : [{ title, description: textOf(item["description"]) }];
  });
  const links = listOf(given["links"]).flatMap((link) => {
    const url = textOf(link["url"]);
    return url === null ? [] : [{ url, title: textOf(link["title"]) }];
  });
  return {
    description: textOf(given["description"]),
    due_date: textOf(given["due_date"]),
    requires_interaction: given["requires_interaction"] === true,
    checklist: { title: textOf(checklist["title"]), items },
    links,
    comment: textOf(given["comment"]),
  };
}
