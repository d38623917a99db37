import type { Static } from "../../../core/schema/schema.ts";
import { choice, field, flag, input, multiline, nullable, optional, text } from "../../../core/schema/schema.ts";
import type { MeteredQuestion } from "../gate/gate.ts";
import { asData, DATA_RULE } from "./untrusted.ts";

/** The instruction for each writing action. */
const TASKS = {
  improve: "Improve the text: clearer and better to read, with the same meaning.",
  shorten: "Shorten the text to what matters.",
  expand: "Expand the text with more detail, inventing no facts.",
  fix: "Correct spelling, grammar and punctuation and change nothing else.",
  tone_business: "Rewrite the text in a businesslike tone.",
  tone_informal: "Rewrite the text in an informal tone.",
  translate: "Translate the text.",
  draft: "Write a text by the notes that are given.",
} as const;

const ACTIONS = Object.keys(TASKS) as (keyof typeof TASKS)[];

export const WritingAssistRequest = input("WritingAssistRequest", {
  action: field(choice(ACTIONS), "What to do with the text; `draft` writes one from notes"),
  text: field(multiline(40_000, { minLength: 1 }), "The text, or the notes of a draft"),
  entity_type: field(optional(nullable(text(40))), "Kind of record that the text is for, such as `task`; null without one"),
  title: field(optional(nullable(text(255))), "Title of the text; null without one"),
  target_locale: field(
    optional(nullable(text(8))),
    "Language to write in; null keeps the language of the text; a translation then uses the organisation's",
  ),
  override_budget: field(optional(flag(false)), "True carries on although the month's token budget is used up"),
});

/** The prompt for a text: the caller's input and the house style, nothing from records. */
export function writingQuestion(
  asked: Static<typeof WritingAssistRequest>,
  houseStyle: string | null,
  locale: string,
): MeteredQuestion {
  const { action, text: given, entity_type, title, target_locale } = asked;
  const language = target_locale ?? (action === "translate" ? locale : null);
  const system = [
    "You help people of an agency to write. Answer with the text alone, without introduction, quotation marks or remarks.",
    TASKS[action],
    language === null ? "Write in the language of the text." : `Write in the language '${language}'.`,
    houseStyle === null ? "" : `House style of the organisation:\n${houseStyle}`,
    DATA_RULE,
  ];
  const about = [entity_type && `Kind of record: ${entity_type}`, title && `Title: ${title}`].filter(Boolean).join("\n");
  const turn = [about && asData(about), asData(given)].filter(Boolean).join("\n");
  return { system: system.filter(Boolean).join("\n\n"), turns: [{ role: "user", text: turn }] };
}
