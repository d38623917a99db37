import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { field, list, Type, uuid } from "../../core/schema/schema.ts";

/** The notifications that automation rules send. */
export const automationEvents = {
  "automation.notify": event(
    null,
    "An automation rule sent people a message about the record that triggered it. Recipients: those the rule names.",
    {
      message: Type.String({ description: "The rule's message" }),
      rule: Type.String({ description: "The rule's name" }),
      recipients: field(list(uuid()), "Accounts of the recipients; webhooks get the event without them"),
    },
  ),
};

declare module "../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof automationEvents> {}
}
