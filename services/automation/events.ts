import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { field, list, Type, uuid } from "../../core/declare/schema.ts";

/** The notifications that automation rules send. */
export const automationEvents = {
  "automation.notify": event(
    null,
    "A rule of automation tells people something about the record that set it off. Recipients: those the rule names.",
    {
      message: Type.String({ description: "The rule's message" }),
      rule: Type.String({ description: "The rule's name" }),
      recipients: field(list(uuid()), "Accounts it is meant for; webhooks get the event without them"),
    },
  ),
};

declare module "../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof automationEvents> {}
}
