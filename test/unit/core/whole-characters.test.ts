import { expect } from "chai";
import { redactedAddress, redactedMailbox } from "../../../core/providers/channels/address.ts";
import { messageText } from "../../../core/providers/channels/wording.ts";
import { suggestionQuestion } from "../../../integrations/ai/tasks/suggestion.ts";
import { groundedSuggestions } from "../../../integrations/ai/time/grounding.ts";
import { excerptOf } from "../../../services/work/comments/comment-text.ts";
import { additionsTo, type Suggested } from "../../../services/work/fill-in/generated.ts";

/** An emoji after this many letters, so that a cut one unit later halves it. */
const emojiAfter = (letters: number): string => `${"a".repeat(letters)}😀 and more`;

const NONE: ReadonlySet<string> = new Set();
const GROUND = { companies: NONE, projects: NONE, tasks: NONE, entryTypes: NONE };
const NOW = "2026-01-01T12:00:00Z";

const message = (text: string): string => {
  const item = { text, link: "x".repeat(200), event_type: "task.updated", entity_type: "task", entity_id: "1", occurred_at: NOW };
  return messageText({ id: "1", locale: "en", title: "", items: [item], link: "" }, 100);
};
const hours = (fields: object): string => JSON.stringify(groundedSuggestions({ suggestions: [fields] }, GROUND, 60));
const added = (fields: Partial<Suggested>): string => {
  const checklist = { title: null, items: [] };
  const suggested = {
    description: null,
    due_date: null,
    requires_interaction: false,
    checklist,
    links: [],
    comment: null,
    ...fields,
  };
  const task = { title: "Task", description: null, due_date: null, requires_interaction: false, links: [] };
  return JSON.stringify(additionsTo(task, suggested, { message: "", today: "2026-01-01" }));
};
const asked = (fields: { description?: string; text?: string }): string => {
  const task = { title: "", description: null, subject: null, text: "", participants: [], occurred_at: NOW, today: "2026-01-01" };
  return JSON.stringify(suggestionQuestion({ ...task, ...fields }, "en"));
};

/** Each text as it is stored or sent, with the emoji at the place where it is cut. */
const CUT: Record<string, () => string> = {
  "the only item of a message that is too long for a channel": () => message(emojiAfter(23)),
  "the shown part of a channel's address": () => redactedAddress("telegram", emojiAfter(5)),
  "the shown letter of a mailbox": () => redactedMailbox("😀@example.com"),
  "the description of suggested hours": () => hours({ description: emojiAfter(499) }),
  "the label of suggested hours": () => hours({ label: emojiAfter(119) }),
  "the description that a suggestion adds to a task": () => added({ description: emojiAfter(9_999) }),
  "a line of the checklist that a suggestion adds": () =>
    added({ checklist: { title: "List", items: [{ title: emojiAfter(511), description: null }] } }),
  "the task that the model is shown": () => asked({ description: emojiAfter(39_999) }),
  "the message that the model is shown": () => asked({ text: emojiAfter(39_999) }),
  "the excerpt of a comment": () => excerptOf(emojiAfter(138)),
};

describe("a text that is cut within an emoji", () => {
  for (const [what, cut] of Object.entries(CUT))
    it(`has no half of it: ${what}`, () => {
      // JSON escapes a lone half, and PostgreSQL refuses that escape.
      expect(cut()).not.to.match(/\\ud[89a-f]/i);
      expect(cut().isWellFormed()).to.equal(true);
      expect(cut(), "it is cut").not.to.contain("more");
    });
});
