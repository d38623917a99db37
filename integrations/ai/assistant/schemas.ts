import { choice, field, flag, input, multiline, nullable, optional, Type, text, uuid } from "../../../core/schema/schema.ts";

export const AssistantRequest = input("AssistantRequest", {
  messages: field(
    Type.Array(
      input("AssistantMessage", {
        role: field(choice(["user", "assistant"] as const), "Author: `user` the person, `assistant` the model"),
        content: field(multiline(40_000), "Text of the message"),
      }),
      {
        minItems: 1,
        maxItems: 40,
      },
    ),
    "The conversation so far, the oldest first; the last one is answered",
  ),
  context: field(
    optional(
      nullable(
        input("AssistantContext", {
          entity_type: field(text(40), "Kind of the record, such as `company`"),
          entity_id: field(uuid(), "The record"),
          label: field(optional(nullable(text(255))), "Its name, as the person sees it; null without one"),
        }),
      ),
    ),
    "The record that the person has open; null without one",
  ),
  override_budget: field(optional(flag(false)), "True carries on although the month's token budget is used up"),
});
