import { choice, flag, input, multiline, nullable, optional, Type, text, uuid } from "../../../core/declare/schema.ts";

export const AssistantRequest = input("AssistantRequest", {
  messages: Type.Array(input("AssistantMessage", { role: choice(["user", "assistant"] as const), content: multiline(40_000) }), {
    minItems: 1,
    maxItems: 40,
  }),
  context: optional(
    nullable(input("AssistantContext", { entity_type: text(40), entity_id: uuid(), label: optional(nullable(text(255))) })),
  ),
  override_budget: optional(flag(false)),
});
