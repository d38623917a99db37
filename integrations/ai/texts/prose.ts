import { choice, nullable, type Static, Type } from "../../../core/schema/schema.ts";
import type { MeteredQuestion } from "../gate/gate.ts";
import type { ToolSpec } from "../providers/provider.ts";
import { ModelTextFilter } from "./model-text.ts";
import { asData, DATA_RULE } from "./untrusted.ts";

const text = (description: string) => Type.String({ description });

/** Another actor's request for the prose of a document's parts. */
export const ProseRequest = Type.Object({
  instructions: text("How to write, from the organisation's own settings"),
  data: text("What to write about, from records"),
  language: text("Language of the prose, as a tag"),
  parts: Type.Array(Type.Object({ key: text("Key of the part"), title: text("Heading of the part") }), { minItems: 1 }),
  max_tokens: Type.Integer({ minimum: 1, description: "Most tokens of the answer" }),
  timeout: Type.Integer({ minimum: 1, description: "Longest time of the answer in milliseconds" }),
});

const OUTCOMES = ["written", "unavailable", "late", "failed"] as const;

/** The outcome of a prose request. A caller that must continue without prose reads it instead of catching a refusal. */
export const ProseAnswer = Type.Object({
  outcome: choice(OUTCOMES, {
    description: "`unavailable`: no model was called; `late`: no complete answer in time; `failed`: the answer was unusable",
  }),
  reason: nullable(text("Error code behind an outcome other than `written`; null for that one")),
  parts: Type.Array(Type.Object({ key: text("Key of a requested part"), text: text("Its plain text") })),
});
export type ProseAnswered = Static<typeof ProseAnswer>;

/** The tool by which the model submits. */
export const SUBMIT = "submit_prose";

function submitTool(keys: readonly string[]): ToolSpec {
  return {
    name: SUBMIT,
    description: "Submit the prose of every part.",
    schema: {
      type: "object",
      properties: {
        parts: {
          type: "array",
          items: {
            type: "object",
            properties: {
              key: { type: "string", enum: keys },
              text: { type: "string", description: "Plain text without markdown; blank lines part paragraphs" },
            },
            required: ["key", "text"],
          },
        },
      },
      required: ["parts"],
    },
  };
}

/** Builds the question: the model follows the instructions and treats the material as data. */
export function proseQuestion({
  instructions,
  data,
  language,
  parts,
  max_tokens: maxTokens,
}: Static<typeof ProseRequest>): MeteredQuestion {
  const wanted = parts.map(({ key }) => key);
  const system = [
    `You write the prose of a document and submit it by the tool ${SUBMIT}, one text for each of these parts: ${wanted.join(", ")}.`,
    `Write in the language '${language}', whatever language the instructions or the data are in.`,
    instructions,
    DATA_RULE,
  ];
  const headings = parts.map(({ key, title }) => `${key}: ${title}`).join("\n");
  return {
    system: system.filter(Boolean).join("\n\n"),
    turns: [{ role: "user", text: asData(`${headings}\n\n${data}`) }],
    tools: [submitTool(wanted)],
    toolChoice: { name: SUBMIT },
    maxTokens,
  };
}

/** Converts a model's text to plain text: an address stays only if the model was given exactly that one. */
function plainText(written: string, seen: readonly string[]): string {
  const filter = new ModelTextFilter(seen);
  // The filter escapes tags for markdown; this text is not markup.
  return (filter.take(written) + filter.rest()).replaceAll("&lt;", "<");
}

/** Reads the parts a model submitted; skips invalid ones and unknown keys. */
export function proseIn(
  input: Record<string, unknown>,
  keys: readonly string[],
  seen: readonly string[],
): ProseAnswered["parts"] {
  const submitted = Array.isArray(input["parts"]) ? (input["parts"] as unknown[]) : [];
  const texts = new Map<string, string>();
  for (const one of submitted) {
    const { key, text: written } = (one ?? {}) as { key?: unknown; text?: unknown };
    if (typeof key !== "string" || typeof written !== "string" || !keys.includes(key) || texts.has(key)) continue;
    texts.set(key, plainText(written, seen));
  }
  return [...texts].map(([key, written]) => ({ key, text: written }));
}
